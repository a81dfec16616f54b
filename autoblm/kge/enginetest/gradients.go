package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// near compares numbers up to a share of the largest.
func near(t testing.TB, what string, tolerance float64, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale := 1.0
	for _, x := range want {
		scale = math.Max(scale, math.Abs(x))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*scale) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// nearTables compares the numbers of models.
func nearTables(t testing.TB, what string, tolerance float64, got, want kge.Tables) {
	t.Helper()
	for table, numbers := range float64Tables(got) {
		near(t, fmt.Sprintf("%s: table %d", what, table), tolerance, numbers, float64Tables(want)[table])
	}
}

// gradientProbe tells an engine's gradients: Adam's first mean is a tenth of the first.
type gradientProbe struct {
	kge.Population
	parameters kge.Parameters
	zeros      kge.MemberState
}

func newGradientProbe(t testing.TB, engine kge.Engine, d *kge.Data, s kge.Settings, m kge.Member) *gradientProbe {
	t.Helper()
	s.Optimizer, s.MaxNorm = kge.Adam, 0
	e := &gradientProbe{Population: newPopulation(t, engine, d, s, []kge.Member{m})}
	state, err := e.State()
	must(t, err)
	e.zeros, e.parameters = state.Members[0], state.Members[0].Parameters
	return e
}

// gradient is the loss of a batch and its gradient by all tables, at the given numbers
// and in the given step, from 1.
func (e *gradientProbe) gradient(t testing.TB, p kge.Parameters, batch []kge.Example, step int) (loss float64, tables [][]float64) {
	t.Helper()
	at := e.zeros
	at.Parameters = p
	must(t, e.SetState(kge.State{Steps: step - 1, Members: []kge.MemberState{at}}))
	epoch, err := e.Epoch(t.Context(), [][]kge.Example{batch}, []float64{1e-3})
	must(t, err)
	state, err := e.State()
	must(t, err)
	tables = float64Tables(state.Members[0].Slots[0])
	for _, table := range tables {
		for i := range table {
			table[i] *= 10
		}
	}
	return epoch.Loss[0], tables
}

// gradients holds losses and gradients to difference quotients, at the first step and
// at the second, for all scenarios.
func gradients(t *testing.T, engine kge.Engine, tolerance float64) {
	for _, c := range scenarios(t, engine) {
		t.Run(c.name, func(t *testing.T) {
			CheckGradients(t, engine, c.data, c.settings, c.member, tolerance, 2, math.MaxInt)
		})
	}
}

// manyRows holds some numbers of gradients to difference quotients where there are more
// entities, relations and examples than an engine takes at a time.
func manyRows(t *testing.T, engine kge.Engine, tolerance float64) {
	many, few := completion.Data(RandomGraph(450, 100, 130, 1)), completion.Data(RandomGraph(20, 2, 700, 1)) // questions
	for _, c := range []struct {
		recipe string
		batch  int
		data   *kge.Data
	}{
		{"reciprocal with all weights", 130, many}, {"everything but reverses", 130, many},
		{"together, all", 130, many}, {"together, all", 600, few}, {"together, sampled", 150, few}, {"together, sparse", 150, few},
	} {
		s, m := kge.DefaultSettings(), Members()["quate"]
		s.Dim, s.InitScale = 8, 0.5
		recipe := Recipes()[c.recipe]
		recipe.Set(&s)
		s.Batch, m.Weights = c.batch, recipe.Weights
		if engine.Supports(c.data, s, []kge.Member{m}) == nil {
			CheckGradients(t, engine, c.data, s, m, tolerance, 1, 4)
		}
	}
	paths := Paths(t, 450, 3, 1500)
	for _, hops := range []int{1, 3} {
		data := pathData(t, paths, query.Paths{Hops: []int{hops}, AnswerPower: 0.5})
		s, m := kge.DefaultSettings(), Members()["mixed"]
		s.Dim, s.Batch, s.InitScale, s.Reciprocal, m.N3 = 8, 150, 0.5, true, 0.1
		if engine.Supports(data, s, []kge.Member{m}) == nil {
			CheckGradients(t, engine, data, s, m, tolerance, 1, 4)
		}
	}
}

// CheckGradients holds the losses of the first batches, each in its step, and some numbers of
// each table's gradient to difference quotients; all numbers where there are no more.
func CheckGradients(t testing.TB, engine kge.Engine, d *kge.Data, s kge.Settings, m kge.Member, tolerance float64, batches, numbers int) {
	t.Helper()
	e := newGradientProbe(t, engine, d, s, m)
	r := newReference(d, s, m, e.parameters)
	rng := rand.New(rand.NewPCG(1, 9))
	for i, batch := range d.Batches(s, 1)[:batches] {
		step := i + 1
		what := fmt.Sprintf("%v, %v, step %d", m.Form, m.Structure, step)
		loss, tables := e.gradient(t, e.parameters, batch, step)
		near(t, what+": loss", tolerance, []float64{loss}, []float64{r.loss(batch, step)})
		for table, gradient := range tables {
			var got, want []float64
			for _, n := range rng.Perm(len(gradient))[:min(numbers, len(gradient))] {
				got, want = append(got, gradient[n]), append(want, r.slope(table, n, batch, step))
			}
			near(t, fmt.Sprintf("%s: gradient by table %d", what, table), tolerance, got, want)
		}
	}
}

// CheckAgreement holds the losses of the first batches and their gradients, all numbers of them, to
// those of another engine or precision: losses up to a share of the largest score's terms,
// numbers up to a share of a gradient's largest number, or of what its terms are about: products of two first numbers, of each chunk, and the queries,
// which grow with each hop. They may cancel, as a query with its likely answer does.
func CheckAgreement(t testing.TB, engine, other kge.Engine, d *kge.Data, s kge.Settings, m kge.Member, tolerance float64, batches int) {
	t.Helper()
	e, reference := newGradientProbe(t, engine, d, s, m), newGradientProbe(t, other, d, s, m)
	definition := newReference(d, s, m, e.parameters)
	for i, batch := range d.Batches(s, 1)[:batches] {
		what := fmt.Sprintf("%v, %v, step %d", m.Form, m.Structure, i+1)
		loss, tables := e.gradient(t, e.parameters, batch, i+1)
		wantLoss, want := reference.gradient(t, e.parameters, batch, i+1)
		near(t, what+": loss", tolerance*math.Max(1, definition.scoreScale(batch)), []float64{loss}, []float64{wantLoss})
		largest := s.InitScale * s.InitScale * float64(max(1, m.Structure.K()))
		terms := slices.Clone(want)
		for _, x := range batch {
			terms = append(terms, definition.query(x.Question))
		}
		for _, x := range slices.Concat(terms...) {
			largest = math.Max(largest, math.Abs(x))
		}
		for table, gradient := range tables {
			for n, x := range gradient {
				if w := want[table][n]; !(math.Abs(x-w) <= tolerance*largest) {
					t.Fatalf("%s: number %d of the gradient by table %d is %v, want %v, and the largest are about %v", what, n, table, x, w, largest)
				}
			}
		}
	}
}

// steps move by the gradients as Adagrad and Adam say, and entities that are
// longer than the largest norm are shortened, also where the structure changes on the way.
func steps(t *testing.T, engine kge.Engine, tolerance float64) {
	d := completion.Data(RandomGraph(250, 3, 300, 4))
	for _, optimizer := range []kge.Optimizer{kge.Adagrad, kge.Adam} {
		for _, largest := range []float64{0, 1} {
			s, m := kge.DefaultSettings(), Members()["quate"]
			s.Dim, s.Batch, s.Optimizer, s.MaxNorm, s.InitScale = 8, 70, optimizer, largest, 0.5
			e := newGradientProbe(t, engine, d, s, m)
			p := newPopulation(t, engine, d, s, []kge.Member{m})
			present := e.parameters
			var slots [][][2]float64
			for _, table := range float64Tables(present.Tables) {
				slots = append(slots, make([][2]float64, len(table)))
			}
			for i, next := range []structure.Structure{m.Structure, m.Structure, structure.MustParse("simple")} {
				batch := d.Batches(s, 1)[i]
				present.Structure = next
				must(t, p.SetStructure(0, next))
				_, gradient := e.gradient(t, present, batch, i+1)
				epoch, err := p.Epoch(t.Context(), [][]kge.Example{batch}, []float64{0.1})
				if err != nil || len(epoch.StepSeconds) != 1 {
					t.Fatal(epoch.StepSeconds, err)
				}
				want := float64Tables(present.Tables)
				for table := range want {
					for n, g := range gradient[table] {
						optimizerStep(optimizer, &want[table][n], &slots[table][n], g, i+1)
					}
				}
				for from := 0; largest > 0 && from < len(want[0]); from += s.Dim {
					row := want[0][from:][:s.Dim]
					if norm := math.Sqrt(powerSum(row, 2)); norm > largest {
						for n := range row {
							row[n] *= largest / norm
						}
					}
				}
				present = parametersOf(t, p, 0)
				for table, got := range float64Tables(present.Tables) {
					nearAfterStep(t, fmt.Sprintf("%v, step %d: table %d", optimizer, i+1, table), 100*tolerance, got, want[table])
				}
			}
		}
	}
}

// nearAfterStep compares numbers after a step. The first step of both optimizers is the rate
// times the sign of the gradient, and the sign of one that is all but 0 is a matter of
// rounding: a few numbers may be off.
func nearAfterStep(t *testing.T, what string, tolerance float64, got, want []float64) {
	t.Helper()
	off := 0
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance {
			off++
		}
	}
	if off > len(want)/100 {
		t.Errorf("%s: %d of %d numbers are not where the step leads", what, off, len(want))
	}
}

// optimizerStep moves a number by its gradient at a rate of 0.1.
func optimizerStep(o kge.Optimizer, x *float64, slot *[2]float64, g float64, step int) {
	if o == kge.Adagrad {
		slot[0] += g * g
		*x -= 0.1 * g / (math.Sqrt(slot[0]) + 1e-10)
		return
	}
	slot[0], slot[1] = 0.9*slot[0]+0.1*g, 0.999*slot[1]+0.001*g*g
	mean, square := slot[0]/(1-math.Pow(0.9, float64(step))), slot[1]/(1-math.Pow(0.999, float64(step)))
	*x -= 0.1 * mean / (math.Sqrt(square) + 1e-8)
}
