package completion_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// explained returns the best answer to a query with its reasons.
func explained(
	t testing.TB, p completion.Predictor, g *datasets.Graph, q completion.Query, count int,
) eval.Answer {
	t.Helper()
	a, err := completion.NewAnswerer(p, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	options := completion.PredictOptions{Known: eval.MarkKnown, Top: 1, AnyKind: true, Shares: true}
	predictions, err := a.Predict(t.Context(), []completion.Query{q}, options)
	if err == nil {
		err = errors.Join(predictions[0].Err, a.Explain(t.Context(), predictions, count))
	}
	if err != nil {
		t.Fatal(err)
	}
	return predictions[0].Answers[0]
}

// TestRemovedReasons trains again without the three triples that speak most for an answer. The share
// of the answer must fall much more than without three random triples that share an entity with it.
// A weight of 0 removes a triple and keeps the order of the others, which would change the share too.
func TestRemovedReasons(t *testing.T) {
	const answers, removed = 10, 3
	g, engine := datasets.World(), cpu.New(0)
	defer engine.Close()
	model := completion.Single{Model: trainSeeds(engine, g, 1)[0]}
	rng := rand.New(rand.NewPCG(1, 2))
	// fall returns how far the logarithm of the share falls without some triples.
	fall := func(q completion.Query, share float64, without []datasets.Triple) float64 {
		rest := &datasets.Graph{
			Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: g.Train,
			Weights: make([]float32, len(g.Train)),
		}
		for i, x := range g.Train {
			if !slices.Contains(without, x) {
				rest.Weights[i] = 1
			}
		}
		again := completion.Single{Model: trainSeeds(engine, rest, 1)[0]}
		return math.Log(share / explained(t, again, g, q, 0).Share)
	}
	var reasons, random float64
	tried := 0
	for _, i := range rng.Perm(len(g.Test)) {
		x := g.Test[i]
		q := completion.Query{
			Head: g.Entities[x.Head], Relation: g.Relations[x.Relation], Tail: g.Entities[x.Tail],
		}
		answer := explained(t, model, g, q, removed)
		var near, because []datasets.Triple
		for _, n := range g.Train {
			if n.Head == x.Head || n.Tail == x.Head || n.Head == x.Tail || n.Tail == x.Tail {
				near = append(near, n)
			}
			for _, b := range answer.Because {
				if g.Entities[n.Head] == b.Head && g.Relations[n.Relation] == b.Relation &&
					g.Entities[n.Tail] == b.Tail {
					because = append(because, n)
				}
			}
		}
		if answer.Rank > 3 || len(because) < removed || len(near) < 4*removed {
			continue
		}
		rng.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
		reasons += fall(q, answer.Share, because) / answers
		random += fall(q, answer.Share, near[:removed]) / answers
		if tried++; tried == answers {
			break
		}
	}
	t.Logf("the logarithm of the share falls by %.3f on average, without random triples by %.3f",
		reasons, random)
	if tried < answers || reasons < 1.6*random {
		t.Errorf("after %d answers the mean fall is %.3f, and %.3f without random triples", tried,
			reasons, random)
	}
}

// TestExplain checks the reasons of all forms, in all directions.
func TestExplain(t *testing.T) {
	g := enginetest.SmallGraph()
	for name, member := range enginetest.Members() {
		s := kge.DefaultSettings()
		s.Dim, s.InitScale, s.Reciprocal = 2*max(2, member.Structure.K()), 1, name != "complex"
		d := completion.Data(g)
		m := &kge.Model{
			Parameters: kge.Initialize(d, s, member), EntityLabels: d.Entities, RelationLabels: d.Relations,
		}
		p := completion.Single{Model: m}
		for _, q := range []completion.Query{
			{Head: "e0", Relation: "knows"}, {Relation: "knows", Tail: "e3"},
			{Head: "e0", Relation: "knows", Tail: "e2"}, {Head: "e0", Tail: "e2"},
		} {
			answer := explained(t, p, g, q, 100)
			self := eval.Reason{
				Head: cmp.Or(q.Head, answer.Entity), Relation: cmp.Or(q.Relation, answer.Relation),
				Tail: cmp.Or(q.Tail, answer.Entity),
			}
			last := math.Inf(1)
			for _, b := range answer.Because {
				if b.Influence > last || !(b.Influence > 0) {
					t.Errorf("%s, %v: influence %v after %v", name, q, b.Influence, last)
				}
				last, b.Influence = b.Influence, 0
				ends := []string{self.Head, self.Tail}
				if b == self || !slices.Contains(ends, b.Head) && !slices.Contains(ends, b.Tail) {
					t.Errorf("%s, %v: %v is no reason for %v", name, q, b, self)
				}
			}
			if few := explained(t, p, g, q, 1); len(few.Because) != min(1, len(answer.Because)) {
				t.Errorf("%s, %v: %v", name, q, few.Because)
			}
		}
	}
}

// TestExplainKeepsMatrices checks that an explanation makes the matrices of a relation with cores
// far less often than once for each training triple: each takes memory.
func TestExplainKeepsMatrices(t *testing.T) {
	const dim, triples = 64, 400
	g, s := enginetest.RandomGraph(12, 2, triples, 1), kge.DefaultSettings()
	s.Dim, s.InitScale = dim, 1
	d := completion.Data(g)
	m := &kge.Model{
		Parameters:   kge.Initialize(d, s, kge.Member{Form: form.Tucker, Seed: 1}),
		EntityLabels: d.Entities, RelationLabels: d.Relations,
	}
	a, err := completion.NewAnswerer(completion.Single{Model: m}, g, nil)
	require.NoError(t, err)
	defer a.Close()
	q := completion.Query{Head: g.Entities[0], Relation: g.Relations[0]}
	predictions, err := a.Predict(t.Context(), []completion.Query{q}, completion.PredictOptions{Top: 1})
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, a.Explain(t.Context(), predictions, 3))
	runtime.ReadMemStats(&after)
	// The two entities have about 4·400/12 triples, with two questions each.
	const limit = 8 * dim * dim * 2 * triples / 12
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > limit {
		t.Errorf("an explanation allocates %d bytes, want at most %d", bytes, limit)
	}
}

// TestExplainEnsemble checks that influences on an ensemble are means.
func TestExplainEnsemble(t *testing.T) {
	g, engine := enginetest.SmallGraph(), cpu.New(1)
	defer engine.Close()
	models := trainSeeds(engine, g, 1, 2)
	e, err := completion.NewEnsemble(models)
	if err != nil {
		t.Fatal(err)
	}
	q := completion.Query{Head: "e0", Relation: "knows", Tail: "e2"}
	influences := map[eval.Reason][]float64{}
	of := func(p completion.Predictor) {
		for _, b := range explained(t, p, g, q, 100).Because {
			influence := b.Influence
			b.Influence = 0
			influences[b] = append(influences[b], influence)
		}
	}
	of(completion.Single{Model: models[0]})
	of(completion.Single{Model: models[1]})
	of(e)
	compared := 0
	for b, all := range influences {
		if len(all) < 3 { // some are not positive
			continue
		}
		compared++
		if mean := (all[0] + all[1]) / 2; math.Abs(all[2]-mean) > 1e-9 {
			t.Errorf("%v: influence %v, want %v", b, all[2], mean)
		}
	}
	if compared == 0 {
		t.Error("no triple speaks for the answer in both members")
	}
	a, err := completion.NewAnswerer(e, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Explain(t.Context(), nil, 1); !errors.Is(err, completion.ErrNoTrain) {
		t.Error(err)
	}
}

// TestExplainCancelled checks that a cancelled context ends explanations of few and many answers.
func TestExplainCancelled(t *testing.T) {
	g, engine := enginetest.SmallGraph(), cpu.New(1)
	defer engine.Close()
	a, err := completion.NewAnswerer(completion.Single{Model: trainSeeds(engine, g, 1)[0]}, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, answers := range []int{1, 10} {
		p := []completion.Prediction{{
			Query:   completion.Query{Head: "e0", Relation: "knows"},
			Answers: slices.Repeat([]eval.Answer{{Entity: "e2"}}, answers),
		}}
		if err := a.Explain(ctx, p, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%d answers: error %v", answers, err)
		}
	}
}
