package query_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func mustPredict(
	t *testing.T, m *kge.Model, p query.Path, d *query.Data, top int, known eval.KnownAnswers,
) []eval.Answer {
	t.Helper()
	answers, err := query.Predict(t.Context(), cpu.New(1), m, p, d,
		completion.PredictOptions{Top: top, Known: known, AnyKind: true})
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// byHand returns a model of two coordinates with the relations r and s.
func byHand(f form.Form, a structure.Structure, reciprocal bool, relations ...float32) *kge.Model {
	m := &kge.Model{EntityLabels: []string{"a", "b", "c"}, RelationLabels: []string{"r", "s"}}
	m.Form = f
	m.Structure, m.Dim, m.Reciprocal = a, 2, reciprocal
	// a = (1, 2), b = (3, 0), c = (-1, 1)
	m.Entities, m.Relations = []float32{1, 2, 3, 0, -1, 1}, relations
	return m
}

// TestPredictByHand compares the answers of each form with scores computed by hand.
func TestPredictByHand(t *testing.T) {
	crossed := structure.MustParse("0,1;-2,0") // h1 r1 t2 - h2 r2 t1
	for name, c := range map[string]struct {
		model *kge.Model
		path  string // from a
		want  map[string]float64
	}{
		// r = (1, 0) and s = (0, 2) take (1, 2) to (2, 2), (2, 4) and back to (1, 4).
		"transe": {byHand(form.TransE, structure.Structure{}, false, 1, 0, 0, 2),
			"r s r_reverse", map[string]float64{"a": -2, "b": -6, "c": -5}},
		"transe one hop": {byHand(form.TransE, structure.Structure{}, false, 1, 0, 0, 2), "s_reverse",
			map[string]float64{"a": -2, "b": -2, "c": -3}},
		"transe reverses": {byHand(form.TransE, structure.Structure{}, true, 1, 0, 0, 2, 7, 7, -3, -3),
			"r s_reverse", map[string]float64{"a": -5, "b": -5, "c": -2}},
		// (1, 2) times (2, 1) is (2, 2), and that times (1, 3) is (2, 6).
		"diag": {byHand(form.Diag, structure.MustParse("1"), false, 2, 1, 1, 3), "r s",
			map[string]float64{"a": 14, "b": 6, "c": 4}},
		// (x, y) goes to (-y r2, x r1): (1, 2) by r = (2, 1) to (-2, 2), and by s = (1, 3) to (-6, -2).
		"bilinear": {byHand(form.Bilinear, crossed, false, 2, 1, 1, 3), "r s",
			map[string]float64{"a": -10, "b": -18, "c": 4}},
		// Backwards (x, y) goes to (y r1, -x r2): (-2, 2) by s to (2, 6).
		"bilinear transposed": {byHand(form.Bilinear, crossed, false, 2, 1, 1, 3), "r s_reverse",
			map[string]float64{"a": 14, "b": 6, "c": 4}},
		// (1, 2) times the matrix (1, 2; 0, 1) of r is (1, 4), and times (0, 1; 1, 0) of s is (4, 1).
		"gqe": {byHand(form.GQE, structure.Structure{}, false, 1, 2, 0, 1, 0, 1, 1, 0), "r s",
			map[string]float64{"a": 6, "b": 12, "c": -3}},
		"gqe transposed": {byHand(form.GQE, structure.Structure{}, false, 1, 2, 0, 1, 0, 1, 1, 0),
			"r_reverse", map[string]float64{"a": 9, "b": 15, "c": -3}},
		// The centre goes to (2, 2) and the half sides grow by (1, 0) and (0, 1), so c is 2 outside;
		// what is inside the box counts a fiftieth.
		"q2b": {byHand(form.Query2box, structure.Structure{}, false, 1, 0, 1, 0, 0, 0, -1, 1), "r s",
			map[string]float64{"a": -0.02, "b": -1.04, "c": -2.04}},
	} {
		answers := mustPredict(t, c.model, query.Path{Anchor: "a", Relations: strings.Fields(c.path)},
			nil, 0, eval.MarkKnown)
		if len(answers) != len(c.want) {
			t.Errorf("%s: %d answers", name, len(answers))
		}
		for i, a := range answers {
			if a.Rank != i+1 || a.Known != eval.NotLookedUp || math.Abs(a.Score-c.want[a.Entity]) > 1e-5 {
				t.Errorf("%s: answer %d is %+v, want the score %v", name, i, a, c.want[a.Entity])
			}
			if i > 0 && a.Score > answers[i-1].Score {
				t.Errorf("%s: %+v comes after %+v", name, a, answers[i-1])
			}
		}
	}
}

func TestPredictKeepsTheTop(t *testing.T) {
	m := byHand(form.TransE, structure.Structure{}, false, 1, 0, 0, 2)
	p := query.Path{Anchor: "a", Relations: []string{"s_reverse"}} // a and b score the same
	all := mustPredict(t, m, p, nil, 0, eval.MarkKnown)
	for top, want := range map[int]int{-1: 3, 0: 3, 1: 1, 2: 2, 3: 3, 9: 3} {
		if got := mustPredict(t, m, p, nil, top, eval.MarkKnown); !reflect.DeepEqual(got, all[:want]) {
			t.Errorf("the top %d are %+v of %+v", top, got, all)
		}
	}
	if all[0].Entity != "a" || all[1].Entity != "b" {
		t.Errorf("those that score the same are not in the order of the model: %+v", all)
	}
}

// TestPredictAgreesWithEvaluate checks that the rank of a hard answer is its position in the list
// without the answers before it, and that dropping known answers removes all.
func TestPredictAgreesWithEvaluate(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	for name := range enginetest.Members() {
		m := trained(t, d, name, name != "gqe")
		ranker := rankerOf(t, m)
		for hops := 1; hops <= 3; hops++ {
			queries := d.Queries(query.InTest, hops)
			queries = queries[:min(10, len(queries))]
			ranks := make([][]eval.Rank, len(queries))
			questions := make([]kge.Question, len(queries))
			for i, q := range queries {
				questions[i] = q.Question()
			}
			if err := ranker.Scores(t.Context(), 0, questions, func(i int, scores []float32) {
				ranks[i] = query.Rank(scores, queries[i])
			}); err != nil {
				t.Fatal(err)
			}
			for i, q := range queries {
				place := map[string]int{}
				dropped := mustPredict(t, m, named(m, q), d, 0, eval.DropKnown)
				all := mustPredict(t, m, named(m, q), d, 0, eval.MarkKnown)
				before := 0
				for _, a := range all {
					place[a.Entity] = a.Rank - before
					if a.Known == eval.Yes {
						before++
					}
				}
				if before != len(q.Hard)+len(q.Easy) || len(dropped) != len(all)-before {
					t.Errorf("%s, %d hops: %d answers are known and %d of %d are left; the query has %d", name,
						hops, before, len(dropped), len(all), len(q.Hard)+len(q.Easy))
				}
				for j, e := range q.Hard {
					rank := ranks[i][j]
					if got := int32(place[m.EntityLabels[e]]); got <= rank.Better ||
						got > 1+rank.Better+rank.Equal {
						t.Errorf("%s, %d hops: %s comes at %d, and its rank is %+v", name, hops, m.EntityLabels[e],
							got, rank)
					}
				}
			}
		}
	}
}

// named returns a query by labels.
func named(m *kge.Model, q query.Query) query.Path {
	p := query.Path{Anchor: m.EntityLabels[q.Anchor]}
	for _, r := range q.Relations {
		p.Relations = append(p.Relations, m.RelationLabels[r/2]+[]string{"", "_reverse"}[r%2])
	}
	return p
}

// TestPredictTriples checks that a model of completion answers a path of one hop like a triple.
func TestPredictTriples(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	for _, reciprocal := range []bool{false, true} {
		m, dir := trained(t, d, "complex", reciprocal), t.TempDir()
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
		triples, err := kge.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for relation, q := range map[string]completion.Query{
			"r1":         {Head: "e7", Relation: "r1"},
			"r1_reverse": {Tail: "e7", Relation: "r1"},
		} {
			want, err := completion.Single{Model: triples}.Predict(nil, q, completion.PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			scores := map[string]float64{}
			for _, a := range want {
				scores[a.Entity] = a.Score
			}
			answers := mustPredict(t, m, query.Path{Anchor: "e7", Relations: []string{relation}}, nil, 0,
				eval.KeepKnown)
			if len(answers) != len(want) {
				t.Errorf("reciprocal %v, %s: %d answers, and %d of the triple", reciprocal, relation,
					len(answers), len(want))
			}
			for _, a := range answers {
				if math.Abs(a.Score-scores[a.Entity]) > 1e-5 {
					t.Errorf("reciprocal %v, %s: %s has the score %v, and %v as a triple", reciprocal, relation,
						a.Entity, a.Score, scores[a.Entity])
				}
			}
		}
	}
}

// TestRelationID checks names of relations and of reverses, and that a name of both is an error.
func TestRelationID(t *testing.T) {
	m := &kge.Model{RelationLabels: []string{"is, in", "part_reverse", "part", "whole_reverse"}}
	_, err := query.RelationID(m, "part_reverse")
	if err == nil || !strings.Contains(err.Error(), `the reverse of its relation "part": rename one`) {
		t.Error(err)
	}
	for name, want := range map[string]int32{"is, in": 0, "is, in_reverse": 1, "part": 4,
		"whole_reverse": 6, "whole_reverse_reverse": 7, "part_reverse_reverse": 3} {
		if got, err := query.RelationID(m, name); err != nil || got != want {
			t.Errorf("%q is %d, want %d (%v)", name, got, want, err)
		}
	}
}

func TestPredictRefuses(t *testing.T) {
	m := byHand(form.Diag, structure.MustParse("1"), false, 2, 1, 1, 3)
	m.EntityLabels, m.RelationLabels = []string{"Germany", "East Germany", "Chad"},
		[]string{"borders", "has capital"}
	d := enginetest.Paths(t, 40, 3, 200)
	for name, c := range map[string]struct {
		path  query.Path
		data  *query.Data
		parts []string
		not   string
	}{
		"no path": {query.Path{Anchor: "Chad"}, nil,
			[]string{"no relations", "at least 1"}, ""},
		"unknown anchor": {query.Path{Anchor: "german", Relations: []string{"borders"}}, nil,
			[]string{`no entity "german"; did you mean Germany, East Germany?`}, "Chad"},
		"no anchor": {query.Path{Relations: []string{"borders"}}, nil,
			[]string{`no entity ""`}, "did you mean"},
		"unknown relation": {query.Path{Anchor: "Chad", Relations: []string{"borders", "capital"}},
			nil, []string{`no relation "capital"; did you mean has capital?`, "it has borders, has capital",
				"_reverse"}, ""},
		"unknown reverse": {query.Path{Anchor: "Chad", Relations: []string{"border_reverse"}}, nil,
			[]string{`no relation "border_reverse"; did you mean borders_reverse?`}, ""},
		"reverse of a reverse": {query.Path{Anchor: "Chad",
			Relations: []string{"borders_reverse_reverse"}}, nil,
			[]string{`no relation "borders_reverse_reverse"`}, ""},
		"nothing like it": {query.Path{Anchor: "Chad", Relations: []string{"likes"}}, nil,
			[]string{`no relation "likes" (it has`}, "did you mean"},
		"only the suffix": {query.Path{Anchor: "Chad", Relations: []string{"_reverse"}}, nil,
			[]string{`no relation "_reverse" (it has`}, "did you mean"},
		"data of other things": {query.Path{Anchor: "Chad", Relations: []string{"borders"}}, d,
			[]string{`no entity "e`, "which random mentions"}, ""},
		"beyond the floating point": {query.Path{Anchor: "Chad",
			Relations: slices.Repeat([]string{"has capital"}, 100)}, nil, []string{"100 hops", "overflow"},
			""},
	} {
		answers, err := query.Predict(t.Context(), cpu.New(1), m, c.path, c.data,
			completion.PredictOptions{Top: 3, Known: eval.MarkKnown})
		if err == nil || answers != nil || c.not != "" && strings.Contains(err.Error(), c.not) {
			t.Errorf("%s: %v with answers %v", name, err, answers)
			continue
		}
		for _, part := range c.parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", name, err, part)
			}
		}
	}
}

// TestCovered checks that an entity or a relation that the model lacks is named.
func TestCovered(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	m := &kge.Model{EntityLabels: slices.Clone(d.Entities), RelationLabels: slices.Clone(d.Relations)}
	if err := d.CheckCovered(m); err != nil {
		t.Error(err)
	}
	m.RelationLabels[1] = "nothing"
	if err := d.CheckCovered(m); err == nil ||
		!strings.Contains(err.Error(), `no relation "r1", which random mentions`) {
		t.Error(err)
	}
	m.EntityLabels[7] = "nobody"
	if err := d.CheckCovered(m); err == nil ||
		!strings.Contains(err.Error(), `no entity "e7", which random mentions`) {
		t.Error(err)
	}
}

// TestHopsOfModels checks the lengths of paths that a model was trained on.
func TestHopsOfModels(t *testing.T) {
	for _, c := range []struct {
		training     *kge.Training
		own, trained []int
	}{
		{nil, nil, nil},
		{&kge.Training{}, []int{1}, []int{1}}, // of completion
		{&kge.Training{TaskSettings: map[string]json.RawMessage{"hops": []byte("[2]"),
			"with": []byte("[3,1]"), "answer_power": []byte("0.5")}}, []int{2}, []int{1, 2, 3}},
	} {
		m := &kge.Model{Training: c.training}
		if own, trained := query.PathsOf(m).Hops, query.PathsOf(m).TrainingHops(); !slices.Equal(own,
			c.own) || !slices.Equal(trained, c.trained) {
			t.Errorf("%+v: %v and %v, want %v and %v", c.training, own, trained, c.own, c.trained)
		}
	}
}
