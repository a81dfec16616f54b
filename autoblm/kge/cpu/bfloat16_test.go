package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
)

// inBfloat16 trains and ranks all models of products in bfloat16.
type inBfloat16 struct{ *Engine }

func (e inBfloat16) precision(m kge.Member) kge.Precision {
	if m.Form.Products() {
		return kge.Bfloat16
	}
	return kge.Float32
}

func (e inBfloat16) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population, error) {
	s.Precision = e.precision(members[0])
	return e.Engine.NewPopulation(d, s, members)
}

func (e inBfloat16) NewRanker(parameters []kge.Parameters, _ kge.Precision) (kge.Ranker, error) {
	precision := kge.Float32
	if len(parameters) > 0 && parameters[0].Form.Products() {
		precision = kge.Bfloat16
	}
	return e.Engine.NewRanker(parameters, precision)
}

// bfloat16Engines are by the units of this processor, and by the one in Go.
func bfloat16Engines(threads int) (engines []inBfloat16) {
	for _, unit := range kernel.Units() {
		unit.Name += "-tested" // else the one in Go is no choice
		engines = append(engines, inBfloat16{&Engine{threads: threads, kernels: kernel.Sets()[0], units: []*kernel.Unit{unit}}})
	}
	return engines
}

// TestConformanceInBfloat16: products of rounded factors keep to the definitions within
// what rounding does to a factor, 2⁻⁹ of it, and a few times that in a table. The unit in
// Go, which the others are held to, is slow.
func TestConformanceInBfloat16(t *testing.T) {
	engines := bfloat16Engines(3)
	for _, engine := range engines[:max(1, len(engines)-1)] {
		t.Run(engine.units[0].Name, func(t *testing.T) { enginetest.Run(t, engine, 0.015) })
	}
}

// TestGoingOnInBfloat16 to the bit.
func TestGoingOnInBfloat16(t *testing.T) {
	for _, threads := range []int{1, 2} {
		enginetest.Continues(t, bfloat16Engines(threads)[0], 0)
		enginetest.Resumes(t, bfloat16Engines(threads)[0])
	}
}
