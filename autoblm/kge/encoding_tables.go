package kge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// Names of the tables of an encoder's layer. Matrices are applied to rows: a row x gives x M.
const (
	EncoderForward  = "forward"  // [in, out]: W_forward
	EncoderReverse  = "reverse"  // [in, out]: W_reverse
	EncoderSelf     = "self"     // [in, out]: W_self
	EncoderRelation = "relation" // [in, out]: W_relation
	EncoderLoop     = "loop"     // [1, in]: the relation of self-loops
	EncoderGamma    = "gamma"    // [1, out]: factors after batch normalization
	EncoderBeta     = "beta"     // [1, out]: offsets after batch normalization

	// The tables of R-GCN, with B shared matrices in each direction.
	EncoderCoefficients = "coefficients"  // [relations and reverses, B]
	EncoderForwardBases = "forward-bases" // [B·in, out]
	EncoderReverseBases = "reverse-bases" // [B·in, out]
)

// EncoderTable returns the name of a table of a layer, counted from 1.
func EncoderTable(layer int, name string) string { return fmt.Sprintf("layer-%d-%s", layer, name) }

// LearnedTables describes the tables that the training of a member learns, in addition to entities
// with [Settings.LearnedDim] columns: first the tables of the form, then the encoder's. Relations that
// an encoder reads have the dimension of its inputs.
func (s Settings) LearnedTables(m Member) []form.Table {
	tables := slices.Clone(s.FormOf(m).Spec().Tables(s.Dim))
	if s.Encoder.EncodesRelations() {
		tables[0] = form.Table{Name: tables[0].Name, Rows: 1, Columns: s.LearnedDim()}
	}
	in := s.LearnedDim()
	for layer := range s.Depth() {
		for _, t := range s.layerTables(in) {
			t.Name = EncoderTable(layer+1, t.Name)
			tables = append(tables, t)
		}
		in = s.Dim
	}
	return tables
}

// layerTables describes the tables of a layer that reads rows of a dimension.
func (s Settings) layerTables(in int) []form.Table {
	out, bases := s.Dim, s.BasisCount()
	matrix := func(name string, count int) form.Table {
		return form.Table{
			Name: name, Global: true, Rows: count * in, Columns: out, Draw: glorot(in, out),
		}
	}
	row := func(name string, columns int, draw func(*rand.Rand, int, float64) float64) form.Table {
		return form.Table{Name: name, Global: true, Rows: 1, Columns: columns, Draw: draw}
	}
	if s.Encoder == RGCN {
		coefficients := form.Table{
			Name: EncoderCoefficients, Rows: 2, Columns: bases, Draw: normal(1 / math.Sqrt(float64(bases))),
		}
		if s.Reciprocal { // relations have rows for both directions already
			coefficients.Rows = 1
		}
		return []form.Table{
			coefficients, matrix(EncoderForwardBases, bases), matrix(EncoderReverseBases, bases),
			matrix(EncoderSelf, 1),
		}
	}
	return []form.Table{
		matrix(EncoderForward, 1), matrix(EncoderReverse, 1), matrix(EncoderSelf, 1),
		matrix(EncoderRelation, 1), row(EncoderLoop, in, glorot(1, in)),
		row(EncoderGamma, out, constant(1)), row(EncoderBeta, out, constant(0)),
	}
}

// glorot draws from a normal distribution whose variance is 2/(in + out) (Glorot and Bengio, 2010).
func glorot(in, out int) func(*rand.Rand, int, float64) float64 {
	return normal(math.Sqrt(2 / float64(in+out)))
}

func normal(deviation float64) func(*rand.Rand, int, float64) float64 {
	return func(rng *rand.Rand, _ int, _ float64) float64 { return rng.NormFloat64() * deviation }
}

func constant(x float64) func(*rand.Rand, int, float64) float64 {
	return func(*rand.Rand, int, float64) float64 { return x }
}
