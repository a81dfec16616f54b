package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// modelSummary is the part of the JSON that describes a model.
type modelSummary struct {
	Model     form.Form            `json:"model,omitzero"` // omitted if bilinear
	Structure *structure.Structure `json:"structure"`
	K         int                  `json:"k"`
	Dim       int                  `json:"dim"`
}

func summarizeModel(f form.Form, a structure.Structure, dim int) modelSummary {
	s := modelSummary{Model: f, K: a.K(), Dim: dim}
	if f == form.Bilinear {
		s.Structure = &a
	}
	return s
}

func (s modelSummary) title() string { return titleOf(s.Model, s.Structure) }

// titleOf returns the title of a model's structure, or the name of its form.
func titleOf(f form.Form, a *structure.Structure) string {
	if a != nil {
		return a.Title()
	}
	return f.String()
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
	return trainedSummary{
		modelSummary: summarizeModel(r.Member.Form, r.Member.Structure, dim),
		Dataset:      dataset, Precision: report.Precision, Seed: r.Member.Seed,
		Epochs: len(r.Loss), BestEpoch: r.BestEpoch, Loss: orEmpty(r.Loss),
		Validations: orEmpty(r.Validations), Resumed: report.Resumed,
		StoppedEarly: report.StoppedEarly, ValidatedBy: report.ValidatedBy,
		Seconds: report.Timing, Out: out,
	}
}

// print describes the training of a model and prints its metrics.
func (s trainedSummary) print(w io.Writer, model string, metrics *table.Table) {
	step := ""
	if s.Seconds.PerStep > 0 {
		step = fmt.Sprintf(" (%.2f ms a step)", 1e3*s.Seconds.PerStep)
	}
	fmt.Fprintf(w, "%s, %s, d %d%s: loss %s after %s, %.1f s%s\n", s.Dataset, model, s.Dim,
		s.Precision.Suffix(), lastLoss(s.Loss), format.Count(s.Epochs, "epoch"), s.Seconds.Train, step)
	if e := s.StoppedEarly; e != nil {
		fmt.Fprintf(w, "deadline exceeded after epoch %d of %d, step %s of %s; "+
			"the same command resumes the training\n",
			e.Epoch, e.Epochs, format.Int(e.Step), format.Int(e.Steps))
	}
	if 0 < s.BestEpoch && s.BestEpoch < s.Epochs {
		fmt.Fprintf(w, "best epoch by validation: %d\n", s.BestEpoch)
	}
	if len(metrics.Rows) > 0 {
		fmt.Fprintln(w)
		metrics.Print(w)
	}
}

// lastLoss formats the loss of the last epoch.
func lastLoss(loss []float64) string {
	if len(loss) == 0 {
		return format.Missing
	}
	return fmt.Sprintf("%.4f", loss[len(loss)-1])
}
