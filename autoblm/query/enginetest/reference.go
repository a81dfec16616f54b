package enginetest

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// reference is a model in float64.
type reference struct {
	query.Parameters
	entities, relations []float64
	forms               [][][]float64 // by number of a relation, the matrix that one of it stands for
}

func newReference(p query.Parameters) *reference {
	r := &reference{Parameters: p, entities: widen(p.Entities), relations: widen(p.Relations)}
	for n := range p.Kind.RelationRows(p.Dim) * p.Dim {
		r.forms = append(r.forms, r.form(n))
	}
	return r
}

// form is the matrix of a relation whose numbers are 0 but for one, of a model that
// multiplies with it: g(A,r) by the scores of unit vectors, or the matrix of those
// numbers.
func (r *reference) form(n int) [][]float64 {
	unit := func(i int) []float64 {
		x := make([]float64, r.Dim)
		x[i] = 1
		return x
	}
	m := make([][]float64, r.Dim)
	for i := range m {
		m[i] = make([]float64, r.Dim)
		for j := range m[i] {
			switch r.Kind {
			case query.GQE:
				if n == i*r.Dim+j {
					m[i][j] = 1
				}
			case query.Diag:
				m[i][j] = structure.MustParse("1").Score(unit(i), unit(n), unit(j))
			case query.Bilinear:
				m[i][j] = r.Structure.Score(unit(i), unit(n), unit(j))
			}
		}
	}
	return m
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func (r *reference) entity(id int32) []float64 { return r.entities[int(id)*r.Dim:][:r.Dim] }

// relation is the numbers of a direction of a relation, and whether it is walked
// through the transpose.
func (r *reference) relation(id int32) (numbers []float64, transposed bool) {
	size := r.Kind.RelationRows(r.Dim) * r.Dim
	row := int(id / 2)
	if id%2 == 1 {
		if !r.Reciprocal {
			return r.relations[row*size:][:size], true
		}
		row += len(r.relations) / size / 2
	}
	return r.relations[row*size:][:size], false
}

// matrix is what a relation multiplies with.
func (r *reference) matrix(id int32) [][]float64 {
	numbers, transposed := r.relation(id)
	m := make([][]float64, r.Dim)
	for i := range m {
		m[i] = make([]float64, r.Dim)
	}
	for n, x := range numbers {
		for i, row := range r.forms[n] {
			for j, y := range row {
				if transposed {
					m[j][i] += x * y
				} else {
					m[i][j] += x * y
				}
			}
		}
	}
	return m
}

func leftProduct(x []float64, m [][]float64) []float64 {
	y := make([]float64, len(x))
	for i := range m {
		for j := range m[i] {
			y[j] += x[i] * m[i][j]
		}
	}
	return y
}

func rightProduct(m [][]float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range m {
		for j := range m[i] {
			y[i] += m[i][j] * x[j]
		}
	}
	return y
}

// ask is the query that a path makes: a point, and for Query2box half the sides of
// a box around it.
func (r *reference) ask(q *query.Query) (point, half []float64) {
	point, half = append([]float64(nil), r.entity(q.Anchor)...), make([]float64, r.Dim)
	for _, id := range q.Relations {
		if r.Kind != query.TransE && r.Kind != query.Query2box {
			point = leftProduct(point, r.matrix(id))
			continue
		}
		numbers, transposed := r.relation(id)
		for i := range point {
			if transposed {
				point[i] -= numbers[i]
			} else {
				point[i] += numbers[i]
			}
			if r.Kind == query.Query2box {
				half[i] += math.Max(numbers[r.Dim+i], 0)
			}
		}
	}
	return point, half
}

// home is what the path makes of an answer, walked the other way.
func (r *reference) home(q *query.Query, answer int32) []float64 {
	x := r.entity(answer)
	for i := len(q.Relations) - 1; i >= 0; i-- {
		x = rightProduct(r.matrix(q.Relations[i]), x)
	}
	return x
}

// score is that of an entity (paper, Section II-B2; Ren et al., 2020, Equation 3,
// with their weight of 0.02 for the distance inside).
func (r *reference) score(point, half, entity []float64) (score float64) {
	for i, x := range entity {
		switch away := math.Abs(x - point[i]); r.Kind {
		case query.TransE:
			score -= away
		case query.Query2box:
			score -= math.Max(away-half[i], 0) + 0.02*math.Min(away, half[i])
		default:
			score += point[i] * x
		}
	}
	return score
}

// loss is the mean loss per query of a batch in a step, as [query.Settings] and
// [query.Member] define it.
func (r *reference) loss(s query.Settings, m query.Member, batch []query.Example, step int) (loss float64) {
	for number, x := range batch {
		point, half := r.ask(x.Query)
		penalty := m.Products * (power(point, 2) + power(r.homeIf(m.Products > 0, x), 2))
		mask := tiles.NewMask(r.Dim)
		if s.Dropout > 0 {
			mask.Draw(tiles.MaskKey(m.Seed, step), 0, number, r.Dim, s.Dropout)
			for i := range point {
				point[i] *= float64(mask.Row(0)[i])
			}
		}
		score := func(e int32) float64 { return r.score(point, half, r.entity(e)) }
		learnt := 0.0
		if s.Negatives > 0 {
			learnt = math.Log1p(math.Exp(-s.Margin - score(x.Answer)))
			query.Negatives{Seed: m.Seed, Entities: len(r.entities) / r.Dim, Count: s.Negatives}.Draw(step, number, x.Query, func(e int32) {
				learnt += math.Log1p(math.Exp(s.Margin+score(e))) / float64(s.Negatives)
			})
		} else {
			total := 0.0
			for e := range int32(len(r.entities) / r.Dim) {
				total += math.Exp(score(e))
			}
			for _, answer := range x.Hard {
				learnt += (math.Log(total) - score(answer)) / float64(len(x.Hard))
			}
		}
		learnt *= math.Pow(float64(len(x.Hard)), s.AnswerPower)
		for _, end := range []int32{x.Anchor, x.Answer} {
			penalty += (m.L2+m.EntityL2)*power(r.entity(end), 2) + m.N3*power(r.entity(end), 3)
		}
		for _, id := range x.Relations {
			numbers, _ := r.relation(id)
			penalty += (m.L2+m.RelationL2)*power(numbers, 2) + m.N3*power(numbers, 3)
		}
		loss += (learnt + penalty) / float64(len(batch))
	}
	return loss
}

func (r *reference) homeIf(wanted bool, x query.Example) []float64 {
	if !wanted {
		return nil
	}
	return r.home(x.Query, x.Answer)
}

// power is Σ|x|^p.
func power(x []float64, p float64) (sum float64) {
	for _, v := range x {
		sum += math.Pow(math.Abs(v), p)
	}
	return sum
}

// gradient is the difference quotients of the loss by all numbers.
func (r *reference) gradient(s query.Settings, m query.Member, batch []query.Example, step int) (entities, relations []float64) {
	const width = 1e-6
	by := func(table []float64) []float64 {
		slopes := make([]float64, len(table))
		for i, x := range table {
			table[i] = x + width
			above := r.loss(s, m, batch, step)
			table[i] = x - width
			below := r.loss(s, m, batch, step)
			table[i] = x
			slopes[i] = (above - below) / (2 * width)
		}
		return slopes
	}
	return by(r.entities), by(r.relations)
}
