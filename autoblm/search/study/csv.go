package study

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// WriteCSV writes a line for each trial below a line with the names of the
// columns. Numbers have all the digits that tell them apart, features are the SRF
// (paper, Algorithm 2) as zeros and ones, and what a trial does not have is empty:
// the heads of queries, and all of the recipe but its seed where trials have an
// objective, as those for classes do.
func WriteCSV(w io.Writer, trials []task.Trial) error {
	lines := csv.NewWriter(w)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	if err := lines.Write(names); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	embeddings := !slices.ContainsFunc(trials, func(t task.Trial) bool { return accuraciesOf(t).Objective != nil })
	for _, t := range trials {
		cells := make([]string, len(columns))
		for i, c := range columns {
			if embeddings || !c.training {
				cells[i] = c.cell(t)
			}
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
	cell func(task.Trial) string
	// training is set for what is told of the training of embeddings.
	training bool
}

func training(all []column) []column {
	for i := range all {
		all[i].training = true
	}
	return all
}

var columns = slices.Concat([]column{
	{name: "number", cell: func(t task.Trial) string { return strconv.Itoa(t.Number) }},
	{name: "stage", cell: func(t task.Trial) string { return string(t.Stage) }},
	{name: "round", cell: func(t task.Trial) string { return strconv.Itoa(t.Round) }},
	{name: "name", cell: func(t task.Trial) string { return t.Name }},
	{name: "state", cell: func(t task.Trial) string { return string(t.State) }},
	{name: "structure", cell: func(t task.Trial) string { return t.Structure.String() }},
	{name: "canonical", cell: func(t task.Trial) string { return t.Canonical().String() }},
	{name: "features", cell: features},
}, recipeColumns(), []column{
	{name: "guess", cell: func(t task.Trial) string { return exactIfAny(t.Guess) }},
	{name: "objective", cell: func(t task.Trial) string { return exactIfAny(accuraciesOf(t).Objective) }},
	{name: "test_objective", cell: func(t task.Trial) string { return exactIfAny(accuraciesOf(t).TestObjective) }},
}, training([]column{
	{name: "epochs_trained", cell: func(t task.Trial) string { return strconv.Itoa(len(t.Loss)) }},
	{name: "last_loss", cell: func(t task.Trial) string {
		if len(t.Loss) == 0 {
			return ""
		}
		return exact(t.Loss[len(t.Loss)-1])
	}},
}),
	metricColumns("valid", func(t task.Trial) *completion.Evaluation { return completion.EvaluationsOf(t.Details).Valid }),
	metricColumns("test", func(t task.Trial) *completion.Evaluation { return completion.EvaluationsOf(t.Details).Test }),
	[]column{
		{name: "seconds", cell: func(t task.Trial) string { return exact(t.Seconds) }},
		{name: "engine", cell: func(t task.Trial) string { return t.Engine }},
		{name: "backend", cell: func(t task.Trial) string { return t.Backend }},
		{name: "error", cell: func(t task.Trial) string { return t.Error }},
	})

// accuracies are the details of a trial for classes.
type accuracies struct {
	Objective     *float64 `json:"objective"`
	TestObjective *float64 `json:"test_objective"`
}

func accuraciesOf(t task.Trial) (a accuracies) {
	_ = json.Unmarshal(t.Details, &a) // other details have none
	return a
}

// recipeColumns are the settings of a recipe.
func recipeColumns() []column {
	var all []column
	for i, s := range settings.Of(task.Recipe{}) {
		name := strings.TrimPrefix(s.Name, "training ")
		all = append(all, column{name: name, training: name != "seed", cell: func(t task.Trial) string { return settings.Of(t.Recipe)[i].Text() }})
	}
	return all
}

// metricColumns are those of one split: of both sides together, then of each.
func metricColumns(split string, of func(task.Trial) *completion.Evaluation) []column {
	var all []column
	add := func(name string, value func(completion.Evaluation) string) {
		all = append(all, column{name: split + "_" + name, cell: func(t task.Trial) string {
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
		metric := func(name string, value func(completion.Metrics) float64) {
			add(side.name+name, func(e completion.Evaluation) string {
				if m := side.of(e); m.MeanRank > 0 { // else nothing was ranked
					return exact(value(m))
				}
				return ""
			})
		}
		metric("mrr", func(m completion.Metrics) float64 { return m.MRR })
		metric("hits1", func(m completion.Metrics) float64 { return m.Hits1 })
		metric("hits3", func(m completion.Metrics) float64 { return m.Hits3 })
		metric("hits10", func(m completion.Metrics) float64 { return m.Hits10 })
		metric("mean_rank", func(m completion.Metrics) float64 { return m.MeanRank })
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
func features(t task.Trial) string {
	var digits strings.Builder
	for _, bit := range t.Structure.SRF() {
		digits.WriteByte('0' + bit)
	}
	return digits.String()
}
