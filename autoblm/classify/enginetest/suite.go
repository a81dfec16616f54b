package enginetest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Tolerance limits the deviations of an engine: Reference from the reference, and Members between
// a model in a population and alone. Both are relative for values above 1.
type Tolerance struct{ Reference, Members float64 }

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

// Run checks everything that the interfaces promise: single steps with some settings, such as all
// of [Settings], and populations with the same or fewer settings.
func Run(
	t *testing.T, engine classify.Engine, tolerance Tolerance, steps, populations []classify.Settings,
) {
	t.Run("steps and logits follow the reference", func(t *testing.T) {
		for i, s := range steps {
			t.Run(Describe(s), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(i)))
				follow(t, engine, RandomGraph(rng, 20, 3, 50), s, rng, tolerance.Reference)
			})
		}
	})
	t.Run("nodes without edges follow the reference", func(t *testing.T) {
		for i, s := range populations {
			rng := rand.New(rand.NewPCG(2, uint64(i)))
			follow(t, engine, RandomGraph(rng, 20, 3, 0), s, rng, tolerance.Reference)
		}
	})
	t.Run("a node without messages passes no gradient", func(t *testing.T) { noGradient(t, engine) })
	t.Run("models in a population match single and resumed runs",
		func(t *testing.T) { inPopulations(t, engine, tolerance.Members, populations) })
	t.Run("an inactive model does not influence the others",
		func(t *testing.T) { inactive(t, engine, tolerance.Members) })
	t.Run("without an active model nothing changes", func(t *testing.T) { idle(t, engine) })
	t.Run("a cancelled context ends training", func(t *testing.T) { cancellation(t, engine) })
}

// runs returns three models that differ in all their settings.
func runs(n *classify.Network) []classify.Run {
	var all []classify.Run
	for i := range 3 {
		m := classify.Member{Seed: uint64(5 + i), LearningRate: 0.03 / float64(i+1),
			Dropout: 0.25 * float64(i), L2: 0.02 * float64(2-i)}
		if s := n.Settings; s.Encoder == classify.BLM {
			names := []string{"1,-2;2,1", "0,1;-2,-2", "-2,1;1,1"}
			if s.Dim%8 == 0 {
				names = []string{"quate", "simple", "analogy"}
			}
			m.Structure = structure.MustParse(names[i])
		}
		all = append(all, classify.Run{Member: m, Learn: []int{i, 3, 4, 7, 8}})
	}
	return all
}

// place returns a population that is closed at the end of the test.
func place(
	t *testing.T, engine classify.Engine, n *classify.Network, runs []classify.Run,
) classify.Population {
	t.Helper()
	program, err := engine.Prepare(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(program.Close)
	population, err := program.NewPopulation(runs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(population.Close)
	return population
}

func step(t *testing.T, p classify.Population, active ...bool) []float32 {
	t.Helper()
	losses, err := p.Step(t.Context(), active)
	if err != nil {
		t.Fatal(err)
	}
	return losses
}

func tables(t *testing.T, p classify.Population, model int) [][]float32 {
	t.Helper()
	s, err := p.State(model)
	if err != nil {
		t.Fatal(err)
	}
	return s.Tables
}

func logits(t *testing.T, p classify.Population, active ...bool) [][]float32 {
	t.Helper()
	all, err := p.Logits(t.Context(), active)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// follow compares steps of models with the reference, with large parameters. The reference starts
// each step from the state of the engine, so that rounding errors do not add up.
func follow(
	t *testing.T, engine classify.Engine, g *rdf.Graph, s classify.Settings, rng *rand.Rand,
	tolerance float64,
) {
	t.Helper()
	n := classify.NewNetwork(g, s)
	all := runs(n)[1:]
	var models []*followed
	for i := range all {
		all[i].Tables = n.Initialize(all[i].Member.Seed)
		for p := range n.Parameters {
			for at, x := range all[i].Tables[p] {
				if p > 0 || x != 0 { // keep embeddings of zeros
					all[i].Tables[p][at] = float32(rng.NormFloat64() * 1.4 / math.Sqrt(float64(s.Dim)))
				}
			}
		}
		models = append(models, newFollowed(g, n, all[i], rng))
	}
	population := place(t, engine, n, all)
	labels := slices.Concat(g.Train, g.Test)
	for number := 1; number <= 2; number++ {
		for i, m := range models {
			m.expect(tables(t, population, i), number)
		}
		losses := step(t, population, true, true)
		for i, m := range models {
			if !near(float64(losses[i]), m.loss, tolerance) {
				t.Errorf("model %d, step %d: loss %v, want %v", i, number, losses[i], m.loss)
			}
			m.compare(t, tables(t, population, i), tolerance)
		}
	}
	for i, got := range logits(t, population, true, true) {
		m := models[i]
		m.set(n, tables(t, population, i))
		m.mask = func(int32, int) []float64 { return nil }
		if want := slices.Concat(m.logits(labels)...); !slices.EqualFunc(got, want,
			func(a float32, b float64) bool { return near(float64(a), b, tolerance) }) {
			t.Errorf("model %d: logits %v, want %v", i, got, want)
		}
	}
}

// followed is a model of the reference with some of its parameters under Adam.
type followed struct {
	*reference
	network *classify.Network
	run     classify.Run
	loss    float64
	some    []*sampled
}

type sampled struct {
	parameter, at           int
	mean, square, rate, now float64
	vague                   bool // gradient too small for float32, or at a kink
}

func newFollowed(g *rdf.Graph, n *classify.Network, r classify.Run, rng *rand.Rand) *followed {
	m := &followed{reference: newReference(g, n.Settings, r.Member.Structure), network: n, run: r}
	for i, p := range n.Parameters {
		for range min(p.Size(), 4) {
			m.some = append(m.some, &sampled{parameter: i, at: rng.IntN(p.Size())})
		}
	}
	return m
}

// expect computes the result of a step from the parameters before it.
func (m *followed) expect(before [][]float32, step int) {
	m.set(m.network, before)
	m.mask = func(node int32, layer int) []float64 {
		mask := make([]float32, m.settings.Dim)
		m.run.Member.DropoutMask(mask, []int32{node}, step, layer)
		wide := make([]float64, len(mask))
		for i, x := range mask {
			wide[i] = float64(x)
		}
		return wide
	}
	m.loss = m.reference.loss(m.run.Learn)
	for _, x := range m.some {
		p := m.network.Parameters[x.parameter]
		table := m.tables[p.Layer][p.Name]
		x.now = table[x.at]
		const h = 1e-6
		table[x.at] = x.now + h
		right := (m.reference.loss(m.run.Learn) - m.loss) / h
		table[x.at] = x.now - h
		left := (m.loss - m.reference.loss(m.run.Learn)) / h
		table[x.at] = x.now
		gradient := (left + right) / 2
		if p.Name == classify.EntityEmbeddings {
			gradient += m.run.Member.L2 * x.now
		}
		x.vague = x.vague || gradient != 0 && math.Abs(gradient) < 1e-3 ||
			math.Abs(left-right) > 1e-3*math.Abs(gradient)
		x.mean = 0.9*x.mean + 0.1*gradient
		x.square = 0.999*x.square + 0.001*gradient*gradient
		mean, square := x.mean/(1-math.Pow(0.9, float64(step))),
			x.square/(1-math.Pow(0.999, float64(step)))
		x.rate = mean / (math.Sqrt(square) + 1e-8)
	}
}

// compare compares the parameters after a step with the expected ones, relative to the rate.
func (m *followed) compare(t *testing.T, after [][]float32, tolerance float64) {
	t.Helper()
	for _, x := range m.some {
		rate, got := m.run.Member.LearningRate, float64(after[x.parameter][x.at])
		if want := x.now - rate*x.rate; !x.vague && math.Abs(got-want) > 30*tolerance*rate {
			t.Errorf("%v, number %d: %v became %v, want %v", m.network.Parameters[x.parameter],
				x.at, x.now, got, want)
		}
	}
}

// noGradient checks nodes without edges and with a bias of 0: their sum is exactly 0, and no
// gradient passes.
func noGradient(t *testing.T, engine classify.Engine) {
	s := classify.Defaults(classify.GCN)
	s.SelfLoops, s.Layers = false, 1
	n := classify.NewNetwork(RandomGraph(rand.New(rand.NewPCG(6, 6)), 20, 3, 0), s)
	p := place(t, engine, n, runs(n)[:1])
	before := tables(t, p, 0)
	step(t, p, true)
	for i, after := range tables(t, p, 0) {
		if about := n.Parameters[i]; about.Layer >= 0 && !slices.Equal(after, before[i]) {
			t.Errorf("%v has changed", about)
		}
	}
}

// inPopulations checks that models in a population, in any order, match single runs, and that a
// population resumes from the states of another.
func inPopulations(
	t *testing.T, engine classify.Engine, tolerance float64, settings []classify.Settings,
) {
	for i, s := range settings {
		n := classify.NewNetwork(RandomGraph(rand.New(rand.NewPCG(3, uint64(i))), 30, 4, 150), s)
		all := runs(n)
		turned, resumed := slices.Clone(all), slices.Clone(all)
		slices.Reverse(turned)
		together, reversed := place(t, engine, n, all), place(t, engine, n, turned)
		for range 2 {
			step(t, together, true, true, true)
			step(t, reversed, true, true, true)
		}
		for i, r := range all {
			alone := place(t, engine, n, []classify.Run{r})
			step(t, alone, true)
			step(t, alone, true)
			same(t, n, tables(t, together, i), tables(t, alone, 0), tolerance)
			same(t, n, tables(t, reversed, 2-i), tables(t, alone, 0), tolerance)
			state, err := together.State(i)
			if err != nil || state.Steps != 2 {
				t.Fatalf("after two steps the state has %d, %v", state.Steps, err)
			}
			resumed[i].State = state
		}
		second := place(t, engine, n, resumed)
		losses := step(t, together, true, true, true) // must not change the copied states
		for i, loss := range step(t, second, true, true, true) {
			if !near(float64(loss), float64(losses[i]), tolerance) {
				t.Errorf("%s, model %d: loss %v, want %v", Describe(s), i, loss, losses[i])
			}
			same(t, n, tables(t, second, i), tables(t, together, i), tolerance)
		}
	}
}

func inactive(t *testing.T, engine classify.Engine, tolerance float64) {
	s := classify.Defaults(classify.CompGCNSub)
	s.Dim = 4
	n := classify.NewNetwork(RandomGraph(rand.New(rand.NewPCG(4, 4)), 30, 4, 150), s)
	all := runs(n)
	all[1].Member.LearningRate = 1e30
	together, alone := place(t, engine, n, all), place(t, engine, n, all[2:])
	finite := true
	for range 4 {
		loss := float64(step(t, together, false, finite, true)[1])
		finite = finite && !math.IsNaN(loss) && !math.IsInf(loss, 0)
		step(t, alone, true)
	}
	if finite {
		t.Error("a learning rate of 1e30 did no harm")
	}
	same(t, n, tables(t, together, 2), tables(t, alone, 0), tolerance)
	same(t, n, logits(t, together, false, false, true)[2:], logits(t, alone, true), tolerance)
}

func same(t *testing.T, n *classify.Network, got, want [][]float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if !slices.EqualFunc(got[i], want[i], func(a, b float32) bool {
			return near(float64(a), float64(b), tolerance)
		}) {
			t.Errorf("%s, table %d: %v, alone %v", Describe(n.Settings), i, got[i], want[i])
		}
	}
}

// idle checks the step of models that all took it before an interruption.
func idle(t *testing.T, engine classify.Engine) {
	n := classify.NewNetwork(KindsGraph(24), classify.Defaults(classify.GCN))
	p := place(t, engine, n, runs(n)[:1])
	step(t, p, true)
	before, err := p.State(0)
	if err != nil {
		t.Fatal(err)
	}
	step(t, p, false)
	if after, err := p.State(0); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("a step without active models changed the state: %v", err)
	}
}

func cancellation(t *testing.T, engine classify.Engine) {
	n := classify.NewNetwork(KindsGraph(24), classify.Defaults(classify.GCN))
	p := place(t, engine, n, runs(n)[:1])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errStep := p.Step(ctx, []bool{true})
	_, errLogits := p.Logits(ctx, []bool{true})
	if !errors.Is(errStep, context.Canceled) || !errors.Is(errLogits, context.Canceled) {
		t.Errorf("after the end, a step returns %v and logits %v", errStep, errLogits)
	}
}
