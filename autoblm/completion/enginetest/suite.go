package enginetest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Run checks everything that the interfaces promise.
func Run(t *testing.T, engine completion.Engine) {
	t.Run("losses follow the reference", func(t *testing.T) { losses(t, engine) })
	t.Run("recipes follow the reference", func(t *testing.T) { recipes(t, engine) })
	t.Run("a population gives what single runs give", func(t *testing.T) { populations(t, engine) })
	t.Run("ranks follow the definition", func(t *testing.T) { ranks(t, engine) })
	t.Run("a score that is not a number ranks last", func(t *testing.T) { notANumber(t, engine) })
	t.Run("a diverged member leaves the others alone", func(t *testing.T) { divergence(t, engine) })
	t.Run("models of two shapes are not ranked together", func(t *testing.T) { shapes(t, engine) })
	t.Run("the end of the context ends training", func(t *testing.T) { cancellation(t, engine) })
	t.Run("a member takes another structure on its way", func(t *testing.T) { newStructures(t, engine) })
	t.Run("a population goes on from the state of another", func(t *testing.T) {
		continues(t, engine, func(got, want float64) bool { return near(got, want, 1e-4) })
	})
	t.Run("with one candidate shared training is training", func(t *testing.T) { sharing(t, engine) })
	t.Run("training learns", func(t *testing.T) { learning(t, engine) })
}

func settings(k int) completion.Settings {
	s := completion.DefaultSettings()
	s.Dim, s.Batch, s.Epochs = 3*k, 32, 3
	return s
}

// near allows for float32 arithmetic.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

func losses(t *testing.T, engine completion.Engine) {
	g := Graph()
	for i, s := range structures() {
		for _, optimizer := range []completion.Optimizer{completion.Adagrad, completion.Adam} {
			set := settings(s.K())
			set.Optimizer, set.Decay = optimizer, 0.9
			Follow(t, engine, g, set, completion.Member{Structure: s, Seed: uint64(i), LearningRate: 0.1, Weights: completion.Weights{L2: 0.01 * float64(i%2), N3: 0.02 * float64(i%3)}})
		}
	}
}

// Recipes are settings and weights, each apart and some together, that every
// engine follows.
func Recipes() map[string]struct {
	Set     func(s *completion.Settings)
	Weights completion.Weights
} {
	type recipe = struct {
		Set     func(s *completion.Settings)
		Weights completion.Weights
	}
	nothing := func(*completion.Settings) {}
	reciprocal := func(s *completion.Settings) { s.Reciprocal = true }
	return map[string]recipe{
		"relation l2":         {nothing, completion.Weights{RelationL2: 0.05}},
		"entity l2":           {nothing, completion.Weights{EntityL2: 0.05}},
		"products":            {nothing, completion.Weights{Products: 0.05}},
		"relation prediction": {nothing, completion.Weights{RelationPrediction: 0.7}},
		"dropout":             {func(s *completion.Settings) { s.Dropout = 0.4 }, completion.Weights{Products: 0.02}},
		"label smoothing":     {func(s *completion.Settings) { s.LabelSmoothing = 0.2 }, completion.Weights{}},
		"largest norm":        {func(s *completion.Settings) { s.MaxNorm, s.InitScale = 0.5, 0.3 }, completion.Weights{}},
		"xavier":              {func(s *completion.Settings) { s.Initial = completion.Xavier }, completion.Weights{}},
		"reciprocal":          {reciprocal, completion.Weights{}},
		"reciprocal with all weights": {reciprocal, completion.Weights{
			L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04, Products: 0.05, RelationPrediction: 0.6}},
		"everything": {func(s *completion.Settings) {
			s.Reciprocal, s.Dropout, s.LabelSmoothing, s.MaxNorm, s.InitScale = true, 0.2, 0.1, 0.8, 0.3
		}, completion.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04, Products: 0.05, RelationPrediction: 0.6}},
		"everything but reverses": {func(s *completion.Settings) {
			s.Dropout, s.LabelSmoothing, s.MaxNorm, s.InitScale = 0.2, 0.1, 0.8, 0.3
		}, completion.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04, Products: 0.05, RelationPrediction: 0.6}},
	}
}

func recipes(t *testing.T, engine completion.Engine) {
	g := Graph()
	for name, recipe := range Recipes() {
		t.Run(name, func(t *testing.T) {
			for i, s := range structures() {
				set := settings(s.K())
				recipe.Set(&set)
				if i%2 == 1 {
					set.Optimizer = completion.Adam
				}
				Follow(t, engine, g, set, completion.Member{Structure: s, Seed: uint64(i), LearningRate: 0.1, Weights: recipe.Weights})
			}
		})
	}
}

// Follow trains a member for two epochs and holds its losses and its
// embeddings to the reference.
func Follow(t testing.TB, engine completion.Engine, g *datasets.Graph, set completion.Settings, member completion.Member) {
	t.Helper()
	population, err := engine.NewPopulation(g, set, []completion.Member{member})
	if err != nil {
		t.Fatal(err)
	}
	defer population.Close()
	want := newReference(g, set, member)
	for epoch := range 2 {
		rate := member.LearningRate * math.Pow(set.Decay, float64(epoch))
		got, err := population.Epoch(t.Context(), g.Train, []float64{rate})
		if err != nil {
			t.Fatal(err)
		}
		expected := 0.0
		for start := 0; start < len(g.Train); start += set.Batch {
			batch := g.Train[start:min(start+set.Batch, len(g.Train))]
			expected += want.step(batch, rate) * float64(len(batch)) / float64(len(g.Train))
		}
		if !near(got.Loss[0], expected, 1e-4) {
			t.Errorf("%s, %v, epoch %d: loss %v, the reference has %v", member.Structure, set.Optimizer, epoch, got.Loss[0], expected)
		}
	}
	p, err := population.Parameters(0)
	if err != nil {
		t.Fatal(err)
	}
	want.holds(t, p)
}

// newStructures changes the structure of one of two members before each step: the
// steps are the reference's with that structure, from the embeddings and the
// optimizer's memory as they were.
func newStructures(t *testing.T, engine completion.Engine) {
	g := Graph()
	for _, optimizer := range []completion.Optimizer{completion.Adagrad, completion.Adam} {
		set := settings(4)
		set.Optimizer = optimizer
		var members []completion.Member
		var want []*reference
		for i, name := range []string{"simple", "quate"} {
			m := completion.Member{Structure: structure.MustParse(name), Seed: uint64(i), LearningRate: 0.1, Weights: completion.Weights{L2: 0.01, N3: 0.02}}
			members, want = append(members, m), append(want, newReference(g, set, m))
		}
		population, err := engine.NewPopulation(g, set, members)
		if err != nil {
			t.Fatal(err)
		}
		defer population.Close()
		for i, next := range append(ofK(4), structure.Zero(4), members[1].Structure) {
			if err := population.SetStructure(1, next); err != nil {
				t.Fatal(err)
			}
			want[1].member.Structure = next
			batch := g.Train[8*i : 8*i+set.Batch]
			epoch, err := population.Epoch(t.Context(), batch, []float64{0.1, 0.1})
			if err != nil {
				t.Fatal(err)
			}
			for member, w := range want {
				if expected := w.step(batch, w.member.LearningRate); !near(epoch.Loss[member], expected, 1e-4) {
					t.Errorf("%v, step %d, member %d with %s: loss %v, the reference has %v", optimizer, i, member, w.member.Structure, epoch.Loss[member], expected)
				}
			}
			ranksOfPopulation(t, engine, population, g, []structure.Structure{members[0].Structure, next})
		}
		for member, w := range want {
			p, err := population.Parameters(member)
			if err != nil {
				t.Fatal(err)
			}
			w.holds(t, p)
		}
		before, err := population.Parameters(1)
		if err != nil {
			t.Fatal(err)
		}
		if err := population.SetStructure(1, structure.MustParse("1,0;0,2")); err == nil {
			t.Error("a structure with K=2 took the place of one with K=4: no error")
		}
		if after, err := population.Parameters(1); err != nil || after.Structure != before.Structure {
			t.Errorf("after a refusal the structure is %s, want %s; error %v", after.Structure, before.Structure, err)
		}
		if members[1].Structure != structure.MustParse("quate") {
			t.Errorf("the caller's member has structure %s now", members[1].Structure)
		}
	}
}

// ranksOfPopulation holds a population's ranks to those of a ranker that was
// made for its embeddings and the given structures.
func ranksOfPopulation(t *testing.T, engine completion.Engine, population completion.Population, g *datasets.Graph, structures []structure.Structure) {
	t.Helper()
	var parameters []completion.Parameters
	for member, s := range structures {
		p, err := population.Parameters(member)
		if err != nil {
			t.Fatal(err)
		}
		if p.Structure != s {
			t.Errorf("member %d is said to have structure %s, want %s", member, p.Structure, s)
		}
		p.Structure = s
		parameters = append(parameters, p)
	}
	ranker, err := engine.NewRanker(parameters)
	if err != nil {
		t.Fatal(err)
	}
	defer ranker.Close()
	want, err := ranker.Rank(t.Context(), g.Valid, g.Known())
	if err != nil {
		t.Fatal(err)
	}
	got, err := population.Rank(t.Context(), g.Valid, g.Known())
	if err != nil {
		t.Fatal(err)
	}
	for member, s := range structures {
		if !slices.Equal(got[member], want[member]) {
			t.Errorf("member %d with %s: ranks %v, a ranker has %v", member, s, got[member], want[member])
		}
	}
}

func sharing(t *testing.T, engine completion.Engine) {
	g := Graph()
	set := settings(4)
	set.Decay, set.Dim, set.Epochs = 0.9, 16, 10
	member := completion.Member{Structure: structure.MustParse("analogy"), Seed: 3, LearningRate: 0.2, Weights: completion.Weights{N3: 0.01}}
	alone, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: set, Members: []completion.Member{member}})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := completion.TrainShared(t.Context(), engine, completion.SharedJob{Graph: g, Settings: set, Member: member, Candidates: []structure.Structure{member.Structure}, SampleSeed: 9})
	if err != nil {
		t.Fatal(err)
	}
	for epoch, want := range alone.Results[0].Loss {
		if !near(shared.Loss[epoch], want, 1e-4) {
			t.Errorf("epoch %d: loss %v shared, %v alone", epoch, shared.Loss[epoch], want)
		}
	}
	valid, err := completion.Evaluate(t.Context(), engine, alone.Results[0].Model, g, "valid", completion.Pessimistic)
	if err != nil {
		t.Fatal(err)
	}
	if got := shared.Candidates[0].Valid; got.Triples != valid.Triples || !near(got.Both.MRR, valid.Both.MRR, 0.02) {
		t.Errorf("validation MRR %v over %d triples shared, %v over %d alone", got.Both.MRR, got.Triples, valid.Both.MRR, valid.Triples)
	}
}

func populations(t *testing.T, engine completion.Engine) {
	g := Graph()
	var members []completion.Member
	for i, named := range structure.HumanDesigned() {
		members = append(members, completion.Member{Structure: named.Structure, Seed: uint64(i % 2), LearningRate: 0.1 + 0.05*float64(i), Weights: completion.Weights{L2: 0.001 * float64(i), N3: 0.001 * float64(5-i)}})
	}
	members = append(members, members[1], members[0], members[3])
	members[6].RelationPrediction, members[7].Products = 0.5, 0.1
	set := settings(4)
	set.ValidateEvery, set.Patience, set.Epochs = 1, 2, 6
	set.PlateauPatience, set.PlateauFactor = 1, 0.5
	for _, recipe := range []func(){func() {}, func() { set.Reciprocal, set.Dropout, set.MaxNorm = true, 0.2, 1 }} {
		recipe()
		populationLikeSingles(t, engine, g, set, members)
	}
}

func populationLikeSingles(t *testing.T, engine completion.Engine, g *datasets.Graph, set completion.Settings, members []completion.Member) {
	train := func(members []completion.Member) []completion.Result {
		report, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: set, Members: members})
		if err != nil {
			t.Fatal(err)
		}
		return report.Results
	}
	together := train(members)
	for i, m := range members {
		alone := train([]completion.Member{m})[0]
		if len(alone.Loss) != len(together[i].Loss) || alone.BestEpoch != together[i].BestEpoch {
			t.Errorf("member %d: %d epochs, best %d; alone %d epochs, best %d", i, len(together[i].Loss), together[i].BestEpoch, len(alone.Loss), alone.BestEpoch)
			continue
		}
		for epoch, loss := range alone.Loss {
			if !near(together[i].Loss[epoch], loss, 1e-4) {
				t.Errorf("member %d, epoch %d: loss %v among others, %v alone", i, epoch, together[i].Loss[epoch], loss)
			}
		}
		for n, x := range alone.Model.Entities {
			if !near(float64(together[i].Model.Entities[n]), float64(x), 1e-3) {
				t.Errorf("member %d: entity number %d is %v among others, %v alone", i, n, together[i].Model.Entities[n], x)
				break
			}
		}
	}
}

// smallIntegers makes embeddings whose scores are exact in float32, with many ties.
func smallIntegers(g *datasets.Graph, s structure.Structure, dim int, reciprocal bool, seed uint64) completion.Parameters {
	rng := rand.New(rand.NewPCG(seed, 1))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.IntN(3) - 1)
		}
		return x
	}
	p := completion.Parameters{Structure: s, Dim: dim, Reciprocal: reciprocal, Entities: draw(len(g.Entities) * dim)}
	p.Relations = draw(len(g.Relations) * dim)
	if reciprocal {
		p.Relations = append(p.Relations, draw(len(g.Relations)*dim)...)
	}
	return p
}

func ranks(t *testing.T, engine completion.Engine) {
	g := Graph()
	known := map[datasets.Triple]bool{}
	for _, split := range [][]datasets.Triple{g.Train, g.Valid, g.Test} {
		for _, triple := range split {
			known[triple] = true
		}
	}
	ties := 0
	for i, s := range structures() {
		dim := 2 * s.K()
		reciprocal := i%2 == 1
		population := []completion.Parameters{smallIntegers(g, s, dim, reciprocal, uint64(i)), smallIntegers(g, s, dim, reciprocal, uint64(i+100))}
		ranker, err := engine.NewRanker(population)
		if err != nil {
			t.Fatal(err)
		}
		for name, filter := range map[string]*datasets.Known{"filtered": g.Known(), "raw": nil} {
			got, err := ranker.Rank(t.Context(), g.Test, filter)
			if err != nil {
				t.Fatal(err)
			}
			for member, p := range population {
				for n, triple := range g.Test {
					inGraph := known
					if filter == nil {
						inGraph = nil
					}
					want := bruteRank(p, triple, inGraph)
					if got[member][n] != want {
						t.Errorf("%s, %s, member %d, triple %v: rank %+v, by definition %+v", s, name, member, triple, got[member][n], want)
					}
					ties += int(want.Tail.Equal + want.Head.Equal)
				}
			}
		}
		ranker.Close()
	}
	if ties == 0 {
		t.Error("no ties came up, so their rule was not tested")
	}
}

func notANumber(t *testing.T, engine completion.Engine) {
	g := Graph()
	p := smallIntegers(g, structure.MustParse("distmult"), 8, false, 3)
	triple := g.Test[0]
	for n := range p.Dim {
		p.Entities[int(triple.Tail)*p.Dim+n] = float32(math.NaN())
	}
	ranker, err := engine.NewRanker([]completion.Parameters{p})
	if err != nil {
		t.Fatal(err)
	}
	defer ranker.Close()
	got, err := ranker.Rank(t.Context(), []datasets.Triple{triple}, g.Known())
	if err != nil {
		t.Fatal(err)
	}
	last := completion.Rank{Better: int32(len(g.Entities) - len(g.Known().Tails(triple.Head, triple.Relation)))}
	if got[0][0].Tail != last {
		t.Errorf("rank %+v, want the last, %+v", got[0][0].Tail, last)
	}
}

func divergence(t *testing.T, engine completion.Engine) {
	g := Graph()
	set := settings(4)
	set.Epochs, set.ValidateEvery = 4, 2
	sound := completion.DefaultMember(structure.MustParse("complex"))
	wild := sound
	wild.LearningRate = 1e30
	report, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: set, Members: []completion.Member{sound, wild, sound}})
	if err != nil {
		t.Fatal(err)
	}
	if r := report.Results[1]; !errors.Is(r.Err, completion.ErrDiverged) || r.Model != nil {
		t.Errorf("the member with learning rate 1e30: error %v, model %v; want ErrDiverged and none", r.Err, r.Model != nil)
	}
	alone, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: set, Members: []completion.Member{sound}})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		r := report.Results[i]
		if r.Err != nil || r.Model == nil || len(r.Loss) != set.Epochs {
			t.Fatalf("member %d beside it: error %v after %d epochs", i, r.Err, len(r.Loss))
		}
		if want := alone.Results[0].Loss[set.Epochs-1]; !near(r.Loss[set.Epochs-1], want, 1e-4) {
			t.Errorf("member %d beside it: last loss %v, alone %v", i, r.Loss[set.Epochs-1], want)
		}
	}
}

func shapes(t *testing.T, engine completion.Engine) {
	g := Graph()
	s := structure.MustParse("simple")
	draw := func(g *datasets.Graph, s structure.Structure, dim int) completion.Parameters {
		return completion.Initialize(g, completion.Settings{Dim: dim, InitScale: 1}, completion.Member{Structure: s, Seed: 1})
	}
	p := draw(g, s, 8)
	more := &datasets.Graph{Entities: append(slices.Clone(g.Entities), "one more"), Relations: g.Relations}
	both := completion.Initialize(g, completion.Settings{Dim: 8, InitScale: 1, Reciprocal: true}, completion.Member{Structure: s, Seed: 1})
	for name, other := range map[string]completion.Parameters{
		"dim":        draw(g, s, 12),
		"entities":   draw(more, s, 8),
		"K":          draw(g, structure.MustParse("1,0;0,2"), 8),
		"directions": both,
	} {
		if ranker, err := engine.NewRanker([]completion.Parameters{p, other}); err == nil {
			ranker.Close()
			t.Errorf("another %s: no error", name)
		}
	}
	if ranker, err := engine.NewRanker(nil); err == nil {
		ranker.Close()
		t.Error("no model at all: no error")
	}
}

func cancellation(t *testing.T, engine completion.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	set := settings(4)
	set.Epochs = 1000
	job := completion.Job{Graph: Graph(), Settings: set, Members: []completion.Member{completion.DefaultMember(structure.MustParse("simple"))}}
	epochs := 0
	job.OnEpoch = func(completion.Progress) {
		epochs++
		cancel()
	}
	if _, err := completion.Train(ctx, engine, job); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if epochs != 1 {
		t.Errorf("training went on for %d epochs after the context ended", epochs-1)
	}
}

func learning(t *testing.T, engine completion.Engine) {
	g := Graph()
	set := settings(4)
	set.Dim, set.Epochs = 32, 60
	report, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: set, Members: []completion.Member{completion.DefaultMember(structure.MustParse("complex"))}})
	if err != nil {
		t.Fatal(err)
	}
	model := report.Results[0].Model
	trained, err := completion.Evaluate(t.Context(), engine, model, g, "train", completion.Pessimistic)
	if err != nil {
		t.Fatal(err)
	}
	if trained.Both.MRR < 0.9 {
		t.Errorf("MRR on the training triples is %.3f after %d epochs: the model has not learnt them", trained.Both.MRR, set.Epochs)
	}
}
