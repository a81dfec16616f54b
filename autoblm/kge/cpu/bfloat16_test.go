package cpu

import (
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// inBfloat16 is an engine that uses bfloat16 for all forms that score by products.
type inBfloat16 struct{ *Engine }

func (e inBfloat16) precision(m kge.Member) kge.Precision {
	if m.Form.Capabilities().Products {
		return kge.Bfloat16
	}
	return kge.Float32
}

func (e inBfloat16) NewPopulation(d *kge.Data, s kge.Settings,
	members []kge.Member) (kge.Population, error) {
	s.Precision = e.precision(members[0])
	return e.Engine.NewPopulation(d, s, members)
}

func (e inBfloat16) NewRanker(parameters []kge.Parameters, _ kge.Precision) (kge.Ranker, error) {
	precision := kge.Float32
	if len(parameters) > 0 && parameters[0].Form.Capabilities().Products {
		precision = kge.Bfloat16
	}
	return e.Engine.NewRanker(parameters, precision)
}

// bfloat16Engines returns an engine for each kind of bfloat16 kernels of this processor.
func bfloat16Engines(threads int) (engines []inBfloat16) {
	for _, unit := range kernel.BF16Sets() {
		unit.Name += "-tested" // else the one in Go is no choice
		engines = append(engines, inBfloat16{&Engine{threads: threads, kernels: kernel.Sets()[0],
			bf16Sets: []*kernel.BF16Set{unit}}})
	}
	return engines
}

// TestConformanceInBfloat16 checks that products of rounded factors agree with the definitions
// within a few times the rounding of a factor, 2⁻⁹. The reference kernels in Go are slow.
func TestConformanceInBfloat16(t *testing.T) {
	engines := bfloat16Engines(3)
	for _, engine := range engines[:max(1, len(engines)-1)] {
		t.Run(engine.bf16Sets[0].Name, func(t *testing.T) {
			enginetest.Run(t, engine, 0.015, enginetest.Everything)
		})
	}
}

// TestResumeInBfloat16 checks that a resumed training has bitwise the same result. A state does not
// depend on the precision, so a few recipes suffice.
func TestResumeInBfloat16(t *testing.T) {
	enginetest.ResumesFromState(t, bfloat16Engines(2)[0], 0, enginetest.Brief)
	enginetest.ResumesTraining(t, bfloat16Engines(2)[0])
}

// TestExtraBytes checks that the estimated memory is between a quarter and all of what a
// population takes, in both precisions, for few and many entities, with query grouping, with sparse
// gradients and with a sampled softmax.
func TestExtraBytes(t *testing.T) {
	for _, entities := range []int{300, 40_000} {
		d := completion.Data(enginetest.RandomGraph(entities, 5, 3000, 1))
		for i := range 8 {
			s, all := settings(), members(2)
			s.Dim, s.Batch, s.Precision = 64, 600, []kge.Precision{kge.Float32, kge.Bfloat16}[i%2]
			if i >= 2 {
				s.Reciprocal, s.AnswersPerQuery = true, 8
			}
			switch i / 2 {
			case 2:
				s.SparseGradients = 256
			case 3:
				s.SampledSoftmax = 64
			}
			e := bfloat16Engines(2)[0].Engine
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := e.NewPopulation(d, s, all)
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			// as padded and the optimizer's; those of relations also as drawn
			tables := 4 * 64 * 2 * (2*len(d.Entities) + 3*len(d.Relations))
			took := float64(after.TotalAlloc-before.TotalAlloc) - float64(tables)
			if said := e.extraBytes(d, s, all); said > took || said < took/4 {
				t.Errorf("%d entities in %v: %.0f bytes beside the tables are said, %.0f are taken",
					len(d.Entities), s.Precision, said, took)
			}
			p.Close()
		}
	}
}

// TestExtraBytesOfSample checks that a sampled softmax in bfloat16 does not count rounded entities, of
// which it makes only those of the sample.
func TestExtraBytesOfSample(t *testing.T) {
	bytes := func(entities int) float64 {
		s := settings()
		s.Precision, s.SampledSoftmax = kge.Bfloat16, 64
		d := completion.Data(enginetest.RandomGraph(entities, 5, 3000, 1))
		return bfloat16Engines(2)[0].extraBytes(d, s, members(2))
	}
	if few, many := bytes(300), bytes(40_000); few != many {
		t.Errorf("%v bytes for few entities and %v for many", few, many)
	}
}

// TestExtraBytesOfRelationPrediction checks that the estimate grows with relation prediction by at
// least a quarter of the memory that it takes, and at most all, for relations as wide as blocks.
func TestExtraBytesOfRelationPrediction(t *testing.T) {
	d := completion.Data(enginetest.RandomGraph(300, 5, 3000, 1))
	s := settings()
	s.Dim, s.Batch, s.Precision = 64, 600, kge.Float32
	e := New(2)
	memory := func(weight float64) (said, took float64) {
		m := kge.Member{Form: form.Block(32), Seed: 1, LearningRate: 0.1}
		m.RelationPrediction = weight
		all := []kge.Member{m, m}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := e.NewPopulation(d, s, all)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		defer p.Close()
		return e.extraBytes(d, s, all), float64(after.TotalAlloc - before.TotalAlloc)
	}
	saidWithout, tookWithout := memory(0)
	saidWith, tookWith := memory(0.1)
	said, took := saidWith-saidWithout, tookWith-tookWithout
	if said > took || said < took/4 {
		t.Errorf("relation prediction takes %.0f bytes, %.0f are estimated", took, said)
	}
}

// TestExtraBytesOfCores checks that the estimate grows with each penalty of IVR by at least a quarter
// of the memory that steps take for it, and at most all, in both precisions. Members that train one
// after the other share that memory.
func TestExtraBytesOfCores(t *testing.T) {
	d := completion.Data(enginetest.RandomGraph(300, 5, 3000, 1))
	for _, precision := range []kge.Precision{kge.Float32, kge.Bfloat16} {
		s, e := settings(), bfloat16Engines(1)[0].Engine
		s.Dim, s.Batch, s.Precision, s.Reciprocal = 128, 32, precision, true
		memory := func(w kge.Weights) (said, took float64) {
			m := kge.Member{Form: form.Core(1), Seed: 1, LearningRate: 0.1, Weights: w}
			all := []kge.Member{m, m, m, m, m}
			p, err := e.NewPopulation(d, s, all)
			require.NoError(t, err)
			defer p.Close()
			batch := kge.BatchesOf(d.Batches(s, 1).All()[0])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = p.Epoch(t.Context(), batch, slices.Repeat([]float64{0.1}, len(all)))
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			return e.extraBytes(d, s, all), float64(after.TotalAlloc - before.TotalAlloc)
		}
		saidWithout, tookWithout := memory(kge.Weights{})
		for _, w := range []kge.Weights{{IVR: 0.1}, {IVRProducts: 0.1}} {
			said, took := memory(w)
			said, took = said-saidWithout, took-tookWithout
			if said > took || said < took/4 {
				t.Errorf("%v: %+v takes %.0f bytes, %.0f are estimated", precision, w, took, said)
			}
		}
	}
}

// TestStream checks that a stream has the numbers of a copy, and that only the copy stays
// unchanged.
func TestStream(t *testing.T) {
	d := completion.Data(graph())
	for _, dim := range []int{20, 32} {
		s := settings()
		s.Dim = dim
		p, err := New(2).NewPopulation(d, s, members(2))
		require.NoError(t, err)
		before, err := p.State()
		if err != nil || !hasNumbersOf(p, before) {
			t.Errorf("d %d: what is shown is not what is copied (%v)", dim, err)
		}
		if _, err := p.Epoch(t.Context(), d.Batches(s, 1), []float64{0.1, 0.1}); err != nil {
			t.Fatal(err)
		}
		after, err := p.State()
		if err != nil || reflect.DeepEqual(before, after) ||
			!hasNumbersOf(p, after) {
			t.Errorf("d %d: after an epoch (%v)", dim, err)
		}
		p.Close()
	}
}

// hasNumbersOf reports whether the stream of a population has the numbers of a state.
func hasNumbersOf(p kge.Population, s kge.State) bool {
	numbers := func(stream kge.Stream) (all [][]float32) {
		for _, m := range stream.Members {
			for _, t := range slices.Concat(m.Tables, slices.Concat(m.Slots...)) {
				var table []float32
				for part := range t.Parts {
					table = append(table, part...)
				}
				all = append(all, table)
			}
		}
		return all
	}
	return reflect.DeepEqual(numbers(p.(kge.LargePopulation).Stream()), numbers(s.Stream()))
}
