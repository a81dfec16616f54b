package query

import (
	"context"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"pgregory.net/rapid"
)

// indifferent is an engine by which all entities score the same.
type indifferent struct{ kge.Engine }

func (indifferent) NewRanker(models []kge.Parameters, _ kge.Precision) (kge.Ranker, error) {
	p := models[0]
	return given{scores: [][][]float32{{make([]float32, len(p.Entities)/p.Dim)}}}, nil
}

// TestKnownAnswers checks that known answers are those that a walk along the triples reaches, for
// any ids and further entities of the model.
func TestKnownAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphOf(t)
		d := FromGraph(g)
		q := Query{
			Anchor: rapid.Int32Range(0, int32(len(g.Entities)-1)).Draw(t, "anchor"),
			Relations: rapid.SliceOfN(rapid.Int32Range(0, int32(2*len(g.Relations)-1)), 1, 3).Draw(t,
				"path"),
		}
		var want []string
		all := slices.Concat(g.Train, g.Valid, g.Test) // also of labels that train lacks
		for _, e := range reachable(all, len(g.Entities), q) {
			want = append(want, g.Entities[e])
		}
		p := Path{Anchor: g.Entities[q.Anchor]}
		for _, r := range q.Relations {
			p.Relations = append(p.Relations, g.Relations[r/2]+[]string{"", reverseSuffix}[r%2])
		}
		m := &kge.Model{
			EntityLabels: rapid.Permutation(append(slices.Clone(g.Entities), "unheard of")).Draw(t,
				"entities"),
			RelationLabels: rapid.Permutation(append(slices.Clone(g.Relations), "never seen")).Draw(t,
				"relations"),
		}
		m.Dim, m.Entities = 1, make([]float32, len(m.EntityLabels))
		ask := func(p Path, d *Data, known eval.KnownAnswers) (answers []eval.Answer, isKnown []string) {
			answers, err := Predict(context.Background(), indifferent{}, m, p, d,
				completion.PredictOptions{Known: known, AnyKind: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range answers {
				if a.Known == eval.Yes {
					isKnown = append(isKnown, a.Entity)
				}
			}
			slices.Sort(isKnown)
			return answers, isKnown
		}
		slices.Sort(want)
		marked, isKnown := ask(p, d, eval.MarkKnown)
		if !slices.Equal(isKnown, want) || len(marked) != len(m.EntityLabels) {
			t.Fatalf("%+v: known are %v of %d, want %v", p, isKnown, len(marked), want)
		}
		dropped, _ := ask(p, d, eval.DropKnown)
		for _, a := range dropped {
			if a.Known != eval.No || slices.Contains(want, a.Entity) {
				t.Fatalf("%+v: %+v is not dropped", p, a)
			}
		}
		if len(dropped) != len(marked)-len(want) {
			t.Fatalf("%+v: %d of %d are left without %v", p, len(dropped), len(marked), want)
		}
		for _, d := range []*Data{nil, d} {
			for _, a := range first(ask(p, d, eval.KeepKnown)) {
				if a.Known != eval.NotLookedUp {
					t.Fatalf("%+v: %+v", p, a)
				}
			}
		}

		// What the graph does not mention leads nowhere.
		for _, p := range []Path{{"unheard of", p.Relations},
			{p.Anchor, append([]string{"never seen_reverse"}, p.Relations...)}} {
			answers, isKnown := ask(p, d, eval.MarkKnown)
			if len(isKnown) > 0 || answers[0].Known != eval.No {
				t.Fatalf("%+v: known are %v", p, isKnown)
			}
		}
	})
}

func first[A, B any](a A, _ B) A { return a }
