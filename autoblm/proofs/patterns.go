package proofs

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Model is a scoring function of any form with entities of Dim numbers. Its numbers that belong to no
// relation, such as the core of TuckER, are random.
type Model struct {
	Form      form.Form
	Structure structure.Structure
	Dim       int
	globals   [][]float64
}

// NewModel returns a model of a form, with a structure if the form has one. The dimension
// suits both, as [form.Form.RoundDim] returns it.
func NewModel(f form.Form, a structure.Structure, dim int) Model {
	m := Model{Form: f, Structure: a, Dim: dim}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, t := range f.Spec().Tables(dim) {
		if t.Global {
			m.globals = append(m.globals, normals(rng, t.Rows*t.Columns))
		}
	}
	return m
}

// normals draws n numbers.
func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// relationSize returns the number of numbers of a relation.
func (m Model) relationSize() (n int) {
	for _, t := range m.Form.Spec().Tables(m.Dim) {
		if !t.Global {
			n += t.Rows * t.Columns
		}
	}
	return n
}

// Score returns the score of a triple or, with several relations, of a path, by the definition of the
// form.
func (m Model) Score(h, t []float64, path ...[]float64) float64 {
	spec := m.Form.Spec()
	state := make([]float64, m.Dim*spec.Capabilities().StateRows)
	copy(state, h)
	for _, r := range path {
		var tables [][]float64
		globals, used := m.globals, 0
		for _, table := range spec.Tables(m.Dim) {
			if table.Global {
				tables, globals = append(tables, globals[0]), globals[1:]
				continue
			}
			size := table.Rows * table.Columns
			tables, used = append(tables, r[used:used+size]), used+size
		}
		state = spec.DefineHop(m.Structure, state, tables, false)
	}
	return spec.DefineScore(state, t)
}

// RandomRelation draws a relation of the model.
func (m Model) RandomRelation(rng *rand.Rand) []float64 {
	return normals(rng, m.relationSize())
}

// Symmetric reports whether a relation, of norm at least 1, scores (h, t) like (t, h) for all h and t.
// The search for it begins at random and at the given relations.
func (m Model) Symmetric(starts ...[]float64) bool {
	pairs := m.pairs()
	return m.solve(starts, func(r []float64) []float64 {
		off := []float64{max(0, 1-floats.Norm(r, 2))}
		for _, p := range pairs {
			off = append(off, m.Score(p[0], p[1], r)-m.Score(p[1], p[0], r))
		}
		return off
	})
}

// Directed reports whether a random relation scores (h, t) and (t, h) differently.
func (m Model) Directed() bool {
	r := m.RandomRelation(rand.New(rand.NewPCG(7, 8)))
	for _, p := range m.pairs() {
		if math.Abs(m.Score(p[0], p[1], r)-m.Score(p[1], p[0], r)) > exact {
			return true
		}
	}
	return false
}

// Inverts reports whether a relation scores (t, h) as the given one scores (h, t), for all h and t.
func (m Model) Inverts(r []float64, starts ...[]float64) bool {
	return m.fits(starts, func(h, t []float64) float64 { return m.Score(t, h, r) })
}

// Composes reports whether a relation scores (h, t) as the path of two given ones does, for all h and
// t.
func (m Model) Composes(first, second []float64, starts ...[]float64) bool {
	return m.fits(starts, func(h, t []float64) float64 { return m.Score(h, t, first, second) })
}

// Ordered reports whether two relations have another score in the other order.
func (m Model) Ordered(first, second []float64) bool {
	for _, p := range m.pairs() {
		if math.Abs(m.Score(p[0], p[1], first, second)-m.Score(p[0], p[1], second, first)) > exact {
			return true
		}
	}
	return false
}

// exact is the largest difference of numbers that are equal up to rounding.
const exact = 1e-9

// pairs draws pairs of entities, three times as many as a relation has numbers.
func (m Model) pairs() (pairs [][2][]float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3 * m.relationSize() {
		pairs = append(pairs, [2][]float64{normals(rng, m.Dim), normals(rng, m.Dim)})
	}
	return pairs
}

// fits reports whether a relation has the wanted scores.
func (m Model) fits(starts [][]float64, wanted func(h, t []float64) float64) bool {
	pairs := m.pairs()
	return m.solve(starts, func(r []float64) (off []float64) {
		for _, p := range pairs {
			off = append(off, m.Score(p[0], p[1], r)-wanted(p[0], p[1]))
		}
		return off
	})
}

// solve reports whether a relation makes all numbers of off 0. Scores that are linear in a relation
// need one step of Levenberg and Marquardt; others have several starts, and may have none that works.
func (m Model) solve(starts [][]float64, off func(r []float64) []float64) bool {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 8 {
		starts = append(starts, normals(rng, m.relationSize()))
	}
	for _, start := range starts {
		if floats.Norm(leastSquares(start, off), math.Inf(1)) < exact {
			return true
		}
	}
	return false
}

// leastSquares returns the smallest differences that it finds from a start, by the method of Levenberg
// and Marquardt with difference quotients.
func leastSquares(start []float64, off func(x []float64) []float64) []float64 {
	const (
		rounds = 60
		step   = 1e-6
	)
	x, damping := append([]float64(nil), start...), 1e-3
	best := off(x)
	for range rounds {
		if floats.Norm(best, math.Inf(1)) < exact {
			break
		}
		jacobian := mat.NewDense(len(best)+len(x), len(x), nil)
		for i := range x {
			middle := x[i]
			x[i] = middle + step
			above := off(x)
			x[i] = middle - step
			below := off(x)
			x[i] = middle
			for k := range best {
				jacobian.Set(k, i, (above[k]-below[k])/(2*step))
			}
			jacobian.Set(len(best)+i, i, math.Sqrt(damping))
		}
		target := mat.NewVecDense(len(best)+len(x), nil)
		for k, y := range best {
			target.SetVec(k, -y)
		}
		var move mat.VecDense
		if move.SolveVec(jacobian, target) != nil {
			break
		}
		next := floats.AddTo(make([]float64, len(x)), x, move.RawVector().Data)
		if found := off(next); floats.Norm(found, 2) < floats.Norm(best, 2) {
			x, best, damping = next, found, damping/10
		} else {
			damping *= 10
		}
	}
	return best
}
