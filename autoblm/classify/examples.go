package classify

import (
	"cmp"
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// maxExamples is the number of example nodes.
const maxExamples = 8

// Examples classifies a few test nodes.
func (t *Task) Examples(a task.Artifact) (task.Examples, error) {
	e := task.Examples{Note: "the most probable class first; ✓ is the class of the node"}
	m, err := modelOf(a)
	if m == nil || err != nil || len(t.Graph.Test) == 0 {
		return task.Examples{}, err
	}
	shown := min(maxExamples, len(t.Graph.Test))
	network, logits, err := m.classify(context.Background(), t.Engine, t.Graph, t.Graph.Test)
	if err != nil {
		return task.Examples{}, err
	}
	for i := range shown {
		at := i * len(t.Graph.Test) / shown // evenly spaced
		node := t.Graph.Test[at]
		scores := logits[at*network.Classes:][:network.Classes]
		classes := slices.Clone(t.Graph.Classes)
		slices.SortStableFunc(classes, func(a, b string) int {
			return cmp.Compare(scores[slices.Index(t.Graph.Classes, b)],
				scores[slices.Index(t.Graph.Classes, a)])
		})
		isCorrect := func(class string) bool { return class == t.Graph.Classes[node.Class] }
		e.Queries = append(e.Queries,
			task.NewExample(t.Graph.Nodes[node.Node], classes, isCorrect))
	}
	return e, nil
}

// modelOf returns the model of an artifact; nil for none.
func modelOf(a task.Artifact) (*Model, error) {
	switch a := a.(type) {
	case nil:
		return nil, nil
	case *Model:
		return a, nil
	}
	files, err := a.Files()
	if err != nil {
		return nil, err
	}
	return loadFiles(files)
}
