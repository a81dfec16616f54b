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
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// NewPresentation returns the presentation of accuracies.
func NewPresentation(s TaskSettings) task.Presentation {
	defaults := TaskSettings{Defaults(BLM), DefaultMember()}
	defaults.Member.Seed = 0
	return task.Presentation{
		Metric: "accuracy", Valid: "CV accuracy", Test: "test accuracy",
		ScoreField: "cv_accuracy", TestField: "test_accuracy",
		Validation: "cross-validated accuracy", OnValidation: "in cross-validation",
		ScoredBy: "testing",
		HowMeasured: "Accuracy is the share of labelled nodes that are classified correctly. The " +
			"cross-validated accuracy is measured on the training nodes while they are held out. It " +
			"selects the structure and the number of epochs, which makes it slightly too high. The " +
			"test accuracy, if any, is the mean over models trained on all training nodes; it is not " +
			"used for selection.",
		HowToRead: "A structure says which chunks of the tail (columns) and the relation (coloured " +
			"blocks) multiply in a message, and to which chunks of the head (rows) it goes.",
		SamplingError: task.SamplingError{
			Valid: [2]string{"node held out", "nodes held out"}, Test: [2]string{"test node", "test nodes"},
			ExtremesAreCommon: true,
		},
		Purpose:  "classes of nodes",
		Computes: "messages are", Formula: messageFormula,
		Training: fmt.Sprintf("d %d, %s, at most %s", s.Convolution.Dim,
			format.Count(s.Convolution.Layers, "layer"), format.Count(s.Convolution.Epochs, "epoch")),
		Settings: slices.DeleteFunc(settings.Of(s), func(each settings.Setting) bool {
			return each.Name == "convolution encoder" || each.Name == "convolution parts" // fixed
		}),
		Defaults: settings.Of(defaults),
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
				sum.WriteString(" -\u00a0") // no line break between a sign and its product
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

// Presentation implements [task.Task].
func (t *Task) Presentation() task.Presentation {
	p := NewPresentation(t.Settings)
	p.SamplingError.Count = func(json.RawMessage) (valid, test int) {
		return len(t.Graph.Train), len(t.Graph.Test)
	}
	return p
}

// Measure returns the sizes of the graph, and examples of the best model.
func (t *Task) Measure(_ context.Context, b task.Best) (*task.Measures, error) {
	examples, err := t.Examples(b.Artifact)
	if err != nil {
		return nil, err
	}
	g := t.Graph
	nodes := map[string]int{"train": len(g.Train), "test": len(g.Test)}
	return &task.Measures{Examples: examples, Data: []page.Part{{
		Text: fmt.Sprintf("The graph %s has %s, %s, %s and, of the labelled nodes, %s.", b.Dataset,
			format.Count(len(g.Nodes), "node"), format.Count(len(g.Relations), "relation"),
			format.Count(len(g.Triples), "triple"), format.Count(len(g.Classes), "class")),
		Table: page.NewTable("Labelled nodes", []string{"train", "test"},
			page.Text("split", func(split string) any { return split }),
			page.Number("nodes", func(split string) any { return nodes[split] })),
	}}}, nil
}
