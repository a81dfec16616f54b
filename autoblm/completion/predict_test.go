package completion

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

func entities(answers []Answer) []string {
	var labels []string
	for _, a := range answers {
		labels = append(labels, a.Entity)
	}
	return labels
}

func mustPredict(t testing.TB, m *Model, q Query, g *datasets.Graph, top int, known KnownAnswers) []Answer {
	t.Helper()
	answers, err := m.Predict(q, g, top, known)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

func TestPredictRanksByScore(t *testing.T) {
	m := smallModel()
	for _, q := range []Query{{Head: "e2", Relation: "knows"}, {Tail: "e5", Relation: "likes"}} {
		answers := mustPredict(t, m, q, nil, 0, MarkKnown)
		if got, want := slices.Sorted(slices.Values(entities(answers))), m.EntityLabels; !slices.Equal(got, want) {
			t.Errorf("%+v: answers %v, want every entity once", q, got)
		}
		for i, a := range answers {
			if a.Rank != i+1 || i > 0 && a.Score > answers[i-1].Score || a.Known != NotLookedUp {
				t.Errorf("%+v: answer %d is %+v after %+v", q, i, a, answers[max(i-1, 0)])
			}
			candidate := datasets.Triple{Relation: int32(slices.Index(m.RelationLabels, q.Relation))}
			id := int32(slices.Index(m.EntityLabels, a.Entity))
			if q.Tail == "" {
				candidate.Head, candidate.Tail = 2, id
			} else {
				candidate.Head, candidate.Tail = id, 5
			}
			if a.Score != m.Score(candidate) {
				t.Errorf("%+v: %q has score %v, the model gives %v", q, a.Entity, a.Score, m.Score(candidate))
			}
		}
	}
}

func TestPredictAgreesWithTheOracle(t *testing.T) {
	for n, c := range realdata.Oracle[oracleCase](t, "steps.json") {
		m := c.model(t)
		for i, o := range c.Triples {
			head, relation, tail := m.EntityLabels[o[0]], m.RelationLabels[o[1]], m.EntityLabels[o[2]]
			for _, side := range []struct {
				query  Query
				scores []float64
			}{
				{Query{Head: head, Relation: relation}, c.TailScores[i]},
				{Query{Relation: relation, Tail: tail}, c.HeadScores[i]},
			} {
				for _, a := range mustPredict(t, m, side.query, nil, 0, KeepKnown) {
					if want := side.scores[slices.Index(m.EntityLabels, a.Entity)]; !nearOracle(a.Score, want) {
						t.Errorf("case %d, %+v: %q has %v, the oracle has %v", n, side.query, a.Entity, a.Score, want)
					}
				}
			}
		}
	}
}

func TestPredictKnownAnswers(t *testing.T) {
	m, g := smallModel(), smallGraph()
	for _, test := range []struct {
		query Query
		known []string // from all three splits
	}{
		{Query{Head: "e0", Relation: "knows"}, []string{"e1", "e2", "e3", "e4", "e5"}},
		{Query{Relation: "knows", Tail: "e3"}, []string{"e0", "e1", "e2"}},
		{Query{Relation: "likes", Tail: "e3"}, []string{"e6"}},
		{Query{Head: "e2", Relation: "likes"}, []string{"e5"}},
		{Query{Head: "e4", Relation: "likes"}, nil},
	} {
		plain := mustPredict(t, m, test.query, nil, 0, MarkKnown)
		if kept := mustPredict(t, m, test.query, g, 0, KeepKnown); !slices.Equal(kept, plain) {
			t.Errorf("%+v: kept %+v, want all, unmarked: %+v", test.query, kept, plain)
		}
		marked := mustPredict(t, m, test.query, g, 0, MarkKnown)
		if !slices.Equal(entities(marked), entities(plain)) {
			t.Errorf("%+v: marked %v, want the order %v", test.query, entities(marked), entities(plain))
		}
		for _, a := range marked {
			if want := map[bool]Known{true: Yes, false: No}[slices.Contains(test.known, a.Entity)]; a.Known != want {
				t.Errorf("%+v: %q is marked wrongly: %v", test.query, a.Entity, a.Known)
			}
		}
		unknown := slices.DeleteFunc(entities(plain), func(e string) bool { return slices.Contains(test.known, e) })
		dropped := mustPredict(t, m, test.query, g, 0, DropKnown)
		if !slices.Equal(entities(dropped), unknown) {
			t.Errorf("%+v: dropping leaves %v, want %v", test.query, entities(dropped), unknown)
		}
		for i, a := range dropped {
			if a.Rank != i+1 || a.Known != No {
				t.Errorf("%+v: answer %d is %+v", test.query, i, a)
			}
		}
		if all := mustPredict(t, m, test.query, nil, 0, DropKnown); !slices.Equal(all, plain) {
			t.Errorf("%+v: without a graph nothing is known, yet %v are left", test.query, entities(all))
		}
	}
}

func TestPredictTop(t *testing.T) {
	m, g := smallModel(), smallGraph()
	rapid.Check(t, func(t *rapid.T) {
		q := Query{Relation: rapid.SampledFrom(m.RelationLabels).Draw(t, "relation")}
		given := rapid.SampledFrom(m.EntityLabels).Draw(t, "given")
		if rapid.Bool().Draw(t, "tails") {
			q.Head = given
		} else {
			q.Tail = given
		}
		known := rapid.SampledFrom([]KnownAnswers{MarkKnown, DropKnown, KeepKnown}).Draw(t, "known")
		top := rapid.IntRange(-1, 9).Draw(t, "top")
		all, err := m.Predict(q, g, 0, known)
		if err != nil {
			t.Fatal(err)
		}
		want := all
		if top > 0 {
			want = all[:min(top, len(all))]
		}
		if got, err := m.Predict(q, g, top, known); err != nil || !slices.Equal(got, want) {
			t.Fatalf("top %d: %+v (%v), want the first of %+v", top, got, err, all)
		}
	})
}

func TestPredictGoesByLabel(t *testing.T) {
	m, g := smallModel(), smallGraph()
	q := Query{Head: "e0", Relation: "knows"}
	want := mustPredict(t, m, q, g, 0, MarkKnown)
	other := renumbered(g, []int{6, 5, 4, 3, 2, 1, 0}, []int{1, 0})
	if got := mustPredict(t, m, q, other, 0, MarkKnown); !slices.Equal(got, want) {
		t.Errorf("with other ids in the graph: %+v, want %+v", got, want)
	}
	other.Entities[0] = "Atlantis"
	_, err := m.Predict(q, other, 0, MarkKnown)
	checkError(t, err, `no entity "Atlantis"`)
}

func TestPredictTiesKeepTheOrderOfTheModel(t *testing.T) {
	m := smallModel()
	clear(m.Relations) // all scores are 0
	if got := entities(mustPredict(t, m, Query{Head: "e3", Relation: "likes"}, nil, 0, MarkKnown)); !slices.Equal(got, m.EntityLabels) {
		t.Errorf("%v, want %v", got, m.EntityLabels)
	}
}

func TestPredictRefuses(t *testing.T) {
	m := smallModel()
	m.EntityLabels = []string{"Germany", "East Germany", "Niger", "Nigeria", "Oman", "Romania", "Chad"}
	m.RelationLabels = []string{"borders", "has capital"}
	for name, test := range map[string]struct {
		query Query
		parts []string
		not   string
	}{
		"neither end":             {Query{Relation: "borders"}, []string{"either a head or a tail"}, ""},
		"both ends":               {Query{Head: "Chad", Relation: "borders", Tail: "Niger"}, []string{"either a head or a tail"}, ""},
		"nothing":                 {Query{}, []string{"either a head or a tail"}, ""},
		"no relation":             {Query{Head: "Chad"}, []string{`no relation ""`, "borders, has capital"}, "did you mean"},
		"unknown relation":        {Query{Head: "Chad", Relation: "capital"}, []string{`no relation "capital"`, "did you mean has capital?", "it has borders, has capital"}, ""},
		"another relation":        {Query{Head: "Chad", Relation: "likes"}, []string{`no relation "likes"`, "it has borders, has capital"}, "did you mean"},
		"unknown head":            {Query{Head: "german", Relation: "borders"}, []string{`no entity "german"`, "did you mean Germany, East Germany?"}, "Chad"},
		"unknown tail":            {Query{Tail: "Nigeria (country)", Relation: "borders"}, []string{`no entity "Nigeria (country)"`, "did you mean Niger, Nigeria?"}, "Oman"},
		"nothing like it":         {Query{Tail: "Xanadu", Relation: "borders"}, []string{`no entity "Xanadu"`}, "did you mean"},
		"only a part of the word": {Query{Tail: "omania", Relation: "borders"}, []string{"Romania"}, "Chad"},
	} {
		t.Run(name, func(t *testing.T) {
			answers, err := m.Predict(test.query, nil, 3, MarkKnown)
			checkError(t, err, test.parts...)
			if answers != nil || test.not != "" && strings.Contains(err.Error(), test.not) {
				t.Errorf("error %q with answers %v", err, answers)
			}
		})
	}
}

func TestQueryJSON(t *testing.T) {
	for query, want := range map[Query]string{
		{Head: "e1", Relation: "knows"}: `{"head":"e1","relation":"knows","tail":null}`,
		{Relation: "knows", Tail: "e1"}: `{"head":null,"relation":"knows","tail":"e1"}`,
	} {
		if got, err := json.Marshal(query); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
	for known, want := range map[Known]string{
		Yes:         `{"entity":"e2","score":1.5,"rank":1,"known":true}`,
		No:          `{"entity":"e2","score":1.5,"rank":1,"known":false}`,
		NotLookedUp: `{"entity":"e2","score":1.5,"rank":1,"known":null}`,
	} {
		if got, err := json.Marshal(Answer{Entity: "e2", Score: 1.5, Rank: 1, Known: known}); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}

func TestKnownAnswersText(t *testing.T) {
	for known, text := range map[KnownAnswers]string{MarkKnown: "mark", DropKnown: "drop", KeepKnown: "keep"} {
		back := KnownAnswers(-1)
		if err := back.UnmarshalText([]byte(text)); err != nil || back != known || known.String() != text {
			t.Errorf("%q is read as %v (%v) and written as %q", text, back, err, known)
		}
	}
	kept := DropKnown
	checkError(t, kept.UnmarshalText([]byte("hide")), `"hide"`, "mark, drop or keep")
	if kept != DropKnown {
		t.Error("a name that is refused changed the choice")
	}
	if got := KnownAnswers(5).String(); got != "choice(5)" {
		t.Errorf("%q", got)
	}
}
