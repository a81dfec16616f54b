package server

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestNewLabels serves a model with data that have an entity and a relation that the model lacks.
func TestNewLabels(t *testing.T) {
	g, m := world()
	changed := &datasets.Graph{
		Name:      g.Name,
		Entities:  append([]string{"Atlantis"}, g.Entities...),
		Relations: append(append([]string{}, g.Relations...), "sank_in"),
	}
	for _, x := range g.Train {
		changed.Train = append(changed.Train,
			datasets.Triple{Head: x.Head + 1, Relation: x.Relation, Tail: x.Tail + 1})
	}
	sankIn := int32(len(g.Relations))
	changed.Train = append(changed.Train, datasets.Triple{Head: 0, Relation: sankIn, Tail: 1})
	answerer, err := completion.NewAnswerer(completion.Single{Model: m}, changed, cpu.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer answerer.Close()
	served, err := NewModel([]*kge.Model{m}, answerer, changed)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(served.Graph.Train); got != len(g.Train) {
		t.Errorf("%d facts, not the %d with known labels", got, len(g.Train))
	}

	strange := &datasets.Graph{
		Entities: []string{"a"}, Relations: []string{"r"}, Train: []datasets.Triple{{}},
	}
	if _, err := NewModel([]*kge.Model{m}, nil, strange); err == nil ||
		!strings.Contains(err.Error(), "a") {
		t.Errorf("data without any known label: %v", err)
	}
}
