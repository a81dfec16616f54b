package enginetest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// carryRows applies a map to each row of a table of some columns.
func carryRows(table []float64, columns int, carry func([]float64) []float64) (all []float64) {
	for from := 0; from < len(table); from += columns {
		all = append(all, carry(table[from:][:columns])...)
	}
	return all
}

// transposed returns the transpose of a table of some columns.
func transposed(table []float64, columns int) []float64 {
	rows := len(table) / columns
	t := make([]float64, len(table))
	for i, x := range table {
		t[i%columns*rows+i/columns] = x
	}
	return t
}

// TestEquivalentEncoders checks by numbers that a search need not train two encoders whose structures,
// those of the messages and those of the decoder, are equivalent each: renaming the chunks of the
// learned tables gives the same model.
func TestEquivalentEncoders(t *testing.T) {
	for _, c := range []struct{ message, decoder string }{
		{"2,0,0,-1;0,3,1,0;0,-4,0,2;1,0,0,3", "0,0,3,1;0,2,0,0;-4,0,0,0;0,0,1,-3"},
		{"complex", "0,2,-2,1;3,0,2,0;-3,3,0,-1;4,0,-4,0"},
	} {
		message, decoder := structure.MustParse(c.message), structure.MustParse(c.decoder)
		toMessage, toDecoder := message.Canonical(structure.Full), decoder.Canonical(structure.Full)
		ofMessage, isMessage := message.SymmetryTo(toMessage, structure.Full)
		ofDecoder, isDecoder := decoder.SymmetryTo(toDecoder, structure.Full)
		if !isMessage || !isDecoder || decoder == toDecoder {
			t.Fatalf("%s and %s have no other canonical form", message, decoder)
		}
		d := completion.Data(SmallGraph())
		s := kge.DefaultSettings()
		s.Dim, s.Reciprocal = 8, true
		s.Encoding = kge.Encoding{Encoder: kge.BLM, Message: message, EncoderLayers: 2, EncoderDim: 12}
		m := kge.DefaultMember(decoder)
		r := newReference(d, s, m, kge.Initialize(d, s, m))
		rng := rand.New(rand.NewPCG(1, 1))
		names := []string{"entities"}
		for i, table := range s.LearnedTables(m) {
			names = append(names, table.Name)
			for n := range r.learned[1+i] {
				if table.Name != kge.EncoderTable(1, kge.EncoderGamma) &&
					table.Name != kge.EncoderTable(2, kge.EncoderGamma) {
					r.learned[1+i][n] = rng.NormFloat64()
				}
			}
		}
		renamed := s
		renamed.Message = toMessage
		other := newReference(d, renamed, kge.DefaultMember(toDecoder), r.Parameters)
		inMessage := func(x []float64) []float64 { return structure.CarryEntity(ofMessage, x) }
		inRelation := func(x []float64) []float64 { return structure.CarryRelation(ofMessage, x) }
		carry := map[string]func(table []float64) []float64{
			"entities": func(x []float64) []float64 { return carryRows(x, s.EncoderDim, inMessage) },
			names[1]:   func(x []float64) []float64 { return carryRows(x, s.EncoderDim, inRelation) },
		}
		for layer, in := range []int{s.EncoderDim, s.Dim} {
			name := func(table string) string { return kge.EncoderTable(layer+1, table) }
			outEntity, outRelation := inMessage, inRelation // the inputs of the next layer
			if layer == 1 {
				outEntity = func(x []float64) []float64 { return structure.CarryEntity(ofDecoder, x) }
				outRelation = func(x []float64) []float64 { return structure.CarryRelation(ofDecoder, x) }
			}
			matrix := func(rows, columns func([]float64) []float64) func([]float64) []float64 {
				return func(x []float64) []float64 {
					x = transposed(carryRows(transposed(x, s.Dim), in, rows), in)
					return carryRows(x, s.Dim, columns)
				}
			}
			carry[name(kge.EncoderForward)] = matrix(inMessage, outEntity)
			carry[name(kge.EncoderReverse)] = matrix(inMessage, outEntity)
			carry[name(kge.EncoderSelf)] = matrix(inMessage, outEntity)
			carry[name(kge.EncoderRelation)] = matrix(inRelation, outRelation)
			carry[name(kge.EncoderLoop)] = inRelation
			carry[name(kge.EncoderBeta)] = outEntity
		}
		for i, name := range names {
			if carry[name] != nil {
				other.learned[i] = carry[name](r.learned[i])
			}
		}
		score := func(r *reference, a structure.Structure, triple [3]int) float64 {
			tables := r.encode(1)
			row := func(table, i int) []float64 { return tables[table][i*s.Dim:][:s.Dim] }
			f := m.Form.Spec()
			state := f.DefineHop(a, row(0, triple[0]), [][]float64{row(1, triple[1])}, false)
			return f.DefineScore(state, row(0, triple[2]))
		}
		for range 20 {
			triple := [3]int{
				rng.IntN(len(d.Entities)), rng.IntN(2 * len(d.Relations)), rng.IntN(len(d.Entities)),
			}
			want, got := score(r, decoder, triple), score(other, toDecoder, triple)
			if math.Abs(want-got) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s with %s: %v, want %v as with %s and %s", toDecoder, toMessage, got, want,
					decoder, message)
			}
		}
	}
}
