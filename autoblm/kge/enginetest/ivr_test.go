package enginetest

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
)

// quaternion has the factors of 1, i, j and k.
type quaternion [4]float64

func (p quaternion) times(q quaternion) quaternion {
	a, b, c, d := p[0], p[1], p[2], p[3]
	e, f, g, h := q[0], q[1], q[2], q[3]
	return quaternion{
		a*e - b*f - c*g - d*h, a*f + b*e + c*h - d*g, a*g - b*h + c*e + d*f, a*h + b*g - c*f + d*e,
	}
}

func (p quaternion) conjugate() quaternion { return quaternion{p[0], -p[1], -p[2], -p[3]} }

func (p quaternion) squared() float64 { return powerSum(p[:], 2) }

// squaredNorms has the squared norms of the intermediate variables at a position: of matrices W×h,
// W×r and W×t, and of W×h×r, W×r×t and W×t×h.
type squaredNorms struct{ matrices, products [3]float64 }

// complexNorms follows from the score Re(h·r·t̄): W×h maps r to h·r, W×r maps h to it, and W×t maps
// h to the r with the largest score, h̄·t.
func complexNorms(h, r, t []float64) squaredNorms {
	number := func(x []float64) complex128 { return complex(x[0], x[1]) }
	squared := func(z complex128) float64 { return math.Pow(cmplx.Abs(z), 2) }
	a, b, c := number(h), number(r), number(t)
	return squaredNorms{
		matrices: [3]float64{
			squared(a*1) + squared(a*1i), squared(1*b) + squared(1i*b),
			squared(cmplx.Conj(1)*c) + squared(cmplx.Conj(1i)*c),
		},
		products: [3]float64{squared(a * b), squared(cmplx.Conj(b) * c), squared(cmplx.Conj(a) * c)},
	}
}

// quaternionNorms follows from the score ⟨h·r, t⟩ in the same way.
func quaternionNorms(h, r, t []float64) (n squaredNorms) {
	a, b, c := quaternion(h), quaternion(r), quaternion(t)
	for i := range 4 {
		var unit quaternion
		unit[i] = 1
		n.matrices[0] += a.times(unit).squared()
		n.matrices[1] += unit.times(b).squared()
		n.matrices[2] += unit.conjugate().times(c).squared()
	}
	n.products = [3]float64{
		a.times(b).squared(), c.times(b.conjugate()).squared(), a.conjugate().times(c).squared(),
	}
	return n
}

// unevenNorms follows from the score h₀r₀t₀+h₀r₀t₁+h₁r₁t₁.
func unevenNorms(h, r, t []float64) squaredNorms {
	both := t[0] + t[1]
	return squaredNorms{
		matrices: [3]float64{2*h[0]*h[0] + h[1]*h[1], 2*r[0]*r[0] + r[1]*r[1], both*both + t[1]*t[1]},
		products: [3]float64{
			math.Pow(h[0]*r[0], 2) + math.Pow(h[0]*r[0]+h[1]*r[1], 2),
			math.Pow(r[0]*both, 2) + math.Pow(r[1]*t[1], 2),
			math.Pow(h[0]*both, 2) + math.Pow(h[1]*t[1], 2),
		},
	}
}

// TestIVR compares the definition of IVR by tensors with arithmetic of complex numbers and
// quaternions, and with a structure whose roles differ, by formulas.
func TestIVR(t *testing.T) {
	for text, norms := range map[string]func(h, r, t []float64) squaredNorms{
		"1,2;-2,1": complexNorms, "quate": quaternionNorms, "1,1;0,2": unevenNorms,
	} {
		s, m := kge.DefaultSettings(), kge.DefaultMember(structure.MustParse(text))
		k := m.Structure.K()
		s.Dim, s.InitScale = 3*k, 1
		m.IVR, m.IVRProducts, m.IVRPower = 0.3, 0.7, 2.25
		d := completion.Data(SmallGraph())
		r := newReference(d, s, m, kge.Initialize(d, s, m))
		example := d.Batches(s, 1).All()[0][0]
		position := func(row []float64, n int) (x []float64) {
			for chunk := range k {
				x = append(x, row[3*chunk+n])
			}
			return x
		}
		want := 0.0
		for n := range 3 {
			head, tail := position(r.entity(example.Anchor), n), position(r.entity(example.Target), n)
			relation := position(r.rows(int(example.Path[0] / 2))[0], n)
			found := norms(head, relation, tail)
			rows := [3]float64{powerSum(head, 2), powerSum(relation, 2), powerSum(tail, 2)}
			for i, row := range rows {
				power := func(squared float64) float64 { return math.Pow(math.Sqrt(squared), 2.25) }
				want += 0.3*(power(row)+power(found.matrices[i]/float64(k))) +
					0.7*(power(row*rows[(i+1)%3])+power(found.products[i]))
			}
		}
		near(t, text, 1e-12, []float64{r.penalty(example)}, []float64{want})
	}
}

// tuckerNorms has the norms of TuckER's intermediate variables by the definition of a hop instead of
// a tensor: a unit vector as the relation gives a slice of the core, and one as the state gives a row
// of the matrix of a relation.
func tuckerNorms(hop func(state, relation []float64, transposed bool) []float64,
	h, r, t []float64) (n squaredNorms) {
	for i := range h {
		unit := make([]float64, len(h))
		unit[i] = 1
		byHead, byTail := hop(h, unit, false), hop(t, unit, true)
		n.matrices[0] += powerSum(byHead, 2)
		n.matrices[1] += powerSum(hop(unit, r, false), 2)
		n.matrices[2] += powerSum(byTail, 2)
		n.products[2] += math.Pow(floats.Dot(byHead, t), 2)
	}
	n.products[0], n.products[1] = powerSum(hop(h, r, false), 2), powerSum(hop(t, r, true), 2)
	return n
}

// TestIVRWithCores compares the definition of IVR by tensors with [tuckerNorms], for one partition
// and for three.
func TestIVRWithCores(t *testing.T) {
	for _, f := range []form.Form{form.Tucker, form.Core(3)} {
		s, m := kge.DefaultSettings(), kge.Member{Form: f, Seed: 2, LearningRate: 1}
		s.Dim, s.InitScale = 6, 1
		m.IVR, m.IVRProducts, m.IVRPower = 0.3, 0.7, 2.5
		d := completion.Data(SmallGraph())
		r := newReference(d, s, m, kge.Initialize(d, s, m))
		example := d.Batches(s, 1).All()[0][0]
		rows := r.rows(int(example.Path[0] / 2))
		size, want := s.Dim/f.Partitions(), 0.0
		for first := 0; first < s.Dim; first += size {
			inPartition := func(row []float64) []float64 { // others are 0
				part := make([]float64, s.Dim)
				copy(part[first:], row[first:][:size])
				return part
			}
			hop := func(state, relation []float64, transposed bool) []float64 {
				both := [][]float64{inPartition(relation), rows[1]}
				return f.Spec().DefineHop(m.Structure, inPartition(state), both, transposed)
			}
			head, tail := inPartition(r.entity(example.Anchor)), inPartition(r.entity(example.Target))
			relation := inPartition(rows[0])
			found := tuckerNorms(hop, head, relation, tail)
			squares := [3]float64{powerSum(head, 2), powerSum(relation, 2), powerSum(tail, 2)}
			for i, square := range squares {
				power := func(squared float64) float64 { return math.Pow(squared, 1.25) }
				want += 0.3*(power(square)+power(found.matrices[i]/float64(size))) +
					0.7*(power(square*squares[(i+1)%3])+power(found.products[i]))
			}
		}
		near(t, f.String(), 1e-12, []float64{r.penalty(example)}, []float64{want})
	}
}
