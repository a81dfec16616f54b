package completion_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

func entities(answers []eval.Answer) []string {
	var labels []string
	for _, a := range answers {
		labels = append(labels, a.Entity)
	}
	return labels
}

// TestQueryKeepsSigns: labels are written as those of answers, without escapes for HTML.
func TestQueryKeepsSigns(t *testing.T) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(completion.Query{Head: "R&D", Relation: "<x>"}); err != nil {
		t.Fatal(err)
	}
	if want := `{"head":"R&D","relation":"<x>","tail":null}` + "\n"; text.String() != want {
		t.Errorf("%s, want %s", text.String(), want)
	}
}

func mustPredict(
	t testing.TB, m *kge.Model, q completion.Query, g *datasets.Graph, top int,
	known eval.KnownAnswers,
) []eval.Answer {
	t.Helper()
	options := completion.PredictOptions{Known: known, Top: top, AnyKind: true}
	answers, err := completion.Single{Model: m}.Predict(g, q, options)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// oracleCase is a batch scored in float64 by another program.
type oracleCase struct {
	K          int
	D          int
	A          []int
	Entities   [][]float32
	Relations  [][]float32
	Triples    [][3]int32
	TailScores [][]float64 `json:"tail_scores"` // [triples][entities]
	HeadScores [][]float64 `json:"head_scores"`
}

func (c oracleCase) model(t *testing.T) *kge.Model {
	t.Helper()
	s, err := structure.New(slices.Collect(slices.Chunk(c.A, c.K)))
	if err != nil {
		t.Fatal(err)
	}
	m := &kge.Model{Parameters: kge.Parameters{Structure: s, Dim: c.D,
		Tables: kge.Tables{Entities: slices.Concat(c.Entities...),
			Relations: slices.Concat(c.Relations...)}}}
	for i := range c.Entities {
		m.EntityLabels = append(m.EntityLabels, fmt.Sprint("e", i))
	}
	for i := range c.Relations {
		m.RelationLabels = append(m.RelationLabels, fmt.Sprint("r", i))
	}
	return m
}

func TestScoresOfTheOracle(t *testing.T) {
	for n, c := range realdata.Oracle[oracleCase](t, "steps.json") {
		m := c.model(t)
		for i, o := range c.Triples {
			check := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-5*math.Max(1, math.Abs(want)) { // float32, printed digits
					t.Errorf("case %d, %v, %s: score %v, the oracle has %v", n, o, what, got, want)
				}
			}
			for e := range int32(len(c.Entities)) {
				check("tail", completion.TailScores(m, o[0], o[1])(e), c.TailScores[i][e])
				check("head", completion.HeadScores(m, o[1], o[2])(e), c.HeadScores[i][e])
				check("head, by the tail", completion.TailScores(m, e, o[1])(o[2]), c.HeadScores[i][e])
			}
			head, relation, tail := m.EntityLabels[o[0]], m.RelationLabels[o[1]], m.EntityLabels[o[2]]
			for q, scores := range map[completion.Query][]float64{
				{Head: head, Relation: relation}: c.TailScores[i],
				{Relation: relation, Tail: tail}: c.HeadScores[i],
			} {
				for _, a := range mustPredict(t, m, q, nil, 0, eval.KeepKnown) {
					check(a.Entity, a.Score, scores[slices.Index(m.EntityLabels, a.Entity)])
				}
			}
		}
	}
}

func TestPredictRanksByScore(t *testing.T) {
	m := enginetest.SmallModel()
	for _, q := range []completion.Query{{Head: "e2", Relation: "knows"},
		{Tail: "e5", Relation: "likes"}} {
		answers := mustPredict(t, m, q, nil, 0, eval.MarkKnown)
		got := slices.Sorted(slices.Values(entities(answers)))
		if !slices.Equal(got, m.EntityLabels) {
			t.Errorf("%+v: answers %v, want every entity once", q, got)
		}
		for i, a := range answers {
			if a.Rank != i+1 || i > 0 && a.Score > answers[i-1].Score || a.Known != eval.NotLookedUp {
				t.Errorf("%+v: answer %d is %+v after %+v", q, i, a, answers[max(i-1, 0)])
			}
			relation := int32(slices.Index(m.RelationLabels, q.Relation))
			head, tail := int32(slices.Index(m.EntityLabels, a.Entity)), int32(5)
			if q.Tail == "" {
				head, tail = 2, head
			}
			if want := completion.TailScores(m, head, relation)(tail); a.Score != want {
				t.Errorf("%+v: %q has score %v, the model gives %v", q, a.Entity, a.Score, want)
			}
		}
	}
}

func TestPredictKnownAnswers(t *testing.T) {
	m, g := enginetest.SmallModel(), enginetest.SmallGraph()
	for _, test := range []struct {
		query completion.Query
		known []string // from all three splits
	}{
		{completion.Query{Head: "e0", Relation: "knows"}, []string{"e1", "e2", "e3", "e4", "e5"}},
		{completion.Query{Relation: "knows", Tail: "e3"}, []string{"e0", "e1", "e2"}},
		{completion.Query{Relation: "likes", Tail: "e3"}, []string{"e6"}},
		{completion.Query{Head: "e2", Relation: "likes"}, []string{"e5"}},
		{completion.Query{Head: "e4", Relation: "likes"}, nil},
	} {
		plain := mustPredict(t, m, test.query, nil, 0, eval.MarkKnown)
		if kept := mustPredict(t, m, test.query, g, 0, eval.KeepKnown); !equalAnswers(kept, plain) {
			t.Errorf("%+v: kept %+v, want all, unmarked: %+v", test.query, kept, plain)
		}
		marked := mustPredict(t, m, test.query, g, 0, eval.MarkKnown)
		if !slices.Equal(entities(marked), entities(plain)) {
			t.Errorf("%+v: marked %v, want the order %v", test.query, entities(marked), entities(plain))
		}
		for _, a := range marked {
			if want := map[bool]eval.Known{true: eval.Yes,
				false: eval.No}[slices.Contains(test.known, a.Entity)]; a.Known != want {
				t.Errorf("%+v: %q is marked wrongly: %v", test.query, a.Entity, a.Known)
			}
		}
		unknown := slices.DeleteFunc(entities(plain), func(e string) bool {
			return slices.Contains(test.known, e)
		})
		dropped := mustPredict(t, m, test.query, g, 0, eval.DropKnown)
		if !slices.Equal(entities(dropped), unknown) {
			t.Errorf("%+v: dropping leaves %v, want %v", test.query, entities(dropped), unknown)
		}
		for i, a := range dropped {
			if a.Rank != i+1 || a.Known != eval.No {
				t.Errorf("%+v: answer %d is %+v", test.query, i, a)
			}
		}
		if all := mustPredict(t, m, test.query, nil, 0, eval.DropKnown); !equalAnswers(all, plain) {
			t.Errorf("%+v: without a graph nothing is known, yet %v are left", test.query, entities(all))
		}
	}
}

func TestPredictTop(t *testing.T) {
	m, g := enginetest.SmallModel(), enginetest.SmallGraph()
	rapid.Check(t, func(t *rapid.T) {
		q := completion.Query{Relation: rapid.SampledFrom(m.RelationLabels).Draw(t, "relation")}
		given := rapid.SampledFrom(m.EntityLabels).Draw(t, "given")
		if rapid.Bool().Draw(t, "tails") {
			q.Head = given
		} else {
			q.Tail = given
		}
		known := rapid.SampledFrom([]eval.KnownAnswers{eval.MarkKnown, eval.DropKnown,
			eval.KeepKnown}).Draw(t, "known")
		top := rapid.IntRange(-1, 9).Draw(t, "top")
		all, err := completion.Single{Model: m}.Predict(g, q,
			completion.PredictOptions{Known: known, AnyKind: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := completion.Single{Model: m}.Predict(g, q,
			completion.PredictOptions{Known: known, Top: top, AnyKind: true})
		if top < 1 || top > len(all) {
			top = len(all)
		}
		if err != nil || !equalAnswers(got, all[:top]) {
			t.Fatalf("top %d: %+v (%v), want the first of %+v", top, got, err, all)
		}
	})
}

func TestPredictGoesByLabel(t *testing.T) {
	m, g := enginetest.SmallModel(), enginetest.SmallGraph()
	q := completion.Query{Head: "e0", Relation: "knows"}
	want := mustPredict(t, m, q, g, 0, eval.MarkKnown)
	other := renumbered(g, []int{6, 5, 4, 3, 2, 1, 0}, []int{1, 0})
	if got := mustPredict(t, m, q, other, 0, eval.MarkKnown); !equalAnswers(got, want) {
		t.Errorf("with other ids in the graph: %+v, want %+v", got, want)
	}
	// A label that the model lacks does not concern the other entities.
	other.Entities = append(other.Entities, "Atlantis")
	other.Train = append(other.Train, datasets.Triple{Head: 7, Relation: 0, Tail: 1})
	if got := mustPredict(t, m, q, other, 0, eval.MarkKnown); !equalAnswers(got, want) {
		t.Errorf("with a new entity in the graph: %+v, want %+v", got, want)
	}
}

func TestPredictTiesKeepTheOrderOfTheModel(t *testing.T) {
	m := enginetest.SmallModel()
	clear(m.Relations) // all scores are 0
	q := completion.Query{Head: "e3", Relation: "likes"}
	got := entities(mustPredict(t, m, q, nil, 0, eval.MarkKnown))
	if !slices.Equal(got, m.EntityLabels) {
		t.Errorf("%v, want %v", got, m.EntityLabels)
	}
}

func TestPredictRefuses(t *testing.T) {
	m := enginetest.SmallModel()
	m.EntityLabels = []string{"Germany", "East Germany", "Niger", "Nigeria", "Oman", "Romania", "Chad"}
	m.RelationLabels = []string{"borders", "has capital"}
	type query = completion.Query
	for name, c := range map[string]struct {
		query
		want string // parts of the error, with … between them
		not  string
	}{
		"neither end": {query{Relation: "borders"}, "two of head, relation and tail", ""},
		"nothing":     {query{}, "two of head, relation and tail", ""},
		"no relation": {query{Head: "Chad"}, "two of head, relation and tail", ""},
		"second entity": {query{Head: "Chad", Relation: "borders", Tail: "niger"},
			`no entity "niger"…did you mean Niger`, ""},
		"unknown relation": {query{Head: "Chad", Relation: "capital"},
			`no relation "capital"…did you mean has capital? It has borders, has capital`, ""},
		"another relation": {query{Head: "Chad", Relation: "likes"},
			`no relation "likes"…it has borders, has capital`, "did you mean"},
		"unknown head": {query{Head: "german", Relation: "borders"},
			`no entity "german"…did you mean Germany, East Germany?`, "Chad"},
		"unknown tail": {query{Tail: "Nigeria (country)", Relation: "borders"},
			`no entity "Nigeria (country)"…did you mean Niger, Nigeria?`, "Oman"},
		"nothing like it": {query{Tail: "Xanadu", Relation: "borders"},
			`no entity "Xanadu"`, "did you mean"},
		"only a part of the word": {query{Tail: "omania", Relation: "borders"}, "Romania", "Chad"},
	} {
		t.Run(name, func(t *testing.T) {
			answers, err := completion.Single{Model: m}.Predict(nil, c.query,
				completion.PredictOptions{Known: eval.MarkKnown, Top: 3})
			checkError(t, err, strings.Split(c.want, "…")...)
			if answers != nil || c.not != "" && strings.Contains(err.Error(), c.not) {
				t.Errorf("error %q with answers %v", err, answers)
			}
		})
	}
}

// TestIDsWithoutLabels checks that a graph with an id out of range is an error, whether or not it has
// the ids of the model.
func TestIDsWithoutLabels(t *testing.T) {
	m := enginetest.SmallModel()
	for _, reversed := range []bool{false, true} {
		g := enginetest.SmallGraph()
		if reversed {
			slices.Reverse(g.Entities)
		}
		g.Valid = append(g.Valid, datasets.Triple{Tail: int32(len(g.Entities))})
		q := completion.Query{Head: "e1", Relation: "knows"}
		_, err := completion.Single{Model: m}.Predict(g, q, completion.PredictOptions{})
		checkError(t, err, "has no label", "use ids from 0 to")
		_, err = completion.Align(m, g)
		checkError(t, err, "has no label")
		_, _, err = completion.AlignKnown(m, g)
		checkError(t, err, "has no label")
		_, _, err = completion.Single{Model: m}.Rank(t.Context(), newEngine(t), kge.Float32, g, "valid", 0)
		checkError(t, err, "has no label")
	}
}

func TestQueryJSON(t *testing.T) {
	for query, want := range map[completion.Query]string{
		{Head: "e1", Relation: "knows"}: `{"head":"e1","relation":"knows","tail":null}`,
		{Relation: "knows", Tail: "e1"}: `{"head":null,"relation":"knows","tail":"e1"}`,
	} {
		if got, err := json.Marshal(query); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}
