package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// modelSummary is the part of the JSON that describes a model.
type modelSummary struct {
	Model     form.Form            `json:"model,omitzero"` // omitted if bilinear
	Structure *structure.Structure `json:"structure"`
	K         int                  `json:"k"`
	Dim       int                  `json:"dim"`
	Encoder   kge.Encoder          `json:"encoder,omitzero"` // whose outputs the model scores
}

func summarizeModel(m *kge.Model) modelSummary {
	s := summarizeParts(m.Form, m.Structure, m.Dim)
	if m.Training != nil {
		s.Encoder = m.Training.Settings.Encoder
	}
	return s
}

func summarizeParts(f form.Form, a structure.Structure, dim int) modelSummary {
	s := modelSummary{Model: f, K: a.K(), Dim: dim}
	if f.HasStructure() {
		s.Structure = &a
	}
	return s
}

func (s modelSummary) title() string {
	title := titleOf(s.Model, s.Structure)
	if s.Encoder != kge.NoEncoder {
		return fmt.Sprintf("%s after %v", title, s.Encoder)
	}
	return title
}

// titleOf returns the title of a model's structure, or the name of its form.
func titleOf(f form.Form, a *structure.Structure) string {
	if a != nil {
		return f.Title(*a)
	}
	return f.Title(structure.Structure{})
}

// trainedSummary is the part of the JSON that all trainings share.
type trainedSummary struct {
	modelSummary
	Dataset      string           `json:"dataset"`
	Precision    kge.Precision    `json:"precision"`
	Seed         uint64           `json:"seed"`
	Epochs       int              `json:"epochs"`
	BestEpoch    int              `json:"best_epoch"`
	Loss         []float64        `json:"loss"`
	Validations  []kge.Validation `json:"validations"`
	Resumed      int              `json:"resumed,omitempty"` // epochs of earlier runs
	StoppedEarly *kge.EarlyStop   `json:"stopped_early,omitempty"`
	ValidatedBy  int              `json:"validated_by,omitempty"`
	Seconds      kge.Timing       `json:"seconds"`
	Out          string           `json:"out,omitempty"`
}

// summarizeTraining describes the first member of a training.
func summarizeTraining(dataset string, dim int, report *kge.Report, out string) trainedSummary {
	r := report.Results[0]
	s := trainedSummary{
		modelSummary: summarizeParts(formOf(r), r.Member.Structure, dim),
		Dataset:      dataset, Precision: report.Precision, Seed: r.Member.Seed,
		Epochs: len(r.Loss), BestEpoch: r.BestEpoch, Loss: orEmpty(r.Loss),
		Validations: orEmpty(r.Validations), Resumed: report.Resumed,
		StoppedEarly: report.StoppedEarly, ValidatedBy: report.ValidatedBy,
		Seconds: report.Timing, Out: out,
	}
	if r.Model != nil {
		s.Encoder = r.Model.Training.Settings.Encoder
	}
	return s
}

// formOf returns the form of the model of a result.
func formOf(r kge.Result) form.Form {
	if r.Model == nil {
		return r.Member.Form
	}
	return r.Model.Form
}

// block describes the training of a model. The caller adds metrics and commands.
func (s trainedSummary) block(model ...string) cli.Block {
	epochs := format.Count(s.Epochs, "epoch")
	if 0 < s.BestEpoch && s.BestEpoch < s.Epochs {
		epochs += fmt.Sprintf(" (best %d)", s.BestEpoch)
	}
	title := append([]string{"training finished", s.Dataset}, model...)
	dim := fmt.Sprintf("d %d%s", s.Dim, s.Precision.Suffix())
	b := cli.Block{Title: append(title, dim, epochs, format.Brief(s.Seconds.Train))}
	if e := s.StoppedEarly; e != nil {
		b.Title[0], b.Unfinished = "training stopped by its deadline", true
		where := fmt.Sprintf("after epoch %d of %d", e.Epoch, e.Epochs)
		if e.Step > 0 {
			where = fmt.Sprintf("in epoch %d of %d, after step %s of %s", e.Epoch+1, e.Epochs,
				format.Int(e.Step), format.Int(e.Steps))
		}
		b.Note("Stopped " + where + "; the same command resumes it.")
	}
	return b
}

// printDetails prints the loss, the speed and all metrics.
func (s trainedSummary) printDetails(w io.Writer, metrics *table.Table) {
	step := ""
	if s.Seconds.PerStep > 0 {
		step = ", " + format.Milliseconds(s.Seconds.PerStep) + " a step"
	}
	fmt.Fprintf(w, "\nloss %s%s\n", lastLoss(s.Loss), step)
	if len(metrics.Rows) > 0 {
		fmt.Fprintln(w)
		metrics.Print(w)
	}
}

// addMetrics adds a row of metrics. For a number of ranked examples it has the standard error of
// the MRR.
func addMetrics(b *cli.Block, label string, m eval.Metrics, ranked int) {
	mrr := "MRR " + format.Cell(m.MRR)
	if ranked > 0 {
		mrr += " ± " + format.Cell(eval.ErrorBound(m.MRR, ranked))
	}
	b.Add(label, mrr, "H@1 "+format.Cell(m.Hits1), "H@10 "+format.Cell(m.Hits10))
}

// addEvaluation adds the metrics of a split, if it was ranked.
func addEvaluation(b *cli.Block, split string, e *completion.Evaluation) {
	if e != nil {
		addMetrics(b, split, e.Both, e.Triples)
		noteSample(b, split, e.Triples, e.Of)
	}
}

// noteSample notes how large the ranked sample of a split is.
func noteSample(b *cli.Block, split string, n, of int) {
	if of > 0 {
		b.Note(fmt.Sprintf("The %s metrics are of a sample of %s of %s.", split, format.Int(n),
			format.Int(of)))
	}
}

// lastLoss formats the loss of the last epoch.
func lastLoss(loss []float64) string {
	if len(loss) == 0 {
		return format.Missing
	}
	return fmt.Sprintf("%.4f", loss[len(loss)-1])
}
