// Package enginetest is the conformance suite of the engines of embedding models. [Run] compares
// an engine with a float64 implementation of the definitions, gradients with difference
// quotients, for every form, on triples and on paths. It also checks the contracts of the
// interfaces. It skips what an engine does not support.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/progress"
	"github.com/autoblm/autoblm-go/internal/require"
)

// ToleranceOf returns the tolerance of losses and gradients for a precision of the large products,
// relative to the largest number of a table. Rounding to bfloat16 changes a factor by up to
// 2⁻⁹, and a table of gradients sums a few such products.
func ToleranceOf(p kge.Precision) float64 {
	if p == kge.Bfloat16 {
		return 1e-2
	}
	return 1e-5
}

// Run checks an engine. Losses and gradients may differ from the definitions by tolerance times the
// largest number of a table, see [ToleranceOf]. Scores, ranks and optimizer steps do not depend
// on the precision and have the tolerance of float32. The scope limits the recipes and members of
// losses, gradients, populations and resuming.
func Run(t *testing.T, engine kge.Engine, tolerance float64, in Scope) {
	const stateTolerance = 1e-4
	exact := ToleranceOf(kge.Float32)
	for _, check := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"losses and gradients", func(t *testing.T) { gradients(t, engine, tolerance, in) }},
		{"gradients of many rows", func(t *testing.T) { manyRows(t, engine, tolerance) }},
		{"optimizer steps", func(t *testing.T) { steps(t, engine, exact) }},
		{"scores", func(t *testing.T) { scores(t, engine, exact) }},
		{"ranks", func(t *testing.T) { ranks(t, engine) }},
		{"NaN ranks last", func(t *testing.T) { nanRanksLast(t, engine) }},
		{"members are independent", func(t *testing.T) { populations(t, engine, in) }},
		{"divergence of one member", func(t *testing.T) { divergence(t, engine) }},
		{"cancellation", func(t *testing.T) { cancellation(t, engine) }},
		{"replacing structures", func(t *testing.T) { newStructures(t, engine) }},
		{"resuming from a state", func(t *testing.T) { ResumesFromState(t, engine, stateTolerance, in) }},
		{"progress", func(t *testing.T) { reportsProgress(t, engine) }},
	} {
		t.Run(check.name, check.test)
	}
}

// RunSupported checks an engine that lacks trainings which [Run] needs: the losses, gradients and
// ranks of what it supports, and that its trainings resume. It fails if the engine supports fewer
// cases of gradients than least, so that nothing is skipped unnoticed.
func RunSupported(t *testing.T, engine kge.Engine, tolerance float64, in Scope, least int) {
	t.Run("losses and gradients", func(t *testing.T) {
		if supported := gradients(t, engine, tolerance, in); supported < least {
			t.Errorf("the engine supports %d cases, want at least %d", supported, least)
		}
	})
	t.Run("ranks", func(t *testing.T) { ranks(t, engine) })
	t.Run("NaN ranks last", func(t *testing.T) { nanRanksLast(t, engine) })
	t.Run("resuming from a state", func(t *testing.T) { ResumesFromState(t, engine, 1e-4, in) })
}

// reportsProgress checks that reported progress rises to 1, and that reporting does not change
// results, if the engine is deterministic.
func reportsProgress(t *testing.T, engine kge.Engine) {
	g := RandomGraph(40, 2, 300, 1)
	s, d := settings(4), completion.Data(g)
	members := []kge.Member{
		kge.DefaultMember(structure.MustParse("complex")),
		kge.DefaultMember(structure.MustParse("simple")),
	}
	batches := d.Batches(s, 1)
	run := func(report func(share float64)) (losses []float64, results any, supported bool) {
		p := newPopulation(t, engine, d, s, members)
		reporter, supported := p.(progress.Reporter)
		if supported {
			reporter.OnProgress(report)
		}
		epoch, err := p.Epoch(t.Context(), batches, []float64{0.1, 0.1})
		must(t, err)
		return epoch.Loss, []any{parametersOf(t, p, 1), rank(t, p, g.Train, nil)}, supported
	}
	wantLosses, want, _ := run(nil)
	_, repeated, _ := run(nil)
	var mu sync.Mutex
	var shares []float64
	losses, got, supported := run(func(share float64) {
		mu.Lock()
		defer mu.Unlock()
		shares = append(shares, share)
	})
	if !supported {
		t.Skip("the engine does not report progress")
	}
	if reflect.DeepEqual(repeated, want) && !reflect.DeepEqual(got, want) {
		t.Error("reporting progress changes results")
	}
	near(t, "losses", ToleranceOf(kge.Float32), losses, wantLosses) // in any order of sums
	inside := func(share float64) bool { return 0 < share && share < 1 }
	if !slices.Contains(shares, 1) || slices.Min(shares) < 0 || slices.Max(shares) > 1 ||
		!slices.ContainsFunc(shares, inside) {
		t.Errorf("reported %v", shares)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	require.NoError(t, err)
}

func newPopulation(t testing.TB, engine kge.Engine, d *kge.Data, s kge.Settings,
	members []kge.Member) kge.Population {
	t.Helper()
	p, err := engine.NewPopulation(d, s, members)
	must(t, err)
	t.Cleanup(p.Close)
	return p
}

func parametersOf(t testing.TB, p kge.Population, member int) kge.Parameters {
	t.Helper()
	parameters, err := p.Parameters(member)
	must(t, err)
	return parameters
}

func newRanker(t testing.TB, engine kge.Engine, all ...kge.Parameters) kge.Ranker {
	t.Helper()
	ranker, err := engine.NewRanker(all, kge.Float32)
	must(t, err)
	t.Cleanup(ranker.Close)
	return ranker
}

func train(t *testing.T, engine kge.Engine, d *kge.Data, s kge.Settings,
	members ...kge.Member) []kge.Result {
	t.Helper()
	report, err := kge.Train(t.Context(), engine, kge.Job{Data: d, Settings: s, Members: members})
	must(t, err)
	return report.Results
}

func settings(k int) kge.Settings {
	s := kge.DefaultSettings()
	s.Dim, s.Batch, s.Epochs = 3*k, 32, 3
	return s
}

func rank(t *testing.T, r kge.Ranker, triples []datasets.Triple,
	known *datasets.Known) [][]eval.Ranked {
	t.Helper()
	ranks, err := r.Rank(t.Context(), triples, known)
	must(t, err)
	return ranks
}

// scores compares the scores of all entities with the definition, for questions with paths of
// different lengths.
func scores(t *testing.T, engine kge.Engine, tolerance float64) {
	d := Paths(t, 230, 3, 600)
	data := pathData(t, d, query.Paths{Hops: []int{1}})
	questions := []kge.Question{{Anchor: 1, Path: []int32{0, 3, 5, 1, 2}}}
	for _, q := range slices.Concat(d.Queries(query.InValid, 1)[:40],
		d.Queries(query.InTrain, 3)[:130], d.Queries(query.InValid, 2)[:3]) {
		questions = append(questions, q.Question())
	}
	for name, m := range Members() {
		for _, directed := range directions(m) {
			s := kge.DefaultSettings()
			directed(&s)
			s.Dim, s.InitScale = 3*max(4, m.Structure.K()), 0.6
			trained := s
			trained.BatchNorm = false // which trains on no paths
			if engine.Supports(data, trained, []kge.Member{m}) != nil {
				continue
			}
			p := kge.Initialize(data, s, m)
			drawNorms(p)
			got := make([][]float64, len(questions))
			collect := func(i int, scores []float32) { got[i] = toFloat64(scores) }
			must(t, newRanker(t, engine, p).Scores(t.Context(), 0, questions, collect))
			r := newReference(data, s, m, p)
			for i, q := range questions {
				near(t, fmt.Sprintf("%s, question %d", name, i), tolerance, got[i], r.scores(r.query(q)))
			}
		}
	}
	scoresOfConvE(t, engine, tolerance, data)
	scoresOfCells(t, engine, tolerance, data)
	scoresOfRSN(t, engine, tolerance, data)
}

// directions returns settings with the kinds of reverse relations that a member can have, and with
// batch normalization.
func directions(m kge.Member) []change {
	all := []change{reciprocal, func(*kge.Settings) {}}
	if m.Form == form.Bilinear {
		all = append(all, translate)
	}
	if m.Form.Partitions() > 0 {
		all = append(all, batchNorm)
	}
	return all
}

// smallIntegers draws embeddings whose scores are exact in float32, with many ties.
func smallIntegers(d *kge.Data, m kge.Member, s kge.Settings, seed uint64) kge.Parameters {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := kge.Initialize(d, s, m)
	for _, table := range p.All() {
		for i := range table {
			table[i] = float32(rng.IntN(3) - 1)
		}
	}
	drawNorms(p)
	return p
}

// ranks compares ranks with a brute-force count. Scores that differ from the true one by less than
// rounding may be on either side.
func ranks(t *testing.T, engine kge.Engine) {
	g := Graph()
	d := completion.Data(g)
	known := map[datasets.Triple]bool{}
	for _, triple := range slices.Concat(g.Train, g.Valid, g.Test) {
		known[triple] = true
	}
	ties := int32(0)
	for name, m := range Members() {
		for _, directed := range directions(m) {
			s := kge.Settings{Dim: 2 * max(2, m.Structure.K())}
			directed(&s)
			if engine.Supports(d, s, []kge.Member{m}) != nil {
				continue
			}
			two := []kge.Parameters{smallIntegers(d, m, s, 1), smallIntegers(d, m, s, 100)}
			ranker := newRanker(t, engine, two...)
			for _, filter := range []*datasets.Known{g.Known(), nil} {
				for i, ranks := range rank(t, ranker, g.Test, filter) {
					r := newReference(d, s, m, two[i])
					for n, triple := range g.Test {
						tail := completion.Examples([]datasets.Triple{triple})[0]
						for _, side := range []struct {
							kge.Example
							got    eval.Rank
							answer func(e int32) datasets.Triple
						}{
							{tail, ranks[n].Tail, func(e int32) datasets.Triple {
								return datasets.Triple{Head: triple.Head, Relation: triple.Relation, Tail: e}
							}},
							{reversed(tail), ranks[n].Head, func(e int32) datasets.Triple {
								return datasets.Triple{Head: e, Relation: triple.Relation, Tail: triple.Tail}
							}},
						} {
							ties += side.got.Equal
							excluded := func(e int32) bool { return filter != nil && known[side.answer(e)] }
							if why := r.rankError(side.Example, side.got, excluded); why != "" {
								t.Errorf("%s, model %d, triple %v, entity %d: %s",
									name, i, triple, side.Target, why)
							}
						}
					}
				}
			}
		}
	}
	if ties == 0 {
		t.Error("there were no ties, so they were not tested")
	}
}

// rankError describes how a rank differs from the definition, or returns "".
func (r *reference) rankError(x kge.Example, got eval.Rank, excluded func(e int32) bool) string {
	scores := r.scores(r.query(x.Question))
	truth := scores[x.Target]
	const rounding = 1e-5
	var above, equal, close int32
	for e, score := range scores {
		if e := int32(e); e == x.Target || excluded(e) {
			continue
		}
		exact := score == math.Trunc(score) && truth == math.Trunc(truth) &&
			r.Form != form.TransH && r.Form != form.PairRE // whose normalized rows are rounded
		switch {
		case !exact && math.Abs(score-truth) <= rounding:
			close++
		case score > truth:
			above++
		case score == truth:
			equal++
		}
	}
	within := func(x, low int32) bool { return low <= x && x <= low+close }
	if within(got.Better, above) && within(got.Better+got.Equal, above+equal) {
		return ""
	}
	return fmt.Sprintf("rank %+v, want %d above and %d equal, with %d undecided", got, above, equal,
		close)
}

func nanRanksLast(t *testing.T, engine kge.Engine) {
	g := Graph()
	d, s := completion.Data(g), kge.Settings{Dim: 8}
	for _, m := range []kge.Member{{Structure: structure.MustParse("distmult")}, {Form: form.TransE}} {
		if engine.Supports(d, kge.DefaultSettings(), []kge.Member{m}) != nil {
			continue
		}
		p := smallIntegers(d, m, s, 3)
		triple := g.Test[0]
		for n := range p.Dim {
			p.Entity(triple.Tail)[n] = float32(math.NaN())
		}
		got := rank(t, newRanker(t, engine, p), []datasets.Triple{triple}, g.Known())
		last := eval.Rank{Better: int32(len(g.Entities) - len(
			g.Known().Tails(triple.Head, triple.Relation)))}
		if got[0][0].Tail != last {
			t.Errorf("%v: rank %+v, want the last, %+v", m.Form, got[0][0].Tail, last)
		}
	}
}

func populations(t *testing.T, engine kge.Engine, in Scope) {
	var members []kge.Member
	for i, named := range structure.Baselines() {
		members = append(members, kge.Member{
			Structure:    named.Structure,
			Seed:         uint64(i % 2),
			LearningRate: 0.1 + 0.05*float64(i),
			Weights:      kge.Weights{L2: 0.001 * float64(i), N3: 0.001 * float64(5-i)},
		})
	}
	members = append(members, members[1], members[0], members[3])
	members[6].RelationPrediction, members[7].Products = 0.5, 0.1
	members[5].IVR, members[5].IVRPower, members[6].IVRProducts = 0.01, 2.5, 0.02
	members[2].N3Block, members[6].N3Block, members[7].N3Block = 1, 2, 4
	s := settings(4)
	s.ValidateEvery, s.Patience, s.Epochs = 1, 2, 6
	s.PlateauPatience, s.PlateauFactor = 1, 0.5
	d := completion.Data(Graph())
	for _, options := range []bool{true, false} {
		if !options && in == Brief {
			continue
		}
		s.Reciprocal, s.Dropout, s.MaxNorm = false, 0, 0
		if options {
			s.Reciprocal, s.Dropout, s.MaxNorm = true, 0.2, 1
		}
		together := train(t, engine, d, s, members...)
		for i, m := range members {
			alone, what := train(t, engine, d, s, m)[0], fmt.Sprintf("member %d among others", i)
			near(t, what+": losses", 1e-5, together[i].Loss, alone.Loss)
			if together[i].BestEpoch != alone.BestEpoch {
				t.Errorf("%s: best epoch %d, alone %d", what, together[i].BestEpoch, alone.BestEpoch)
			}
			nearTables(t, what, 1e-3, together[i].Model.Tables, alone.Model.Tables)
		}
	}
}

func divergence(t *testing.T, engine kge.Engine) {
	d, s := completion.Data(Graph()), settings(4)
	s.Epochs, s.ValidateEvery = 4, 2
	stable := kge.DefaultMember(structure.MustParse("complex"))
	diverging := stable
	diverging.LearningRate = 1e30
	results := train(t, engine, d, s, stable, diverging, stable)
	if r := results[1]; !errors.Is(r.Err, kge.ErrDiverged) || r.Model != nil {
		t.Errorf("learning rate 1e30: error %v, model %v; want ErrDiverged and no model",
			r.Err, r.Model != nil)
	}
	alone := train(t, engine, d, s, stable)[0]
	for _, i := range []int{0, 2} {
		r := results[i]
		if r.Err != nil || r.Model == nil || len(r.Loss) != s.Epochs {
			t.Fatalf("stable member %d: error %v after %d epochs", i, r.Err, len(r.Loss))
		}
		near(t, fmt.Sprintf("stable member %d: losses", i), 1e-5, r.Loss, alone.Loss)
	}
}

func cancellation(t *testing.T, engine kge.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, s := completion.Data(Graph()), settings(4)
	member := kge.DefaultMember(structure.MustParse("simple"))
	p := newPopulation(t, engine, d, s, []kge.Member{member})
	if _, err := p.Epoch(ctx, d.Batches(s, 1), []float64{0.1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Epoch: error %v, want context.Canceled", err)
	}
	if _, err := p.Rank(ctx, Graph().Test, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Rank: error %v, want context.Canceled", err)
	}
}

// newStructures replaces structures and compares the population's ranks with those of a new ranker
// with the same parameters.
func newStructures(t *testing.T, engine kge.Engine) {
	g, s := Graph(), settings(4)
	members := []kge.Member{kge.DefaultMember(structure.MustParse("simple")),
		kge.DefaultMember(structure.MustParse("quate"))}
	p := newPopulation(t, engine, completion.Data(g), s, members)
	for _, next := range []structure.Structure{structure.MustParse("analogy"), structure.Zero(4),
		members[1].Structure} {
		must(t, p.SetStructure(1, next))
		all := []kge.Parameters{parametersOf(t, p, 0), parametersOf(t, p, 1)}
		if all[0].Structure != members[0].Structure || all[1].Structure != next {
			t.Errorf("the structures are %s and %s, want %s and %s",
				all[0].Structure, all[1].Structure, members[0].Structure, next)
		}
		want := rank(t, newRanker(t, engine, all...), g.Valid, g.Known())
		got := rank(t, p, g.Valid, g.Known())
		for member := range all {
			if !slices.Equal(got[member], want[member]) {
				t.Errorf("member %d with %s: ranks %v, want %v",
					member, all[member].Structure, got[member], want[member])
			}
		}
	}
	err := p.SetStructure(1, structure.MustParse("1,0;0,2"))
	if err == nil || parametersOf(t, p, 1).Structure != members[1].Structure {
		t.Errorf("a structure with K=2 replaced one with K=4: %v", err)
	}
	if members[1].Structure != structure.MustParse("quate") {
		t.Errorf("the caller's member now has structure %s", members[1].Structure)
	}
}
