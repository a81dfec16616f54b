package completion_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestPopularityEnds checks that the ranking ends with its context.
func TestPopularityEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := datasets.World()
	if _, err := completion.Popularity(ctx, g, g.Test); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestPopularity compares the ranks with a count over all entities.
func TestPopularity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const entities, relations = 6, 2
		triple := rapid.Custom(func(t *rapid.T) datasets.Triple {
			return datasets.Triple{
				Head:     rapid.Int32Range(0, entities-1).Draw(t, "head"),
				Relation: rapid.Int32Range(0, relations-1).Draw(t, "relation"),
				Tail:     rapid.Int32Range(0, entities-1).Draw(t, "tail"),
			}
		})
		g := &datasets.Graph{
			Entities: make([]string, entities), Relations: make([]string, relations),
			Train: rapid.SliceOfN(triple, 1, 20).Draw(t, "train"),
			Test:  rapid.SliceOfN(triple, 1, 5).Draw(t, "test"),
		}
		all := slices.Concat(g.Train, g.Test)
		rank := func(x datasets.Triple, field func(*datasets.Triple) *int32) (r eval.Rank) {
			count := func(answer int32) (n int) {
				for _, u := range g.Train {
					if u.Relation == x.Relation && *field(&u) == answer {
						n++
					}
				}
				return n
			}
			for e := range int32(entities) {
				other := x
				*field(&other) = e
				switch {
				case other != x && slices.Contains(all, other), other == x:
				case count(e) > count(*field(&x)):
					r.Better++
				case count(e) == count(*field(&x)):
					r.Equal++
				}
			}
			return r
		}
		ranks, err := completion.Popularity(t.Context(), g, g.Test)
		require.NoError(t, err)
		for i, got := range ranks {
			want := eval.Ranked{
				Tail: rank(g.Test[i], func(t *datasets.Triple) *int32 { return &t.Tail }),
				Head: rank(g.Test[i], func(t *datasets.Triple) *int32 { return &t.Head }),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%v: %s", g.Test[i], diff)
			}
		}
	})
}

// TestByDegree checks bands on a star: entity 0 is the tail of 12 training triples.
func TestByDegree(t *testing.T) {
	g := &datasets.Graph{Entities: make([]string, 20), Relations: []string{"r"}}
	for i := range int32(12) {
		g.Train = append(g.Train, datasets.Triple{Head: i + 1, Tail: 0})
	}
	test := []datasets.Triple{{Head: 0, Tail: 1}, {Head: 2, Tail: 0}, {Head: 3, Tail: 4}}
	ranks := []eval.Ranked{
		{Tail: eval.Rank{Better: 1}}, {Tail: eval.Rank{Better: 3}, Head: eval.Rank{Better: 4}}, {},
	}
	metrics := func(rank, weight float64) (m eval.Metrics) {
		m.Add(rank, weight)
		return m
	}
	want := []completion.DegreePart{
		{
			Degree: "0", TailQueries: 2, HeadQueries: 2,
			Tail: metrics(4, .5).Plus(metrics(1, .5)), Head: metrics(1, 1),
		},
		{
			Degree: "10–99", TailQueries: 1, HeadQueries: 1,
			Tail: metrics(2, 1), Head: metrics(5, 1),
		},
	}
	got := completion.ByDegree(g, test, ranks, eval.Pessimistic)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
