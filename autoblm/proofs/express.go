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
	b := &builder{k: a.K(), entities: len(g), relations: len(g[0])}
	for r := range b.relations {
		for p := range g {
			row := g[p][r]
			if c.single != nil {
				b.product(*c.single, r, unit(b.entities, p), row)
				continue
			}
			// The part of row p at and right of the diagonal, of the symmetric half
			// and of the skew half of G_r.
			symmetric, skew := make([]float64, len(row)), make([]float64, len(row))
			for q := p; q < len(row); q++ {
				symmetric[q], skew[q] = (g[p][r][q]+g[q][r][p])/2, (g[p][r][q]-g[q][r][p])/2
			}
			symmetric[p] /= 2 // x yᵀ + y xᵀ counts the diagonal twice
			b.symmetric(c, r, unit(b.entities, p), symmetric)
			b.product(*c.skew, r, unit(b.entities, p), skew)
		}
	}
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

// cell is a nonzero of A: D_chunk[i,j] = sign.
type cell struct {
	i, j, chunk int
	sign        float64
}

// useful are the cells that the construction builds with.
type useful struct {
	single    *cell // its mirror image belongs to another chunk, or is 0
	symmetric *cell // equals its mirror image, off the diagonal
	diagonal  *cell
	skew      *cell // is the negative of its mirror image
}

// cells picks them, and tells whether they suffice.
func cells(a structure.Structure) (useful, bool) {
	var u useful
	for i := range a.K() {
		for j := range a.K() {
			value, mirror := a.At(i, j), a.At(j, i)
			if value == 0 {
				continue
			}
			c := &cell{i: i, j: j, chunk: max(value, -value) - 1, sign: 1}
			if value < 0 {
				c.sign = -1
			}
			switch {
			case i == j:
				u.diagonal = c
			case mirror == value:
				u.symmetric = c
			case mirror == -value:
				u.skew = c
			default:
				u.single = c
			}
		}
	}
	return u, u.single != nil || u.skew != nil && (u.symmetric != nil || u.diagonal != nil)
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

func zeros(rows, columns int) [][]float64 {
	t := make([][]float64, rows)
	for i := range t {
		t[i] = make([]float64, columns)
	}
	return t
}

// add puts x into chunk i and y into chunk j of the entities, and weight into a
// chunk of the relation.
func (b *builder) add(r, i, j, chunk int, x, y []float64, weight float64) {
	p := position{zeros(b.entities, b.k), zeros(b.relations, b.k)}
	for e := range b.entities {
		p.entities[e][i] += x[e]
		p.entities[e][j] += y[e]
	}
	p.relations[r][chunk] = weight
	b.positions = append(b.positions, p)
}

// product adds x yᵀ + s·y xᵀ to the scores of a relation, where s is 0, 1 or -1:
// the mirror image of the cell, by its sign.
func (b *builder) product(c cell, r int, x, y []float64) {
	if isZero(y) {
		return
	}
	minus := make([]float64, len(x))
	for e, v := range x {
		minus[e] = -v
	}
	b.add(r, c.i, c.j, c.chunk, x, y, c.sign/2)
	b.add(r, c.i, c.j, c.chunk, minus, y, -c.sign/2)
}

// symmetric adds x yᵀ + y xᵀ.
func (b *builder) symmetric(u useful, r int, x, y []float64) {
	switch {
	case isZero(y):
	case u.symmetric != nil:
		b.product(*u.symmetric, r, x, y)
	default: // ½(x+y)(x+y)ᵀ - ½(x-y)(x-y)ᵀ
		c := u.diagonal
		sum, difference := make([]float64, len(x)), make([]float64, len(x))
		for e := range x {
			sum[e], difference[e] = x[e]+y[e], x[e]-y[e]
		}
		none := make([]float64, len(x))
		b.add(r, c.i, c.i, c.chunk, sum, none, c.sign/2)
		b.add(r, c.i, c.i, c.chunk, difference, none, -c.sign/2)
	}
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
