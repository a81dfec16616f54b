package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Run checks everything that the interfaces promise. Losses and gradients may differ
// from the definitions by tolerance times the largest number of a table.
func Run(t *testing.T, engine kge.Engine, tolerance float64) {
	for _, check := range []struct {
		says string
		test func(t *testing.T)
	}{
		{"losses and gradients follow the definitions", func(t *testing.T) { gradients(t, engine, tolerance) }},
		{"many rows follow the definitions", func(t *testing.T) { manyRows(t, engine, tolerance) }},
		{"steps follow the gradients", func(t *testing.T) { steps(t, engine, tolerance) }},
		{"scores follow the definitions", func(t *testing.T) { scores(t, engine, tolerance) }},
		{"ranks follow the definition", func(t *testing.T) { ranks(t, engine) }},
		{"a score that is not a number ranks last", func(t *testing.T) { notANumber(t, engine) }},
		{"a population gives what single runs give", func(t *testing.T) { populations(t, engine) }},
		{"a diverged member leaves the others alone", func(t *testing.T) { divergence(t, engine) }},
		{"models of two shapes are not ranked together", func(t *testing.T) { shapes(t, engine) }},
		{"the end of the context ends training", func(t *testing.T) { cancellation(t, engine) }},
		{"a population with another structure ranks by it", func(t *testing.T) { newStructures(t, engine) }},
		{"a population goes on from the state of another", func(t *testing.T) { Continues(t, engine, 1e-4) }},
		{"with one candidate shared training is training", func(t *testing.T) { sharing(t, engine) }},
		{"training learns", func(t *testing.T) { learning(t, engine) }},
	} {
		t.Run(check.says, check.test)
	}
}

func populated(t testing.TB, engine kge.Engine, d *kge.Data, s kge.Settings, members []kge.Member) kge.Population {
	t.Helper()
	p, err := engine.NewPopulation(d, s, members)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func parametersOf(t testing.TB, p kge.Population, member int) kge.Parameters {
	t.Helper()
	parameters, err := p.Parameters(member)
	if err != nil {
		t.Fatal(err)
	}
	return parameters
}

func rankerOf(t testing.TB, engine kge.Engine, all ...kge.Parameters) kge.Ranker {
	t.Helper()
	ranker, err := engine.NewRanker(all)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ranker.Close)
	return ranker
}

func train(t *testing.T, engine kge.Engine, d *kge.Data, s kge.Settings, members ...kge.Member) []kge.Result {
	t.Helper()
	report, err := kge.Train(t.Context(), engine, kge.Job{Data: d, Settings: s, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	return report.Results
}

func settings(k int) kge.Settings {
	s := kge.DefaultSettings()
	s.Dim, s.Batch, s.Epochs = 3*k, 32, 3
	return s
}

// close allows for float32 arithmetic.
func close(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

// ranked says whether the engine has the members' form.
func ranked(engine kge.Engine, m kge.Member) bool {
	s := settings(max(1, m.Structure.K()))
	return engine.Supports(completion.Data(Graph()), s, []kge.Member{m}) == nil
}

// scores of all entities are those of the definition, for lists of questions with
// paths of any length.
func scores(t *testing.T, engine kge.Engine, tolerance float64) {
	d := Paths(t, 230, 3, 600)
	data, err := d.Training(query.Paths{Hops: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range Members() {
		for _, reciprocal := range []bool{true, false} {
			s := kge.DefaultSettings()
			s.Dim, s.Reciprocal, s.InitScale = 3*max(4, m.Structure.K()), reciprocal, 0.6
			if engine.Supports(data, s, []kge.Member{m}) != nil {
				continue
			}
			p := kge.Initialize(data, s, m)
			var questions []kge.Question
			for _, q := range slices.Concat(d.Queries(query.InValid, 1)[:40], d.Queries(query.InTrain, 3)[:130], []query.Query{{Anchor: 1, Relations: []int32{0, 3, 5, 1, 2}}}, d.Queries(query.InValid, 2)[:3]) {
				questions = append(questions, q.Question())
			}
			got := make([][]float64, len(questions))
			if err := rankerOf(t, engine, p).Scores(t.Context(), 0, questions, func(i int, scores []float32) { got[i] = widen(scores) }); err != nil {
				t.Fatal(err)
			}
			r := newReference(data, s, m, p)
			for i, q := range questions {
				ask := r.ask(q)
				want := make([]float64, len(data.Entities))
				for e := range want {
					want[e] = r.score(ask, int32(e))
				}
				near(t, fmt.Sprintf("%s, question %d", name, i), tolerance, got[i], want)
			}
		}
	}
}

// smallIntegers makes numbers whose scores are exact in float32, with many ties.
func smallIntegers(d *kge.Data, m kge.Member, dim int, reciprocal bool, seed uint64) kge.Parameters {
	rng := rand.New(rand.NewPCG(seed, 1))
	m.Seed = seed
	p := kge.Initialize(d, kge.Settings{Dim: dim, InitScale: 1, Reciprocal: reciprocal}, m)
	for _, table := range append([][]float32{p.Entities}, p.OfRelations()...) {
		for i := range table {
			table[i] = float32(rng.IntN(3) - 1)
		}
	}
	return p
}

// ranks are those of brute force, of what is left of all entities; scores closer to
// that of the truth than rounding may be on either side.
func ranks(t *testing.T, engine kge.Engine) {
	g := Graph()
	d := completion.Data(g)
	known := map[datasets.Triple]bool{}
	for _, split := range [][]datasets.Triple{g.Train, g.Valid, g.Test} {
		for _, triple := range split {
			known[triple] = true
		}
	}
	ties := int32(0)
	for name, m := range Members() {
		if !ranked(engine, m) {
			continue
		}
		for _, reciprocal := range []bool{false, true} {
			dim := 2 * max(2, m.Structure.K())
			two := []kge.Parameters{smallIntegers(d, m, dim, reciprocal, 1), smallIntegers(d, m, dim, reciprocal, 100)}
			ranker := rankerOf(t, engine, two...)
			for _, filter := range []*datasets.Known{g.Known(), nil} {
				got, err := ranker.Rank(t.Context(), g.Test, filter)
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range two {
					r := newReference(d, kge.Settings{Dim: dim, Reciprocal: reciprocal}, m, p)
					for n, triple := range g.Test {
						x := completion.Examples([]datasets.Triple{triple})[0]
						tail := func(e int32) datasets.Triple { triple.Tail = e; return triple }
						head := func(e int32) datasets.Triple { triple.Head = e; return triple }
						ties += got[i][n].Tail.Equal
						if why := r.misranked(x, got[i][n].Tail, func(e int32) bool { return filter != nil && known[tail(e)] }); why != "" {
							t.Errorf("%s, model %d, triple %v, tail: %s", name, i, g.Test[n], why)
						}
						triple = g.Test[n]
						if why := r.misranked(back(x), got[i][n].Head, func(e int32) bool { return filter != nil && known[head(e)] }); why != "" {
							t.Errorf("%s, model %d, triple %v, head: %s", name, i, g.Test[n], why)
						}
					}
				}
			}
		}
	}
	if ties == 0 {
		t.Error("no ties came up, so their rule was not tested")
	}
}

// misranked says how a rank differs from the definition, "" where it does not.
func (r *reference) misranked(x kge.Example, got kge.Rank, leftOut func(e int32) bool) string {
	query := r.ask(x.Question)
	truth := r.score(query, x.Target)
	const rounding = 1e-5
	var surely, maybe int32 // above the truth
	var atLeast, atMost int32
	for e := range int32(r.entities()) {
		if e == x.Target || leftOut(e) {
			continue
		}
		score := r.score(query, e)
		exact := score == math.Trunc(score) && truth == math.Trunc(truth)
		switch {
		case score > truth && (exact || score > truth+rounding):
			surely, atLeast = surely+1, atLeast+1
		case exact && score == truth:
			atLeast++
		case !exact && math.Abs(score-truth) <= rounding:
			maybe++
		}
	}
	atMost = atLeast + maybe
	if got.Better < surely || got.Better > surely+maybe || got.Better+got.Equal < atLeast || got.Better+got.Equal > atMost {
		return fmt.Sprintf("rank %+v, by definition %d to %d above, %d to %d not below", got, surely, surely+maybe, atLeast, atMost)
	}
	return ""
}

func notANumber(t *testing.T, engine kge.Engine) {
	g := Graph()
	p := smallIntegers(completion.Data(g), kge.Member{Structure: structure.MustParse("distmult")}, 8, false, 3)
	triple := g.Test[0]
	for n := range p.Dim {
		p.Entity(triple.Tail)[n] = float32(math.NaN())
	}
	got, err := rankerOf(t, engine, p).Rank(t.Context(), []datasets.Triple{triple}, g.Known())
	if err != nil {
		t.Fatal(err)
	}
	last := kge.Rank{Better: int32(len(g.Entities) - len(g.Known().Tails(triple.Head, triple.Relation)))}
	if got[0][0].Tail != last {
		t.Errorf("rank %+v, want the last, %+v", got[0][0].Tail, last)
	}
}

func populations(t *testing.T, engine kge.Engine) {
	var members []kge.Member
	for i, named := range structure.HumanDesigned() {
		members = append(members, kge.Member{Structure: named.Structure, Seed: uint64(i % 2), LearningRate: 0.1 + 0.05*float64(i), Weights: kge.Weights{L2: 0.001 * float64(i), N3: 0.001 * float64(5-i)}})
	}
	members = append(members, members[1], members[0], members[3])
	members[6].RelationPrediction, members[7].Products = 0.5, 0.1
	s := settings(4)
	s.ValidateEvery, s.Patience, s.Epochs = 1, 2, 6
	s.PlateauPatience, s.PlateauFactor = 1, 0.5
	d := completion.Data(Graph())
	for _, recipe := range []func(){func() {}, func() { s.Reciprocal, s.Dropout, s.MaxNorm = true, 0.2, 1 }} {
		recipe()
		together := train(t, engine, d, s, members...)
		for i, m := range members {
			alone := train(t, engine, d, s, m)[0]
			if len(alone.Loss) != len(together[i].Loss) || alone.BestEpoch != together[i].BestEpoch {
				t.Errorf("member %d: %d epochs, best %d; alone %d epochs, best %d", i, len(together[i].Loss), together[i].BestEpoch, len(alone.Loss), alone.BestEpoch)
				continue
			}
			for epoch, loss := range alone.Loss {
				if !close(together[i].Loss[epoch], loss, 1e-4) {
					t.Errorf("member %d, epoch %d: loss %v among others, %v alone", i, epoch, together[i].Loss[epoch], loss)
				}
			}
			near(t, fmt.Sprintf("member %d: entities among others", i), 1e-3, widen(together[i].Model.Entities), widen(alone.Model.Entities))
		}
	}
}

func divergence(t *testing.T, engine kge.Engine) {
	d, s := completion.Data(Graph()), settings(4)
	s.Epochs, s.ValidateEvery = 4, 2
	sound := kge.DefaultMember(structure.MustParse("complex"))
	wild := sound
	wild.LearningRate = 1e30
	results := train(t, engine, d, s, sound, wild, sound)
	if r := results[1]; !errors.Is(r.Err, kge.ErrDiverged) || r.Model != nil {
		t.Errorf("the member with learning rate 1e30: error %v, model %v; want ErrDiverged and none", r.Err, r.Model != nil)
	}
	alone := train(t, engine, d, s, sound)
	for _, i := range []int{0, 2} {
		r := results[i]
		if r.Err != nil || r.Model == nil || len(r.Loss) != s.Epochs {
			t.Fatalf("member %d beside it: error %v after %d epochs", i, r.Err, len(r.Loss))
		}
		if want := alone[0].Loss[s.Epochs-1]; !close(r.Loss[s.Epochs-1], want, 1e-4) {
			t.Errorf("member %d beside it: last loss %v, alone %v", i, r.Loss[s.Epochs-1], want)
		}
	}
}

func shapes(t *testing.T, engine kge.Engine) {
	g := Graph()
	s := structure.MustParse("simple")
	draw := func(g *datasets.Graph, m kge.Member, dim int, reciprocal bool) kge.Parameters {
		return kge.Initialize(completion.Data(g), kge.Settings{Dim: dim, InitScale: 1, Reciprocal: reciprocal}, m)
	}
	simple := kge.Member{Structure: s, Seed: 1}
	p := draw(g, simple, 8, false)
	more := &datasets.Graph{Entities: append(slices.Clone(g.Entities), "one more"), Relations: g.Relations}
	for name, other := range map[string]kge.Parameters{
		"dim":        draw(g, simple, 12, false),
		"entities":   draw(more, simple, 8, false),
		"K":          draw(g, kge.Member{Structure: structure.MustParse("1,0;0,2")}, 8, false),
		"directions": draw(g, simple, 8, true),
		"form":       draw(g, kge.Member{Form: form.TransE}, 8, false),
	} {
		if ranker, err := engine.NewRanker([]kge.Parameters{p, other}); err == nil {
			ranker.Close()
			t.Errorf("another %s: no error", name)
		}
	}
	if ranker, err := engine.NewRanker(nil); err == nil {
		ranker.Close()
		t.Error("no model at all: no error")
	}
}

func cancellation(t *testing.T, engine kge.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	s := settings(4)
	s.Epochs = 1000
	epochs := 0
	_, err := kge.Train(ctx, engine, kge.Job{
		Data: completion.Data(Graph()), Settings: s, Members: []kge.Member{kge.DefaultMember(structure.MustParse("simple"))},
		OnEpoch: func(kge.Progress) { epochs++; cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if epochs != 1 {
		t.Errorf("training went on for %d epochs after the context ended", epochs-1)
	}
}

// newStructures holds a population's ranks to those of a ranker that was made for its
// numbers with the structures that its members have since.
func newStructures(t *testing.T, engine kge.Engine) {
	g, s := Graph(), settings(4)
	members := []kge.Member{kge.DefaultMember(structure.MustParse("simple")), kge.DefaultMember(structure.MustParse("quate"))}
	p := populated(t, engine, completion.Data(g), s, members)
	for _, next := range []structure.Structure{structure.MustParse("analogy"), structure.Zero(4), members[1].Structure} {
		if err := p.SetStructure(1, next); err != nil {
			t.Fatal(err)
		}
		all := []kge.Parameters{parametersOf(t, p, 0), parametersOf(t, p, 1)}
		if all[0].Structure != members[0].Structure || all[1].Structure != next {
			t.Errorf("the structures are %s and %s, want %s and %s", all[0].Structure, all[1].Structure, members[0].Structure, next)
		}
		want, err := rankerOf(t, engine, all...).Rank(t.Context(), g.Valid, g.Known())
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Rank(t.Context(), g.Valid, g.Known())
		if err != nil {
			t.Fatal(err)
		}
		for member := range all {
			if !slices.Equal(got[member], want[member]) {
				t.Errorf("member %d with %s: ranks %v, a ranker has %v", member, all[member].Structure, got[member], want[member])
			}
		}
	}
	if err := p.SetStructure(1, structure.MustParse("1,0;0,2")); err == nil || parametersOf(t, p, 1).Structure != members[1].Structure {
		t.Errorf("a structure with K=2 took the place of one with K=4: %v", err)
	}
	if members[1].Structure != structure.MustParse("quate") {
		t.Errorf("the caller's member has structure %s now", members[1].Structure)
	}
}

func sharing(t *testing.T, engine kge.Engine) {
	g, s := Graph(), settings(4)
	s.Decay, s.Dim, s.Epochs = 0.9, 16, 10
	member := kge.Member{Structure: structure.MustParse("analogy"), Seed: 3, LearningRate: 0.2, Weights: kge.Weights{N3: 0.01}}
	alone := train(t, engine, completion.Data(g), s, member)[0]
	shared, err := completion.TrainShared(t.Context(), engine, completion.SharedJob{Graph: g, Settings: s, Member: member, Candidates: []structure.Structure{member.Structure}, SampleSeed: 9})
	if err != nil {
		t.Fatal(err)
	}
	for epoch, want := range alone.Loss {
		if !close(shared.Loss[epoch], want, 1e-4) {
			t.Errorf("epoch %d: loss %v shared, %v alone", epoch, shared.Loss[epoch], want)
		}
	}
	valid, err := completion.Evaluate(t.Context(), engine, alone.Model, g, "valid", kge.Pessimistic)
	if err != nil {
		t.Fatal(err)
	}
	if got := shared.Candidates[0].Valid; got.Triples != valid.Triples || !close(got.Both.MRR, valid.Both.MRR, 0.02) {
		t.Errorf("validation MRR %v over %d triples shared, %v over %d alone", got.Both.MRR, got.Triples, valid.Both.MRR, valid.Triples)
	}
}

// learning lifts every form from chance on what it is trained on: triples, paths, and
// paths by drawn entities.
func learning(t *testing.T, engine kge.Engine) {
	g, paths := Graph(), Paths(t, 40, 3, 150)
	onPaths, err := paths.Training(query.Paths{Hops: []int{2}, With: []int{1}, AnswerPower: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range Members() {
		if name == "empty" { // its queries have zeros in a chunk
			continue
		}
		s := kge.DefaultSettings()
		k := max(1, m.Structure.K())
		s.Dim, s.Epochs, s.Batch = 32/k*k, 60, 50
		m.LearningRate = 0.3
		if d := completion.Data(g); engine.Supports(d, s, []kge.Member{m}) == nil {
			e, err := completion.Evaluate(t.Context(), engine, train(t, engine, d, s, m)[0].Model, g, "train", kge.Pessimistic)
			if err != nil {
				t.Fatal(err)
			}
			if least := map[bool]float64{true: 0.9, false: 0.6}[m.Form.Products()]; e.Both.MRR < least {
				t.Errorf("%s: MRR on the training triples is %.3f after %d epochs: the model has not learnt them", name, e.Both.MRR, s.Epochs)
			}
		}
		s.Dim, s.Reciprocal = 16/k*k, true
		for _, negatives := range []kge.Sampling{{}, {Negatives: 10, Margin: 3}} {
			s.Sampling = negatives
			if m.Form.Products() && negatives.Negatives > 0 || engine.Supports(onPaths, s, []kge.Member{m}) != nil {
				continue
			}
			evaluate := func(p kge.Parameters) float64 {
				e, err := query.Evaluate(t.Context(), rankerOf(t, engine, p), 0, paths.Queries(query.InTrain, 2))
				if err != nil {
					t.Fatal(err)
				}
				return e.MRR
			}
			before, after := evaluate(kge.Initialize(onPaths, s, m)), evaluate(train(t, engine, onPaths, s, m)[0].Model.Parameters)
			if after < before+0.15 {
				t.Errorf("%s, %d negatives: training lifts the MRR of training queries from %.3f to %.3f only", name, negatives.Negatives, before, after)
			}
		}
	}
}
