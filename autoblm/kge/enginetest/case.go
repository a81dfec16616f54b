package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Case is a training whose first steps have losses and gradients by definition. Computing these is
// slow, so it happens once for all engines that check the case.
type Case struct {
	data             *kge.Data
	settings         kge.Settings
	member           kge.Member
	batches, numbers int
	define           func() definition
}

// definition holds what the definition gives for a case.
type definition struct {
	parameters kge.Parameters // at which the gradients are taken
	steps      []stepDefinition
	outputs    [][]float64 // of an encoder, without dropout
}

// stepDefinition is a batch with its loss and some numbers of its gradient.
type stepDefinition struct {
	batch    []kge.Example
	loss     float64
	entries  [][]int     // positions in each table
	gradient [][]float64 // of these entries
	averages []float64   // see reference
}

// NewCase returns a case of the first batches, each in its step, with the given number of random
// entries of each table's gradient.
func NewCase(d *kge.Data, s kge.Settings, m kge.Member, batches, numbers int) *Case {
	c := &Case{data: d, settings: s, member: m, batches: batches, numbers: numbers}
	c.define = sync.OnceValue(c.computeDefinition)
	return c
}

// computeDefinition computes losses from their definition, and gradients as difference quotients.
func (c *Case) computeDefinition() definition {
	p := kge.Initialize(c.data, c.settings, c.member)
	if c.settings.Encoder == kge.NoEncoder { // whose outputs are compared in the initial state
		drawNorms(p)
	}
	r := newReference(c.data, c.settings, c.member, p)
	rng := rand.New(rand.NewPCG(1, 9))
	d := definition{parameters: p}
	if r.learned != nil {
		d.outputs = r.withoutDropout().encode(1)
	}
	for i, batch := range c.data.Batches(c.settings, 1).All()[:c.batches] {
		step := stepDefinition{batch: batch, loss: r.loss(batch, i+1)}
		step.averages = r.averages
		for table, numbers := range r.numbers() {
			entries := rng.Perm(len(numbers))[:min(c.numbers, len(numbers))]
			var slopes []float64
			for _, n := range entries {
				slopes = append(slopes, r.slope(table, n, batch, i+1))
			}
			step.entries, step.gradient = append(step.entries, entries), append(step.gradient, slopes)
		}
		d.steps = append(d.steps, step)
	}
	return d
}

// leastGradient is the smallest scale of a table's gradient. Difference quotients of losses are off
// by about 1e-9, so with a tolerance of 1e-5 they can check no smaller gradients.
const leastGradient = 1e-4

// Check compares the losses and gradients of an engine with the definition. The tolerance is
// relative to a loss, but at least 1, and to the largest number in the gradient of a table, but at
// least [leastGradient].
func (c *Case) Check(t testing.TB, engine kge.Engine, tolerance float64) {
	t.Helper()
	e, want := newGradientProbe(t, engine, c.data, c.settings, c.member), c.define()
	if want.outputs != nil {
		for i, table := range float64Tables(parametersOf(t, e.Population, 0).Tables) {
			near(t, fmt.Sprintf("outputs of the encoder, table %d", i), tolerance, table, want.outputs[i])
		}
	}
	for i, step := range want.steps {
		what := fmt.Sprintf("%v, %v, step %d", c.member.Form, c.member.Structure, i+1)
		loss, tables := e.gradient(t, want.parameters, step.batch, i+1)
		near(t, what+": loss", tolerance, []float64{loss}, []float64{step.loss})
		if step.averages != nil {
			first, _ := averagesOf(want.parameters.Form, len(step.averages))
			near(t, what+": moving averages", tolerance, e.norms(t)[first:], step.averages[first:])
		}
		least := leastGradient
		if c.settings.Encoder != kge.NoEncoder { // its normalization cancels terms of that size
			least = largest(least, slices.Concat(tables...))
		}
		for table, gradient := range tables {
			var got []float64
			for _, n := range step.entries[table] {
				got = append(got, gradient[n])
			}
			within(t, fmt.Sprintf("%s: gradient of table %d", what, table),
				tolerance*largest(least, gradient), got, step.gradient[table])
		}
	}
}
