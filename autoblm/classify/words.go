package classify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// NewPresentation are those of accuracies.
func NewPresentation(s TaskSettings) task.Presentation {
	usual := TaskSettings{Defaults(BLM), DefaultMember()}
	usual.Member.Seed = 0
	return task.Presentation{
		Metric: "accuracy", Valid: "CV accuracy", Test: "test accuracy", ScoreField: "cv_accuracy", TestField: "test_accuracy",
		Validation: "cross-validated accuracy", OnValidation: "in cross-validation",
		ScoredBy:    "testing",
		HowMeasured: "Accuracy is the share of labelled nodes that are classified right. The cross-validated one is of the nodes to train with, each while it is held out; it decides, and also chooses the number of epochs, which flatters it. The test accuracy, where there is one, is the mean over models trained on all of these nodes, and is only reported.",
		Seed:        "initial parameters",
		HowToRead:   "A structure says which chunks of the tail (columns) and the relation (coloured blocks) multiply in a message, and to which chunks of the head (rows) it goes.",
		SamplingError: task.SamplingError{
			Valid: [2]string{"node held out", "nodes held out"}, Test: [2]string{"test node", "test nodes"}, ExtremesAreCommon: true,
		},
		Purpose: "classes of nodes",
		Fields: []task.Column{
			{Name: "objective", Value: func(t task.Trial) *float64 { return detailsOf(t).Objective }},
			{Name: "test_objective", Value: func(t task.Trial) *float64 { return detailsOf(t).TestObjective }},
		},
		Computes: "messages are", Formula: messageFormula,
		Training: fmt.Sprintf("d %d, %s, at most %s", s.Convolution.Dim, format.Count(s.Convolution.Layers, "layer"), format.Count(s.Convolution.Epochs, "epoch")),
		Settings: slices.DeleteFunc(settings.Of(s), func(each settings.Setting) bool {
			return each.Name == "convolution encoder" || each.Name == "convolution parts" // of which there is no choice
		}),
		Defaults: settings.Of(usual),
	}
}

// messageFormula returns what each chunk of a head receives from the chunks of a tail.
func messageFormula(s structure.Structure) string {
	chunks := make([]string, s.K())
	for i := range chunks {
		var sum strings.Builder
		for j := range s.K() {
			value := s.At(i, j)
			switch {
			case value == 0:
				continue
			case value < 0:
				sum.WriteString(" -\u00a0") // which keeps a sign and its product together
			default:
				sum.WriteString(" +\u00a0")
			}
			fmt.Fprintf(&sum, "r%d∘t%d", max(value, -value), j+1)
		}
		text := strings.TrimPrefix(sum.String(), " +\u00a0")
		if rest, negative := strings.CutPrefix(text, " -\u00a0"); negative {
			text = "-" + rest
		}
		chunks[i] = fmt.Sprintf("h%d\u00a0←\u00a0%s", i+1, cmp.Or(text, "0"))
	}
	return strings.Join(chunks, "; ")
}

// Presentation implements [task.Task], and knows how many nodes there are.
func (t *Task) Presentation() task.Presentation {
	w := NewPresentation(t.Settings)
	w.SamplingError.Count = func(json.RawMessage) (valid, test int) { return len(t.Graph.Train), len(t.Graph.Test) }
	return w
}

// Measure returns the sizes of the graph.
func (t *Task) Measure(_ context.Context, b task.Best) (*task.Measures, error) {
	return &task.Measures{Data: describe(t.Graph, b.Dataset)}, nil
}

// describe tells of a graph by the name that it was given.
func describe(g *rdf.Graph, name string) []page.Part {
	type split struct {
		name  string
		nodes int
	}
	return []page.Part{{
		Text: fmt.Sprintf("The graph %s has %s, %s, %s and, of the nodes that have one, %s.", name,
			format.Count(len(g.Nodes), "node"), format.Count(len(g.Relations), "relation"), format.Count(len(g.Triples), "triple"), format.Count(len(g.Classes), "class")),
		Table: page.NewTable("The nodes that have a class", []split{{"train", len(g.Train)}, {"test", len(g.Test)}}, // those to train with are held out in turn
			page.Text("split", func(s split) any { return s.name }),
			page.Number("nodes", func(s split) any { return s.nodes })),
	}}
}
