package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
)

// WriteCSV writes a line for each trial below a line with the names of the
// columns. Numbers have all the digits that tell them apart, features are the SRF
// (paper, Algorithm 2) as zeros and ones, and what a trial does not have is empty.
func WriteCSV(w io.Writer, trials []search.Trial) error {
	lines := csv.NewWriter(w)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	if err := lines.Write(names); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	for _, t := range trials {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.cell(t)
		}
		if err := lines.Write(cells); err != nil {
			return fmt.Errorf("cannot write the trials: %w", err)
		}
	}
	lines.Flush()
	if err := lines.Error(); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	return nil
}

type column struct {
	name string
	cell func(search.Trial) string
}

var columns = slices.Concat([]column{
	{"number", func(t search.Trial) string { return strconv.Itoa(t.Number) }},
	{"stage", func(t search.Trial) string { return string(t.Stage) }},
	{"round", func(t search.Trial) string { return strconv.Itoa(t.Round) }},
	{"name", func(t search.Trial) string { return t.Name }},
	{"state", func(t search.Trial) string { return string(t.State) }},
	{"structure", func(t search.Trial) string { return t.Structure.String() }},
	{"canonical", func(t search.Trial) string { return t.Canonical().String() }},
	{"features", features},
	{"dim", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.Dim) }},
	{"epochs", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.Epochs) }},
	{"batch", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.Batch) }},
	{"optimizer", func(t search.Trial) string { return t.Recipe.Training.Optimizer.String() }},
	{"decay", func(t search.Trial) string { return exact(t.Recipe.Training.Decay) }},
	{"initial", func(t search.Trial) string { return t.Recipe.Training.Initial.String() }},
	{"init_scale", func(t search.Trial) string { return exact(t.Recipe.Training.InitScale) }},
	{"data_seed", func(t search.Trial) string { return strconv.FormatUint(t.Recipe.Training.DataSeed, 10) }},
	{"validate_every", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.ValidateEvery) }},
	{"patience", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.Patience) }},
	{"plateau_patience", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.PlateauPatience) }},
	{"plateau_factor", func(t search.Trial) string { return exact(t.Recipe.Training.PlateauFactor) }},
	{"reciprocal", func(t search.Trial) string { return strconv.FormatBool(t.Recipe.Training.Reciprocal) }},
	{"dropout", func(t search.Trial) string { return exact(t.Recipe.Training.Dropout) }},
	{"label_smoothing", func(t search.Trial) string { return exact(t.Recipe.Training.LabelSmoothing) }},
	{"max_norm", func(t search.Trial) string { return exact(t.Recipe.Training.MaxNorm) }},
	{"max_steps", func(t search.Trial) string { return strconv.Itoa(t.Recipe.Training.MaxSteps) }},
	{"seed", func(t search.Trial) string { return strconv.FormatUint(t.Recipe.Seed, 10) }},
	{"learning_rate", func(t search.Trial) string { return exact(t.Recipe.LearningRate) }},
	{"l2", func(t search.Trial) string { return exact(t.Recipe.L2) }},
	{"n3", func(t search.Trial) string { return exact(t.Recipe.N3) }},
	{"entity_l2", func(t search.Trial) string { return exact(t.Recipe.EntityL2) }},
	{"relation_l2", func(t search.Trial) string { return exact(t.Recipe.RelationL2) }},
	{"products", func(t search.Trial) string { return exact(t.Recipe.Products) }},
	{"relation_prediction", func(t search.Trial) string { return exact(t.Recipe.RelationPrediction) }},
	{"guess", func(t search.Trial) string { return exactIfAny(t.Guess) }},
	{"objective", func(t search.Trial) string { return exactIfAny(t.Objective) }},
	{"test_objective", func(t search.Trial) string { return exactIfAny(t.TestObjective) }},
	{"epochs_trained", func(t search.Trial) string { return strconv.Itoa(len(t.Loss)) }},
	{"last_loss", func(t search.Trial) string {
		if len(t.Loss) == 0 {
			return ""
		}
		return exact(t.Loss[len(t.Loss)-1])
	}},
},
	metricColumns("valid", func(t search.Trial) *completion.Evaluation { return t.Valid }),
	metricColumns("test", func(t search.Trial) *completion.Evaluation { return t.Test }),
	[]column{
		{"seconds", func(t search.Trial) string { return exact(t.Seconds) }},
		{"engine", func(t search.Trial) string { return t.Engine }},
		{"backend", func(t search.Trial) string { return t.Backend }},
		{"error", func(t search.Trial) string { return t.Error }},
	})

// metricColumns are those of one split: of both sides together, then of each.
func metricColumns(split string, of func(search.Trial) *completion.Evaluation) []column {
	var all []column
	add := func(name string, value func(completion.Evaluation) string) {
		all = append(all, column{split + "_" + name, func(t search.Trial) string {
			if e := of(t); e != nil {
				return value(*e)
			}
			return ""
		}})
	}
	add("triples", func(e completion.Evaluation) string { return strconv.Itoa(e.Triples) })
	for _, side := range []struct {
		name string
		of   func(completion.Evaluation) completion.Metrics
	}{
		{"", func(e completion.Evaluation) completion.Metrics { return e.Both }},
		{"head_", func(e completion.Evaluation) completion.Metrics { return e.Head }},
		{"tail_", func(e completion.Evaluation) completion.Metrics { return e.Tail }},
	} {
		add(side.name+"mrr", func(e completion.Evaluation) string { return exact(side.of(e).MRR) })
		add(side.name+"hits1", func(e completion.Evaluation) string { return exact(side.of(e).Hits1) })
		add(side.name+"hits3", func(e completion.Evaluation) string { return exact(side.of(e).Hits3) })
		add(side.name+"hits10", func(e completion.Evaluation) string { return exact(side.of(e).Hits10) })
		add(side.name+"mean_rank", func(e completion.Evaluation) string { return exact(side.of(e).MeanRank) })
	}
	return all
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// exactIfAny is empty where there is no number.
func exactIfAny(x *float64) string {
	if x == nil {
		return ""
	}
	return exact(*x)
}

// features are the SRF, a digit each.
func features(t search.Trial) string {
	var digits strings.Builder
	for _, bit := range t.Structure.SRF() {
		digits.WriteByte('0' + bit)
	}
	return digits.String()
}
