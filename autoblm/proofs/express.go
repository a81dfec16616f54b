package proofs

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Scores is a tensor G of scores, [entities][relations][entities]: head,
// relation, tail.
type Scores [][][]float64

// Embeddings are rows of Dim numbers, K chunks of Dim/K.
type Embeddings struct {
	Dim                 int
	Entities, Relations [][]float64
}

// InexpressibleError says that no embeddings of any dimension give all scores:
// the structure is symmetric or skew-symmetric, and so are all its score matrices.
type InexpressibleError struct {
	Structure structure.Structure
	// Example is a tensor with two entities and one relation that the structure cannot express.
	Example Scores
}

func (e *InexpressibleError) Error() string {
	return fmt.Sprintf("the structure %s equals its transpose or its negative, so f(h,r,t) and f(t,r,h) agree but for a fixed sign: it cannot score (0,0,1) with 1 and (1,0,0) with 0", e.Structure)
}

// Express returns embeddings with f_A(h,r,t) = G_hrt for a structure A that is
// neither symmetric nor skew-symmetric, and an [InexpressibleError] for one
// that is.
//
// Statement: f_A is fully expressive if and only if A ≠ Aᵀ and A ≠ -Aᵀ. New; the
// paper's Proposition 1 asks for two witnesses and is only sufficient.
//
// Idea: a position of the embeddings holds a vector u_e of K numbers for each
// entity and ρ_r for each relation, and adds u_hᵀ(Σ_k ρ_k D_k)u_t to the score.
// With u_e = x_e·e_i + y_e·e_j and its mirror image (-x, y, -ρ) in the next
// position the squares cancel, and 2(D_ij·x yᵀ + D_ji·y xᵀ) remains
// (polarization). A cell with |A_ij| ≠ |A_ji| gives x yᵀ itself, and a row of G_r
// is such a product. Otherwise every pair of cells is symmetric or skew; A ≠ -Aᵀ
// leaves a symmetric one, or a diagonal entry, for the symmetric part of G_r, and
// A ≠ Aᵀ a skew one for the rest.
//
// Dim is K times the number of positions: two for each nonzero row of each G_r
// in the first case, at most four for each entity and relation in the second,
// and one when all scores are 0.
func Express(a structure.Structure, g Scores) (*Embeddings, error) {
	if err := checkScores(g); err != nil {
		return nil, err
	}
	c, ok := cells(a)
	if !ok {
		return nil, &InexpressibleError{Structure: a, Example: Scores{{{0, 1}}, {{0, 0}}}}
	}
	b := newBuilder(a, g)
	if c.single == nil {
		b.halves(g, c.symmetric, c.skew)
		return b.embeddings(), nil
	}
	for r := range b.relations {
		for p := range g {
			b.product(*c.single, r, unit(b.entities, p), g[p][r])
		}
	}
	return b.embeddings(), nil
}

// NoWitnessError says that the paper's Proposition 1 does not apply: some r̂
// with a symmetric g(A,r̂) ≠ 0, or some r̆ with a skew-symmetric one, is missing.
type NoWitnessError struct {
	Structure       structure.Structure
	Symmetric, Skew []int // the witnesses, nil where there is none
}

func (e *NoWitnessError) Error() string {
	return fmt.Sprintf("the structure %s lacks a witness of Proposition 1: symmetric %v, skew-symmetric %v", e.Structure, e.Symmetric, e.Skew)
}

// ExpressByWitnesses returns embeddings with f_A(h,r,t) = G_hrt for a structure
// that has both witnesses of the paper's Proposition 1, and a [NoWitnessError]
// for any other.
//
// Statement: Proposition 1, where g(A,r̂) and g(A,r̆) must not be 0, which the
// paper does not say.
//
// Idea: the symmetric half of G_r is built from an entry of the symmetric matrix
// g(A,r̂), and the skew half from one of g(A,r̆), each by polarization. An entry
// and its mirror image have the same sign in the first and opposite signs in the
// second, so dividing by the entry settles the sign that the paper's lemma on
// skew-symmetric matrices has wrong.
//
// Dim is K times the number of positions, at most four for each entity and relation.
func ExpressByWitnesses(a structure.Structure, g Scores) (*Embeddings, error) {
	if err := checkScores(g); err != nil {
		return nil, err
	}
	symmetric, skew := a.SymmetricWitness(), a.SkewSymmetricWitness()
	if symmetric == nil || skew == nil {
		return nil, &NoWitnessError{Structure: a, Symmetric: symmetric, Skew: skew}
	}
	b := newBuilder(a, g)
	b.halves(g, entry(a, symmetric), entry(a, skew))
	return b.embeddings(), nil
}

func checkScores(g Scores) error {
	if len(g) == 0 || len(g[0]) == 0 {
		return fmt.Errorf("the scores have %d entities: at least one entity and one relation are needed", len(g))
	}
	for h := range g {
		if len(g[h]) != len(g[0]) {
			return fmt.Errorf("entity %d has %d relations and entity 0 has %d: a tensor has one number of them", h, len(g[h]), len(g[0]))
		}
		for r := range g[h] {
			if len(g[h][r]) != len(g) {
				return fmt.Errorf("head %d, relation %d has %d tails: it must be %d, the number of entities", h, r, len(g[h][r]), len(g))
			}
		}
	}
	return nil
}

// lever is an entry of a relation matrix: with these chunks of a relation,
// g(A, relation)[i,j] = value, which is not 0.
type lever struct {
	i, j     int
	relation []float64
	value    float64
}

// useful are the entries that the construction builds with.
type useful struct {
	single    *lever // its mirror image is 0
	symmetric *lever // equals its mirror image; on the diagonal only where there is no other
	skew      *lever // is the negative of its mirror image
}

// cells picks them among the cells of A, and tells whether they suffice.
func cells(a structure.Structure) (useful, bool) {
	var u useful
	for i := range a.K() {
		for j := range a.K() {
			value, mirror := a.At(i, j), a.At(j, i)
			if value == 0 {
				continue
			}
			l := &lever{i: i, j: j, relation: unit(a.K(), max(value, -value)-1), value: 1}
			if value < 0 {
				l.value = -1
			}
			switch {
			case i == j && u.symmetric == nil, i != j && mirror == value:
				u.symmetric = l
			case i == j:
			case mirror == -value:
				u.skew = l
			default:
				u.single = l
			}
		}
	}
	return u, u.single != nil || u.skew != nil && u.symmetric != nil
}

// entry is a lever for the witness r; g(A,r) is not 0. One off the diagonal is
// taken where there is one.
func entry(a structure.Structure, r []int) *lever {
	relation := make([]float64, len(r))
	for k, x := range r {
		relation[k] = float64(x)
	}
	var found *lever
	for i := range a.K() {
		for j := range a.K() {
			value := a.At(i, j)
			if value == 0 || r[max(value, -value)-1] == 0 || i == j && found != nil {
				continue
			}
			found = &lever{i: i, j: j, relation: relation, value: relation[max(value, -value)-1]}
			if value < 0 {
				found.value = -found.value
			}
		}
	}
	return found
}

func unit(n, at int) []float64 {
	x := make([]float64, n)
	x[at] = 1
	return x
}

// position is one number of each chunk of all embeddings.
type position struct{ entities, relations [][]float64 }

type builder struct {
	k, entities, relations int
	positions              []position
}

func newBuilder(a structure.Structure, g Scores) *builder {
	return &builder{k: a.K(), entities: len(g), relations: len(g[0])}
}

// halves adds the symmetric and the skew-symmetric half of each G_r, row by row:
// the part of a row at and right of the diagonal, and its mirror image.
func (b *builder) halves(g Scores, symmetric, skew *lever) {
	for r := range b.relations {
		for p := range g {
			same, opposite := make([]float64, b.entities), make([]float64, b.entities)
			for q := p; q < b.entities; q++ {
				same[q], opposite[q] = (g[p][r][q]+g[q][r][p])/2, (g[p][r][q]-g[q][r][p])/2
			}
			same[p] /= 2 // x yᵀ + y xᵀ counts the diagonal twice
			b.symmetric(*symmetric, r, unit(b.entities, p), same)
			b.product(*skew, r, unit(b.entities, p), opposite)
		}
	}
}

func zeros(rows, columns int) [][]float64 {
	t := make([][]float64, rows)
	for i := range t {
		t[i] = make([]float64, columns)
	}
	return t
}

// add puts x into chunk i of the entities and y into chunk j, and weight times
// the lever's chunks into the relation.
func (b *builder) add(l lever, r int, x, y []float64, weight float64) {
	p := position{zeros(b.entities, b.k), zeros(b.relations, b.k)}
	for e := range b.entities {
		p.entities[e][l.i] += x[e]
		p.entities[e][l.j] += y[e]
	}
	for k, v := range l.relation {
		p.relations[r][k] = weight * v
	}
	b.positions = append(b.positions, p)
}

// product adds x yᵀ + s·y xᵀ to the scores of a relation, for a lever off the
// diagonal whose mirror image is s times itself, s being 0, 1 or -1.
func (b *builder) product(l lever, r int, x, y []float64) {
	if isZero(y) {
		return
	}
	minus := make([]float64, len(x))
	for e, v := range x {
		minus[e] = -v
	}
	b.add(l, r, x, y, 1/(2*l.value))
	b.add(l, r, minus, y, -1/(2*l.value))
}

// symmetric adds x yᵀ + y xᵀ, for a lever that equals its mirror image.
func (b *builder) symmetric(l lever, r int, x, y []float64) {
	if l.i != l.j || isZero(y) {
		b.product(l, r, x, y)
		return
	}
	// ½(x+y)(x+y)ᵀ - ½(x-y)(x-y)ᵀ
	sum, difference, none := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for e := range x {
		sum[e], difference[e] = x[e]+y[e], x[e]-y[e]
	}
	b.add(l, r, sum, none, 1/(2*l.value))
	b.add(l, r, difference, none, -1/(2*l.value))
}

func isZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// embeddings puts the positions side by side, chunk by chunk; there is at least
// one, so that the embeddings are never empty.
func (b *builder) embeddings() *Embeddings {
	width := max(1, len(b.positions))
	e := &Embeddings{Dim: b.k * width, Entities: zeros(b.entities, b.k*width), Relations: zeros(b.relations, b.k*width)}
	for n, p := range b.positions {
		for chunk := range b.k {
			for i := range p.entities {
				e.Entities[i][chunk*width+n] = p.entities[i][chunk]
			}
			for r := range p.relations {
				e.Relations[r][chunk*width+n] = p.relations[r][chunk]
			}
		}
	}
	return e
}
