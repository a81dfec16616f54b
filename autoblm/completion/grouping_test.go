package completion

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// TestGroupedAnswers checks that an epoch has each triple once in each direction, in as many
// batches as without grouping, and that the answers of a question are in at most as many batches as
// groups.
func TestGroupedAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entity := rapid.Int32Range(0, 5)
		triple := rapid.Custom(func(t *rapid.T) datasets.Triple {
			return datasets.Triple{Head: entity.Draw(t, "head"),
				Relation: rapid.Int32Range(0, 1).Draw(t, "relation"), Tail: entity.Draw(t, "tail")}
		})
		g := &datasets.Graph{Train: rapid.SliceOfN(triple, 1, 40).Draw(t, "triples")}
		s := kge.DefaultSettings()
		s.Batch, s.AnswersPerQuery = rapid.IntRange(1, 50).Draw(t, "batch"),
			rapid.IntRange(1, 9).Draw(t, "together")
		batches := Data(g).Batches(s, 3).All()
		alone := s
		alone.AnswersPerQuery = 0
		if got, want := len(batches), len(Data(g).Batches(alone, 3).All()); got != want {
			t.Fatalf("%d batches, want %d", got, want)
		}
		type question struct{ anchor, relation int32 }
		times, seen, of := map[datasets.Triple]int{}, map[question]int{}, map[question]int{}
		for i, batch := range batches {
			if i+1 < len(batches) && len(batch) != 2*s.Batch {
				t.Fatalf("batch %d has %d answers, want %d", i, len(batch), 2*s.Batch)
			}
			asked := map[question]bool{}
			for n, x := range batch {
				q := question{x.Anchor, x.Path[0]}
				if before := n > 0 && (question{batch[n-1].Anchor,
					batch[n-1].Path[0]}) == q; asked[q] != before {
					t.Fatalf("batch %d asks %v again at %d, not beside", i, q, n)
				}
				if len(x.Path) != 1 || !slices.Equal(x.Targets, []int32{x.Target}) || x.Weight != 1 ||
					x.BackWeight != 0 {
					t.Fatalf("%+v is no triple one way", x)
				}
				asked[q] = true
				of[q]++
				back := datasets.Triple{Head: x.Anchor, Relation: x.Path[0], Tail: x.Target}
				times[back]++
			}
			for q := range asked {
				seen[q]++
			}
		}
		want := map[datasets.Triple]int{}
		for _, x := range g.Train {
			want[datasets.Triple{Head: x.Head, Relation: 2 * x.Relation, Tail: x.Tail}]++
			want[datasets.Triple{Head: x.Tail, Relation: 2*x.Relation + 1, Tail: x.Head}]++
		}
		for x, n := range want {
			if times[x] != n {
				t.Fatalf("%+v is learnt %d times, want %d", x, times[x], n)
			}
		}
		if len(times) != len(want) {
			t.Fatalf("%d answers, want %d", len(times), len(want))
		}
		for q, n := range of {
			lots := (n + s.AnswersPerQuery - 1) / s.AnswersPerQuery
			cut := 1 + (min(n, s.AnswersPerQuery)-1)/(2*s.Batch) // of a lot by the ends of batches
			if seen[q] > lots*(1+cut) {
				t.Fatalf("%v with %d answers is in %d batches, of %d lots", q, n, seen[q], lots)
			}
		}
	})
}

// TestGroupsAreRandom checks that groups are drawn anew in each epoch and depend on the seed.
func TestGroupsAreRandom(t *testing.T) {
	g := &datasets.Graph{}
	for tail := range int32(20) {
		g.Train = append(g.Train, datasets.Triple{Tail: tail})
	}
	s := kge.DefaultSettings()
	s.Batch, s.AnswersPerQuery, s.MaxSteps = 4, 4, 3
	first := func(seed uint64, epoch int) (targets []int32) {
		s.DataSeed = seed
		batches := Data(g).Batches(s, epoch).All()
		if len(batches) != 3 {
			t.Fatalf("%d batches, want the 3 steps", len(batches))
		}
		for _, x := range slices.Concat(batches...) {
			if x.Path[0] == 0 {
				targets = append(targets, x.Target)
			}
		}
		return targets
	}
	if again := first(1, 1); !slices.Equal(first(1, 1), again) {
		t.Error("one seed and epoch give different batches")
	}
	if slices.Equal(first(1, 1), first(1, 2)) || slices.Equal(first(1, 1), first(2, 1)) {
		t.Error("other epochs or seeds give the same batches")
	}
}
