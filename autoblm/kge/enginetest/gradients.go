package enginetest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// near compares numbers with a tolerance relative to the largest one, or to 1 if that is larger.
func near(t testing.TB, what string, tolerance float64, got, want []float64) {
	t.Helper()
	within(t, what, tolerance*largest(1, want), got, want)
}

// within compares numbers with an absolute tolerance.
func within(t testing.TB, what string, tolerance float64, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: number %d is %v, want %v ± %v", what, i, got[i], want[i], tolerance)
		}
	}
}

// largest returns the largest absolute value of numbers, or least if that is larger.
func largest(least float64, numbers []float64) float64 {
	for _, x := range numbers {
		least = math.Max(least, math.Abs(x))
	}
	return least
}

// nearTables compares all numbers of two models.
func nearTables(t testing.TB, what string, tolerance float64, got, want kge.Tables) {
	t.Helper()
	for table, numbers := range float64Tables(got) {
		near(t, fmt.Sprintf("%s: table %d", what, table), tolerance, numbers, float64Tables(want)[table])
	}
}

// gradientProbe reads an engine's gradients from its state: Adam's first moving average is a
// tenth of the gradient.
type gradientProbe struct {
	kge.Population
	parameters kge.Parameters
	zeros      kge.MemberState
}

func newGradientProbe(t testing.TB, engine kge.Engine, d *kge.Data, s kge.Settings,
	m kge.Member) *gradientProbe {
	t.Helper()
	s.Optimizer, s.MaxNorm = kge.Adam, 0
	e := &gradientProbe{Population: newPopulation(t, engine, d, s, []kge.Member{m})}
	state, err := e.State()
	must(t, err)
	e.zeros, e.parameters = state.Members[0], state.Members[0].Parameters
	return e
}

// gradient returns the loss of a batch and its gradient with respect to all tables, for given
// parameters and step, counted from 1.
func (e *gradientProbe) gradient(t testing.TB, p kge.Parameters, batch []kge.Example, step int) (
	loss float64, tables [][]float64) {
	t.Helper()
	at := e.zeros
	at.Parameters = p
	must(t, e.SetState(kge.State{Steps: step - 1, Members: []kge.MemberState{at}}))
	epoch, err := e.Epoch(t.Context(), kge.BatchesOf(batch), []float64{1e-3})
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

// gradients compares losses and gradients of scenarios with the definition, at the first and the
// second step. It returns the number of scenarios that the engine supports.
func gradients(t *testing.T, engine kge.Engine, tolerance float64, in Scope) (supported int) {
	for _, c := range scenarios(t, in) {
		if engine.Supports(c.data, c.settings, []kge.Member{c.member}) == nil {
			supported++
			t.Run(c.name, func(t *testing.T) { c.Check(t, engine, tolerance) })
		}
	}
	return supported
}

// manyRows compares gradients with the definition for more entities, relations and examples than an
// engine processes at a time.
func manyRows(t *testing.T, engine kge.Engine, tolerance float64) {
	for _, c := range largeScenarios(t) {
		if engine.Supports(c.data, c.settings, []kge.Member{c.member}) == nil {
			t.Run(c.name, func(t *testing.T) { c.Check(t, engine, tolerance) })
		}
	}
}

// CheckGradients compares an engine with the definition for one case, see [NewCase].
func CheckGradients(t testing.TB, engine kge.Engine, d *kge.Data, s kge.Settings, m kge.Member,
	tolerance float64, batches, numbers int) {
	t.Helper()
	NewCase(d, s, m, batches, numbers).Check(t, engine, tolerance)
}

// CheckAgreement compares the losses and gradients of the first batches with those of another
// engine or precision. The tolerance of losses is relative to the terms of the largest score. That
// of gradients is relative to their largest number or to the size of their terms, which may
// cancel: products of two initial numbers for each chunk, and queries, which grow with each hop.
func CheckAgreement(t testing.TB, engine, other kge.Engine, d *kge.Data, s kge.Settings,
	m kge.Member, tolerance float64, batches int) {
	t.Helper()
	e, reference := newGradientProbe(t, engine, d, s, m), newGradientProbe(t, other, d, s, m)
	definition := newReference(d, s, m, e.parameters)
	for i, batch := range d.Batches(s, 1).All()[:batches] {
		what := fmt.Sprintf("%v, %v, step %d", m.Form, m.Structure, i+1)
		loss, tables := e.gradient(t, e.parameters, batch, i+1)
		wantLoss, want := reference.gradient(t, e.parameters, batch, i+1)
		scale := math.Max(1, definition.scoreScale(batch))
		near(t, what+": loss", tolerance*scale, []float64{loss}, []float64{wantLoss})
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
					t.Fatalf("%s: number %d of the gradient of table %d is %v, want %v; the scale is %v",
						what, n, table, x, w, largest)
				}
			}
		}
	}
}

// steps compares the steps of Adagrad and Adam with their formulas, with and without a maximum
// norm and a rate of relations, also when the structure changes between steps.
func steps(t *testing.T, engine kge.Engine, tolerance float64) {
	d := completion.Data(RandomGraph(250, 3, 300, 4))
	for _, optimizer := range []kge.Optimizer{kge.Adagrad, kge.Adam} {
		for _, c := range []struct{ maxNorm, relationRate float64 }{{}, {maxNorm: 1}, {relationRate: 3}} {
			s, m := kge.DefaultSettings(), Members()["quate"]
			s.Dim, s.Batch, s.Optimizer, s.InitScale = 8, 70, optimizer, 0.5
			s.MaxNorm, s.RelationRate = c.maxNorm, c.relationRate
			if engine.Supports(d, s, []kge.Member{m}) != nil {
				continue
			}
			maxNorm := c.maxNorm
			e := newGradientProbe(t, engine, d, s, m)
			p := newPopulation(t, engine, d, s, []kge.Member{m})
			present := e.parameters
			var slots [][][2]float64
			for _, table := range float64Tables(present.Tables) {
				slots = append(slots, make([][2]float64, len(table)))
			}
			for i, next := range []structure.Structure{m.Structure, m.Structure,
				structure.MustParse("simple")} {
				batch := d.Batches(s, 1).Make(i, nil)
				present.Structure = next
				must(t, p.SetStructure(0, next))
				_, gradient := e.gradient(t, present, batch, i+1)
				epoch, err := p.Epoch(t.Context(), kge.BatchesOf(batch), []float64{0.1})
				if err != nil || len(epoch.StepSeconds) != 1 {
					t.Fatal(epoch.StepSeconds, err)
				}
				want := float64Tables(present.Tables)
				for table := range want {
					rate := 0.1
					if table > 0 {
						rate *= cmp.Or(c.relationRate, 1)
					}
					for n, g := range gradient[table] {
						optimizerStep(optimizer, rate, &want[table][n], &slots[table][n], g, i+1)
					}
				}
				for from := 0; maxNorm > 0 && from < len(want[0]); from += s.Dim {
					row := want[0][from:][:s.Dim]
					if norm := math.Sqrt(powerSum(row, 2)); norm > maxNorm {
						for n := range row {
							row[n] *= maxNorm / norm
						}
					}
				}
				present = parametersOf(t, p, 0)
				for table, got := range float64Tables(present.Tables) {
					what := fmt.Sprintf("%v, step %d: table %d", optimizer, i+1, table)
					nearAfterStep(t, what, 100*tolerance, got, want[table])
				}
			}
		}
	}
}

// nearAfterStep compares numbers after a step. The first step of both optimizers is the learning
// rate times the sign of the gradient. Rounding decides the sign of a gradient near 0, so up to
// 1 % of the numbers may differ.
func nearAfterStep(t *testing.T, what string, tolerance float64, got, want []float64) {
	t.Helper()
	off := 0
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance {
			off++
		}
	}
	if off > len(want)/100 {
		t.Errorf("%s: %d of %d numbers differ", what, off, len(want))
	}
}

// optimizerStep updates a number with its gradient at a learning rate.
func optimizerStep(o kge.Optimizer, rate float64, x *float64, slot *[2]float64, g float64, step int) {
	if o == kge.Adagrad {
		slot[0] += g * g
		*x -= rate * g / (math.Sqrt(slot[0]) + 1e-10)
		return
	}
	slot[0], slot[1] = 0.9*slot[0]+0.1*g, 0.999*slot[1]+0.001*g*g
	mean := slot[0] / (1 - math.Pow(0.9, float64(step)))
	square := slot[1] / (1 - math.Pow(0.999, float64(step)))
	*x -= rate * mean / (math.Sqrt(square) + 1e-8)
}
