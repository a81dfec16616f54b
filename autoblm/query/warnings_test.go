package query

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestLeakedAnswers checks the count of queries with hard answers that follow from train.
func TestLeakedAnswers(t *testing.T) {
	triple := func(head, tail int32) datasets.Triple { return datasets.Triple{Head: head, Tail: tail} }
	d := FromGraph(&datasets.Graph{
		Name: "g", Entities: []string{"a", "b", "c"}, Relations: []string{"r"},
		Train: []datasets.Triple{triple(0, 1), triple(1, 2), triple(2, 2)},
		Valid: []datasets.Triple{triple(2, 0)}, Test: []datasets.Triple{triple(0, 2)},
	})
	d.setQueries(InTest, 2, []Query{
		{Anchor: 0, Relations: []int32{0, 0}, Hard: []int32{1, 2}},
		{Anchor: 2, Relations: []int32{0, 0}, Hard: []int32{0, 1}}, // by a fact of valid
	})
	const want = "1 of 2 test queries have hard answers that follow from train, such as (a, r ∘ r, c)"
	got := d.Warnings(t.Context(), []int{2}, InTest)
	if !slices.ContainsFunc(got, func(w string) bool { return strings.HasPrefix(w, want) }) {
		t.Errorf("%q has not %q", got, want)
	}
}

// TestLeakedAnswersOfASample checks that only a sample of many queries is looked at, and none once
// the context has ended.
func TestLeakedAnswersOfASample(t *testing.T) {
	d := FromGraph(&datasets.Graph{
		Name: "g", Entities: []string{"a", "b"}, Relations: []string{"r"},
		Train: []datasets.Triple{{Head: 0, Tail: 1}, {Head: 1, Tail: 0}},
	})
	many := slices.Repeat([]Query{
		{Anchor: 0, Relations: []int32{0, 0}, Hard: []int32{0}},
	}, maxFollowed+1)
	d.setQueries(InTest, 2, many)
	const want = "2,000 of 2,000 sampled test queries have hard answers that follow from train"
	warns := func(ctx context.Context) bool {
		return slices.ContainsFunc(d.Warnings(ctx, []int{2}, InTest), func(w string) bool {
			return strings.HasPrefix(w, want)
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if !warns(t.Context()) || warns(ended) {
		t.Errorf("%q; once the context has ended, %q", d.Warnings(t.Context(), []int{2}, InTest),
			d.Warnings(ended, []int{2}, InTest))
	}
}

// TestFirstOf checks that an answer is found if and only if it is an end point of the path.
func TestFirstOf(t *testing.T) {
	d := FromGraph(datasets.World())
	g, walker := d.graphs[InTrain], newWalker(len(d.Entities))
	for anchor := range int32(len(d.Entities)) {
		for _, path := range [][]int32{{0}, {1, 0}, {0, 3}, {2, 1, 0}} {
			ends := slices.Clone(walker.endPoints(g, anchor, path))
			for answer := range int32(len(d.Entities)) {
				_, isEnd := slices.BinarySearch(ends, answer)
				want := -1
				if isEnd {
					want = 1
				}
				if got := walker.firstOf([]int32{-1, answer}, g, anchor, path); got != want {
					t.Fatalf("path %v from %d to %d: %d, want %d", path, anchor, answer, got, want)
				}
			}
		}
	}
}

// TestWarnings checks the counts of queries that cannot be learned and of omitted triples.
func TestWarnings(t *testing.T) {
	files := small()
	d, err := ReadFolder(folder(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Warnings(t.Context(), []int{1}, InTrain); got != nil {
		t.Errorf("of train: %q", got)
	}
	g := &datasets.Graph{
		Name: "g", Entities: []string{"a", "b", "c", "d"}, Relations: []string{"r", "q"},
		Train: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}},
		Valid: []datasets.Triple{{Head: 0, Relation: 0, Tail: 2}, {Head: 0, Relation: 0, Tail: 3}},
		Test:  []datasets.Triple{{Head: 0, Relation: 1, Tail: 2}},
	}
	d = FromGraph(g)
	d.setQueries(InValid, 2, []Query{
		{Anchor: 0, Relations: []int32{0, 0}, Hard: []int32{1}},
		{Anchor: 3, Relations: []int32{0, 0}, Hard: []int32{1}},
		{Anchor: 0, Relations: []int32{0, 2}, Hard: []int32{1}},
		{Anchor: 0, Relations: []int32{1, 0}, Hard: []int32{3}},
		{Anchor: 0, Relations: []int32{1, 0}, Hard: []int32{1, 3}},
	})
	want := []string{
		"paths omit 1 of 2 valid triples: train lacks an entity or a relation of these",
		"paths omit 1 of 1 test triples",
		"3 of 5 valid queries cannot be learned, as train lacks their anchor, a relation or " +
			"all answers",
		"g has no test queries of 2 hops, so nothing measures a model",
	}
	if got := d.Warnings(t.Context(), []int{2}, InValid, InTest); !slices.EqualFunc(got, want, strings.Contains) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := d.Warnings(t.Context(), nil); len(got) != 2 {
		t.Errorf("of the graph alone: %q", got)
	}
}

// TestLeakageOfFolder checks that a folder of queries has the warnings of its graph, if splits are
// ranked.
func TestLeakageOfFolder(t *testing.T) {
	triple := func(head, tail int32) datasets.Triple { return datasets.Triple{Head: head, Tail: tail} }
	g := &datasets.Graph{
		Name: "g", Entities: []string{"a", "b", "c", "d", "e", "f", "g", "h"}, Relations: []string{"r"},
	}
	for i := range int32(7) {
		g.Train = append(g.Train, triple(i, i+1), triple(i+1, i))
	}
	g.Train, g.Valid, g.Test = g.Train[2:], g.Train[:1], nil
	g.Train = append(g.Train, triple(1, 0))
	g.Test = []datasets.Triple{g.Train[0]}
	g.Train = g.Train[1:]
	dir := t.TempDir() + "/g"
	if err := FromGraph(g).WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	d, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := g.Leakage("valid", "test")
	if got := d.leakage([]Split{InValid, InTest}); len(want) != 1 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := d.Warnings(t.Context(), nil, InTest); len(got) != 1 || !strings.Contains(got[0], "leakage: 100 % of test") {
		t.Errorf("%q", got)
	}
	if got := d.Warnings(t.Context(), nil); got != nil {
		t.Errorf("without splits: %q", got)
	}
}

// TestNoValidFacts checks that queries of a graph without valid facts can be trained, and that an
// error says which paths a graph lacks.
func TestNoValidFacts(t *testing.T) {
	dir := t.TempDir() + "/g"
	g := &datasets.Graph{
		Name: "g", Entities: []string{"a", "b", "c"}, Relations: []string{"r", "s"},
		Train: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 1, Tail: 2}},
	}
	if err := datasets.WriteFolder(g, dir); err != nil {
		t.Fatal(err)
	}
	d, err := Prepare(t.Context(), dir, nil, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := Paths{Hops: []int{2}, With: []int{1}}
	data, err := d.Training(p)
	if err != nil || data.Validate != nil {
		t.Errorf("validation: %v, %v", data.Validate != nil, err)
	}
	task := &Task{Data: d, Settings: TaskSettings{Paths: p}}
	if err := task.Check(); err != nil || task.CannotSelect() != "g has no valid queries of 2 hops" {
		t.Errorf("%q, %v", task.CannotSelect(), err)
	}
	for want, s := range map[string]Sample{
		"g has no train queries of 3 hops: found no path without turning back: use shorter paths":                           {Hops: 3},
		"g has no valid queries of 1 hop: found no path to an end point that only facts of valid reach: add facts to valid": {Hops: 1, Split: InValid},
	} {
		if _, err := d.Sample(t.Context(), s); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMisspelledReverse checks the suggestion for a misspelled suffix.
func TestMisspelledReverse(t *testing.T) {
	m := &kge.Model{RelationLabels: []string{"uses", "causes"}}
	for _, name := range []string{"causes_revers", "causes_inverse", "causes_reversed"} {
		if _, err := RelationID(m, name); err == nil ||
			!strings.Contains(err.Error(), "; did you mean causes_reverse? (") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := RelationID(m, "causes_x"); err == nil || !strings.Contains(err.Error(), "did you mean uses, causes?") {
		t.Error(err)
	}
}
