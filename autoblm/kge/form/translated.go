package form

import "github.com/autoblm/autoblm-go/autoblm/structure"

// Translated is the bilinear form in which a relation also has a vector c that moves the head: it
// scores by (h + c)ᵀ g(A,r) t, as BiQUE does (Guo and Kok, 2021). A state before a hop is moved
// too. The transposed hop leaves c out: it gives g(A,r)t for penalties of products, but no query
// for heads, so that models need reverses of relations.
//
// It is not in [All]: a setting turns [Bilinear] into it.
var Translated = Form{translated{}}

func init() { aliases[Translated.String()] = Translated }

type translated struct{ bilinear }

func (translated) Name() string { return "translated" }

// Tables has r and c, each [relations, d].
func (translated) Tables(dim int) []Table {
	return append(oneRow(dim), Table{Name: "translations", Rows: 1, Columns: dim, Moves: true})
}

// Capabilities lacks relation prediction, as the score is quadratic in the relation's numbers.
func (translated) Capabilities() Capabilities { return Capabilities{StateRows: 1, Products: true} }

func (translated) DefineHop(
	a structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	if !transposed {
		state = append([]float64(nil), state...)
		for i, c := range relations[1] {
			state[i] += c
		}
	}
	return bilinear{}.DefineHop(a, state, relations, transposed)
}

// HasStructure reports whether a model of the form needs a structure.
func (f Form) HasStructure() bool { return f == Bilinear || f == Translated }

// Title returns the title of a model with a structure. Without one it returns the name of the form,
// for core-1 and gqe with the published names TuckER and RESCAL.
func (f Form) Title(a structure.Structure) string {
	switch {
	case f.WithoutNorm() == Tucker:
		return f.String() + " (TuckER)"
	case f == GQE:
		return f.String() + " (RESCAL)"
	case !f.HasStructure():
		return f.String()
	case f == Translated:
		return a.Title() + ", translated"
	}
	return a.Title()
}
