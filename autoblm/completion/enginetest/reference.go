package enginetest

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// reference is one model in float64, trained straight from the definitions.
type reference struct {
	member     completion.Member
	set        completion.Settings
	reciprocal bool
	dim        int
	parameters [2][]float64 // entities, relations
	gradients  [2][]float64
	slots      [2][2][]float64
	steps      int
}

func newReference(g *datasets.Graph, s completion.Settings, m completion.Member) *reference {
	p := completion.Initialize(g, s, m)
	r := &reference{member: m, set: s, reciprocal: s.Reciprocal, dim: s.Dim, parameters: [2][]float64{widen(p.Entities), widen(p.Relations)}}
	for i, table := range r.parameters {
		r.gradients[i] = make([]float64, len(table))
		r.slots[i] = [2][]float64{make([]float64, len(table)), make([]float64, len(table))}
	}
	return r
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// vector is a row of a table, or a value computed from rows, with its gradient.
type vector struct{ value, gradient []float64 }

func (r *reference) row(table int, id int32) vector {
	from, to := int(id)*r.dim, (int(id)+1)*r.dim
	return vector{r.parameters[table][from:to], r.gradients[table][from:to]}
}

func (r *reference) entity(id int32) vector   { return r.row(0, id) }
func (r *reference) relation(id int32) vector { return r.row(1, id) }

func (r *reference) rows(table int) int { return len(r.parameters[table]) / r.dim }

// reverse is the triple that asks for t's head as its tail.
func (r *reference) reverse(t datasets.Triple) datasets.Triple {
	return datasets.Triple{Head: t.Tail, Relation: t.Relation + int32(r.rows(1)/2), Tail: t.Head}
}

// product computes one of the three vectors that a score is linear in, from the
// other two: q with f = ⟨q, t⟩, v with f = ⟨v, r⟩, p with f = ⟨p, h⟩. back carries
// the gradient of the result to what it was computed from.
func (r *reference) product(h, rel, t *vector) (result vector, back func()) {
	result = vector{make([]float64, r.dim), make([]float64, r.dim)}
	k := r.member.Structure.K()
	width := r.dim / k
	each := func(visit func(sign float64, a, b, c int)) {
		for i := range k {
			for j := range k {
				value := r.member.Structure.At(i, j)
				if value == 0 {
					continue
				}
				sign, chunk := 1.0, value-1
				if value < 0 {
					sign, chunk = -1, -value-1
				}
				for n := range width {
					visit(sign, i*width+n, chunk*width+n, j*width+n)
				}
			}
		}
	}
	// x and y are the two given; their coordinates and the result's are picked from (a, b, c).
	var x, y *vector
	var pick func(a, b, c int) (atX, atY, atResult int)
	switch {
	case t == nil:
		x, y, pick = h, rel, func(a, b, c int) (int, int, int) { return a, b, c }
	case rel == nil:
		x, y, pick = h, t, func(a, b, c int) (int, int, int) { return a, c, b }
	default:
		x, y, pick = rel, t, func(a, b, c int) (int, int, int) { return b, c, a }
	}
	each(func(sign float64, a, b, c int) {
		i, j, n := pick(a, b, c)
		result.value[n] += sign * x.value[i] * y.value[j]
	})
	return result, func() {
		each(func(sign float64, a, b, c int) {
			i, j, n := pick(a, b, c)
			x.gradient[i] += sign * result.gradient[n] * y.value[j]
			y.gradient[j] += sign * result.gradient[n] * x.value[i]
		})
	}
}

// crossEntropy is that of the true row of a table for a query, among the first
// count rows, with the smoothing of labels; its gradient goes to both.
func (r *reference) crossEntropy(query vector, table int, truth int32, smoothing, weight float64) float64 {
	count := r.rows(table)
	total := 0.0
	for e := range count {
		total += math.Exp(inner(query.value, r.row(table, int32(e)).value))
	}
	loss := 0.0
	for e := range count {
		row := r.row(table, int32(e))
		target := smoothing / float64(count)
		if int32(e) == truth {
			target += 1 - smoothing
		}
		score := inner(query.value, row.value)
		loss += target * (math.Log(total) - score)
		slope := weight * (math.Exp(score)/total - target)
		for n := range r.dim {
			query.gradient[n] += slope * row.value[n]
			row.gradient[n] += slope * query.value[n]
		}
	}
	return weight * loss
}

func inner(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// dropped is a query with some coordinates dropped.
func (r *reference) dropped(query vector, number int) (result vector, back func()) {
	result = vector{make([]float64, r.dim), make([]float64, r.dim)}
	key := dropout.Key(r.member.Seed, r.steps+1)
	factor := make([]float64, r.dim)
	for n := range factor {
		if !dropout.Dropped(key, number, n, r.dim, r.set.Dropout) {
			factor[n] = 1 / (1 - r.set.Dropout)
		}
		result.value[n] = factor[n] * query.value[n]
	}
	return result, func() {
		for n := range factor {
			query.gradient[n] += factor[n] * result.gradient[n]
		}
	}
}

// penalize adds weight · Σ|x|^power of a vector.
func (r *reference) penalize(x vector, weight, power float64) (loss float64) {
	for n, value := range x.value {
		loss += weight * math.Pow(math.Abs(value), power)
		x.gradient[n] += weight * power * math.Copysign(math.Pow(math.Abs(value), power-1), value)
	}
	return loss
}

// step trains on a batch and returns its mean loss per triple.
func (r *reference) step(batch []datasets.Triple, rate float64) float64 {
	for _, g := range r.gradients {
		clear(g)
	}
	loss, weight := 0.0, 1/float64(len(batch))
	for i, t := range batch {
		directions := []datasets.Triple{t}
		if r.reciprocal {
			directions = append(directions, r.reverse(t))
		}
		for direction, t := range directions {
			h, rel, tail := r.entity(t.Head), r.relation(t.Relation), r.entity(t.Tail)
			forTail, backTail := r.product(&h, &rel, nil)
			forHead, backHead := r.product(nil, &rel, &tail)

			query, backDropout := r.dropped(forTail, 2*i+direction)
			loss += r.crossEntropy(query, 0, t.Tail, r.set.LabelSmoothing, weight)
			backDropout()
			if !r.reciprocal {
				query, backDropout := r.dropped(forHead, 2*i+1)
				loss += r.crossEntropy(query, 0, t.Head, r.set.LabelSmoothing, weight)
				backDropout()
			}
			w := r.member.Weights
			if w.RelationPrediction > 0 {
				forRelation, back := r.product(&h, nil, &tail)
				loss += r.crossEntropy(forRelation, 1, t.Relation, 0, w.RelationPrediction*weight)
				back()
			}
			share := weight / float64(len(directions))
			loss += r.penalize(forTail, w.Products*share, 2) + r.penalize(forHead, w.Products*share, 2)
			for _, end := range []vector{h, tail} {
				loss += r.penalize(end, (w.L2+w.EntityL2)*share, 2) + r.penalize(end, w.N3*share, 3)
			}
			loss += r.penalize(rel, (w.L2+w.RelationL2)*share, 2) + r.penalize(rel, w.N3*share, 3)
			backTail()
			backHead()
		}
	}
	r.update(rate)
	r.project()
	return loss
}

// project shortens entities to the largest norm.
func (r *reference) project() {
	for e := range r.rows(0) {
		x := r.entity(int32(e)).value
		if norm := math.Sqrt(inner(x, x)); r.set.MaxNorm > 0 && norm > r.set.MaxNorm {
			for n := range x {
				x[n] *= r.set.MaxNorm / norm
			}
		}
	}
}

func (r *reference) update(rate float64) {
	r.steps++
	for table, parameters := range r.parameters {
		for n, g := range r.gradients[table] {
			first, second := &r.slots[table][0][n], &r.slots[table][1][n]
			switch r.set.Optimizer {
			case completion.Adagrad:
				*first += g * g
				parameters[n] -= rate * g / (math.Sqrt(*first) + 1e-10)
			case completion.Adam:
				*first = 0.9**first + 0.1*g
				*second = 0.999**second + 0.001*g*g
				mean := *first / (1 - math.Pow(0.9, float64(r.steps)))
				square := *second / (1 - math.Pow(0.999, float64(r.steps)))
				parameters[n] -= rate * mean / (math.Sqrt(square) + 1e-8)
			}
		}
	}
}

// holds compares embeddings with the reference's. The first step of both
// optimizers is rate times the sign of the gradient, and the sign of a gradient
// that is all but 0 is a matter of rounding: a few numbers may be off.
func (r *reference) holds(t testing.TB, p completion.Parameters) {
	t.Helper()
	for table, got := range [][]float32{p.Entities, p.Relations} {
		off := 0
		for n, x := range got {
			if math.Abs(float64(x)-r.parameters[table][n]) > 2e-3 { // they are near 0.3
				off++
			}
		}
		if off > 3+len(got)/10 {
			t.Errorf("%s, %v: %d of the %d numbers of table %d are not those of the reference", r.member.Structure, r.set.Optimizer, off, len(got), table)
		}
	}
}

// bruteRank ranks by scoring every candidate.
func bruteRank(p completion.Parameters, t datasets.Triple, known map[datasets.Triple]bool) completion.Ranked {
	r := &reference{member: completion.Member{Structure: p.Structure}, dim: p.Dim, parameters: [2][]float64{widen(p.Entities), widen(p.Relations)}}
	score := func(t datasets.Triple) float64 {
		return p.Structure.Score(r.parameters[0][int(t.Head)*r.dim:][:r.dim], r.parameters[1][int(t.Relation)*r.dim:][:r.dim], r.parameters[0][int(t.Tail)*r.dim:][:r.dim])
	}
	headScore := score
	if p.Reciprocal {
		headScore = func(t datasets.Triple) float64 { return score(r.reverse(t)) }
	}
	var ranked completion.Ranked
	count := func(rank *completion.Rank, score func(datasets.Triple) float64, candidate datasets.Triple) {
		if candidate == t || known[candidate] {
			return
		}
		switch found, truth := score(candidate), score(t); {
		case found > truth:
			rank.Better++
		case found == truth:
			rank.Equal++
		}
	}
	for e := range int32(len(p.Entities) / p.Dim) {
		count(&ranked.Tail, score, datasets.Triple{Head: t.Head, Relation: t.Relation, Tail: e})
		count(&ranked.Head, headScore, datasets.Triple{Head: e, Relation: t.Relation, Tail: t.Tail})
	}
	return ranked
}

// structures are worth testing with: named, dense, with an empty row, and of each K.
func structures() []structure.Structure {
	var all []structure.Structure
	for _, named := range structure.HumanDesigned() {
		all = append(all, named.Structure)
	}
	for _, text := range []string{
		"1,-2;2,1",
		"1,-2,-1;1,2,1;-2,1,3",
		"0,0,0,-1;4,-1,1,-1;0,4,-3,1;-1,2,2,-2",
		"0,0,0,0;1,0,0,0;0,-2,0,0;0,0,3,4",
		"2,3,-5,3,0;0,1,-2,5,-5;-2,-1,1,-1,-4;-5,-5,-5,-4,5;-3,2,3,-3,-2",
		"0,0,0,0,0,1;0,0,0,0,2,0;0,0,0,3,0,0;0,0,4,0,0,0;0,5,0,0,0,0;6,0,0,0,0,-1",
	} {
		all = append(all, structure.MustParse(text))
	}
	return all
}

// ofK are those of structures with k chunks.
func ofK(k int) []structure.Structure {
	return slices.DeleteFunc(structures(), func(s structure.Structure) bool { return s.K() != k })
}
