package autoblm_test

import (
	"context"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestFoldIn trains without an entity and learns it later: its facts rank far better than by chance,
// and no other embedding changes by a bit.
func TestFoldIn(t *testing.T) {
	whole := must(autoblm.Load("world"))
	const later = "Portugal"
	id := int32(slices.Index(whole.Entities, later))
	without := &datasets.Graph{Name: "world"}
	without.Entities = slices.DeleteFunc(slices.Clone(whole.Entities), func(e string) bool { return e == later })
	without.Relations = whole.Relations
	var held []datasets.Triple
	move := func(e int32) int32 {
		if e > id {
			return e - 1
		}
		return e
	}
	for _, triple := range whole.Train {
		if triple.Head == id || triple.Tail == id {
			held = append(held, triple)
			continue
		}
		triple.Head, triple.Tail = move(triple.Head), move(triple.Tail)
		without.Train = append(without.Train, triple)
	}
	s := autoblm.DefaultTrain(without, structure.MustParse("complex"))
	s.Dim, s.Epochs, s.ValidateEvery, s.Patience = 32, 20, 0, 0
	m := must(autoblm.Train(context.Background(), without, s)).Models()[0]
	engine := cpu.New(0)
	defer engine.Close()
	folded := must(completion.FoldIn(context.Background(), engine, m, whole))
	if got := folded.EntityLabels; len(got) != len(m.EntityLabels)+1 || got[len(got)-1] != later {
		t.Fatalf("%d entities, the last is %s", len(got), got[len(got)-1])
	}
	if !slices.Equal(folded.Entities[:len(m.Entities)], m.Entities) ||
		!slices.Equal(folded.Relations, m.Relations) {
		t.Error("embeddings of the model changed")
	}
	p := must(autoblm.PredictorOf(folded))
	known := 0
	for _, triple := range held {
		if triple.Head != id {
			continue
		}
		q := autoblm.Query{Head: later, Relation: whole.Relations[triple.Relation]}
		for _, a := range must(p.Predict(nil, q, autoblm.PredictOptions{Top: 10, AnyKind: true})) {
			if a.Entity == whole.Entities[triple.Tail] {
				known++
			}
		}
	}
	if known < 3 { // of 844 entities, ten are 1 %
		t.Errorf("only %d of the facts of %s are among the first ten answers", known, later)
	}
	if again := must(completion.FoldIn(context.Background(), engine, folded, whole)); again != folded {
		t.Error("nothing was missing, but the model changed")
	}
}
