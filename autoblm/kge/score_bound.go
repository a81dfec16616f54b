package kge

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"gonum.org/v1/gonum/floats"
)

// Error bound of float32 scores
//
// A score is a sum of terms. In float32 a term goes through at most n roundings, each of which
// multiplies it by a number within 1 ± u, with u = 2⁻²⁴. In any order of the sums the error is
// therefore at most γM with γ = nu/(1 - nu), where M is the sum of the magnitudes of the terms.
//
//   - If scores are products, M = Σ_j m_j|e_j|, where m is the query that the magnitudes of the
//     anchor and the relation give. By the Cauchy-Schwarz inequality M ≤ |m||e|. With cores, a hop
//     multiplies the norm of a partition of m by at most |r_k||W_k|, for the same reason. Batch
//     normalization multiplies it by at most its largest factor, and adds at most the norm of its
//     offsets.
//   - Distances sum differences of coordinates of the entity and the query. Each coordinate of
//     the query is a sum of at most two coordinates of the anchor and of numbers of the relation,
//     or a turned pair of them. So M ≤ 2(‖e‖₁ + 2‖anchor‖₁ + 2Σ‖r‖₁), and ‖e‖₁ ≤ √d|e|.
//   - TransH's score is 2qᵀe - |q|² - |e|² + b² - 2bc, where b and c are products of e and q with a
//     unit normal. So M ≤ 2(|e| + |q|)², and |q| ≤ |anchor| + Σ|r|, because projections lengthen no
//     vector. b² and bc have the roundings of two sums.
//   - A query of a neural form has many more terms. An engine that computes it in float64 rounds
//     its coordinates once, so that M ≤ |query||e|. With another engine the bound is infinite.
//   - PairRE's score sums |q_j - w_j·e_j/|e||, where q and w are products of the two vectors of
//     relations, and the first q also of anchor/|anchor|. So M ≤ |Π r_H| + |Π r_T|. A norm has as
//     many roundings as a sum.
//
// The floor covers numbers below 2⁻¹²⁶ that are flushed to 0, whose squares the moduli of complex
// numbers take. Rounding in float64 is far below the margin of n. If a sum might overflow, the
// bound is infinite.

const (
	maxMagnitude  = 0x1p60 // of M; squares of its terms do not overflow
	productFloor  = 0x1p-110
	distanceFloor = 0x1p-60
)

// ScoreBound bounds the difference between an engine's float32 score of an entity and its
// definition in float64.
type ScoreBound struct {
	model     Parameters
	relations int       // without reverses
	norm      float64   // largest norm of an entity's row
	cores     []float64 // norm of each partition's core, if there are any
	rounds    bool      // the engine computes queries of a neural form in float32
}

// NeuralInFloat64 is an [Engine] that computes the queries of neural forms in float64.
type NeuralInFloat64 interface{ NeuralInFloat64() }

// NewScoreBound returns the bound for all entities of a model with finite numbers on an engine.
// relations is the number of relations without reverses.
func NewScoreBound(e Engine, p Parameters, relations int) ScoreBound {
	largest := 0.0
	const together = 1 << 13 // rows, whose memory is released together if they are in a file
	for rows := range slices.Chunk(p.Entities, together*p.Dim) {
		for row := range slices.Chunk(rows, p.Dim) {
			squares := 0.0
			for _, x := range row {
				squares += float64(x) * float64(x)
			}
			largest = max(largest, squares)
		}
		mapped.Release(rows)
	}
	b := ScoreBound{model: p, relations: relations, norm: math.Sqrt(largest) * (1 + 0x1p-30)}
	if p.Form.Partitions() > 0 {
		b.cores = p.coreNorms()
	}
	if _, isNeural := p.Form.Neural(); isNeural {
		_, isExact := e.(NeuralInFloat64)
		b.rounds = !isExact
	}
	return b
}

// Of returns the bound for the scores of a question.
func (b ScoreBound) Of(q Question) float64 {
	p := b.model
	products := p.Form.Capabilities().Products
	_, isNeural := p.Form.Neural()
	var magnitude float64
	switch {
	case b.rounds:
		return math.Inf(1)
	case isNeural:
		magnitude = norm(p.walk(nil, q, b.relations)) * b.norm
	case b.cores != nil:
		magnitude = b.coreMagnitude(q) * b.norm
	case products:
		magnitude = norm(b.productMagnitudes(q)) * b.norm
	case p.Form == form.TransH:
		magnitude = b.hyperplaneMagnitude(q)
	case p.Form == form.PairRE:
		magnitude = b.pairMagnitude(q)
	default:
		magnitude = b.distanceMagnitude(q)
	}
	if !(magnitude < maxMagnitude) {
		return math.Inf(1)
	}
	d := p.Dim
	perHop := d + 8
	if b.cores != nil { // a matrix is a sum too
		perHop += d
	}
	if p.Form.HasNorm() { // a rounded factor, a product and a sum, before and after the hop
		perHop += 6
	}
	if k := p.Structure.K(); k > 0 {
		perHop = k + 8
		if p.Form == form.Translated {
			perHop++ // the head is moved first
		}
	}
	roundings := d + 16 + len(q.Path)*perHop
	if p.Form == form.TransH {
		roundings *= 2
	}
	x := float64(roundings) * 0x1p-24
	floor := float64(d) * distanceFloor
	if products {
		floor = float64(d*d) * productFloor * (1 + b.norm)
	}
	return x/(1-x)*magnitude*(1+0x1p-16) + floor
}

// productMagnitudes returns the query that the magnitudes of the anchor and the relations give.
func (b ScoreBound) productMagnitudes(q Question) []float64 {
	p := b.model
	state := magnitudes(p.Entity(q.Anchor))
	for _, r := range q.Path {
		rows, transposed := p.relationRows(r, b.relations)
		for _, row := range rows {
			for i, x := range row {
				row[i] = math.Abs(x)
			}
		}
		if p.Structure.K() > 0 {
			state = p.hop(p.moved(state, rows, transposed), rows[0], transposed, true)
		} else {
			state = p.Form.Spec().DefineHop(p.Structure, state, rows, transposed)
		}
	}
	return state
}

// coreMagnitude bounds the norm of the query that the magnitudes of anchor, relations and cores
// give.
func (b ScoreBound) coreMagnitude(q Question) float64 {
	norms := make([]float64, len(b.cores))
	c := b.model.Dim / len(norms)
	for k := range norms {
		norms[k] = norm(b.model.Entity(q.Anchor)[k*c:][:c])
	}
	var before, after form.Norm
	if b.model.Form.HasNorm() {
		before, after = b.model.norms()
	}
	for _, r := range q.Path {
		rows, _ := b.model.relationRows(r, b.relations)
		normalizeMagnitudes(norms, before)
		for k, core := range b.cores {
			norms[k] *= norm(rows[0][k*c:][:c]) * core
		}
		normalizeMagnitudes(norms, after)
	}
	return norm(norms)
}

// normalizeMagnitudes bounds the norms of the partitions of a state after a normalization.
func normalizeMagnitudes(norms []float64, n form.Norm) {
	c := len(n.Factors) / len(norms)
	for k := range norms {
		if c > 0 {
			largest := floats.Norm(n.Factors[k*c:][:c], math.Inf(1))
			norms[k] = norms[k]*largest + norm(n.Offsets[k*c:][:c])
		}
	}
}

// moved returns a state before a hop with the translation of the relation, if there is one.
func (p Parameters) moved(state []float64, rows [][]float64, transposed bool) []float64 {
	if p.Form != form.Translated || transposed {
		return state
	}
	return floats.AddTo(make([]float64, len(state)), state, rows[1])
}

// hop returns the state after a hop with a structure, or with the magnitudes of its entries.
func (p Parameters) hop(state, relation []float64, transposed, magnitudes bool) []float64 {
	k := p.Structure.K()
	width, after := p.Dim/k, make([]float64, p.Dim)
	for i := range k {
		for j := range k {
			value := p.Structure.At(i, j)
			if value == 0 {
				continue
			}
			from, to := i*width, j*width
			if transposed {
				from, to = to, from
			}
			sign := 1.0
			if value < 0 && !magnitudes {
				sign = -1
			}
			r := (max(value, -value) - 1) * width
			for n := range width {
				after[to+n] += sign * state[from+n] * relation[r+n]
			}
		}
	}
	return after
}

// distanceMagnitude returns the bound of M for distances.
func (b ScoreBound) distanceMagnitude(q Question) float64 {
	sum := math.Sqrt(float64(b.model.Dim)) * b.norm
	for _, x := range b.model.Entity(q.Anchor) {
		sum += 2 * math.Abs(float64(x))
	}
	for _, r := range q.Path {
		rows, _ := b.model.relationRows(r, b.relations)
		for _, row := range rows {
			for _, x := range row {
				sum += 2 * math.Abs(x)
			}
		}
	}
	return 2 * sum
}

// hyperplaneMagnitude returns the bound of M for TransH.
func (b ScoreBound) hyperplaneMagnitude(q Question) float64 {
	sum := b.norm + norm(b.model.Entity(q.Anchor))
	for _, r := range q.Path {
		rows, _ := b.model.relationRows(r, b.relations)
		sum += norm(rows[0][:b.model.Dim]) // without the normal
	}
	return 2 * sum * sum
}

// pairMagnitude returns the bound of M for PairRE, or infinity if the square of a norm may overflow.
func (b ScoreBound) pairMagnitude(q Question) float64 {
	if !(b.norm < maxMagnitude) {
		return math.Inf(1)
	}
	var product []float64 // of both vectors
	for _, r := range q.Path {
		rows, transposed := b.model.relationRows(r, b.relations)
		vectors := rows[0]
		if d := b.model.Dim; transposed {
			vectors = slices.Concat(vectors[d:], vectors[:d])
		}
		if product == nil {
			product = slices.Clone(vectors)
		} else {
			floats.Mul(product, vectors)
		}
	}
	return norm(product[:b.model.Dim]) + norm(product[b.model.Dim:])
}

func magnitudes(x []float32) []float64 {
	y := widen(x)
	for i := range y {
		y[i] = math.Abs(y[i])
	}
	return y
}

// norm returns a number that is at least |x|, and near it.
func norm[T float32 | float64](x []T) float64 {
	squares := 0.0
	for _, v := range x {
		squares += float64(v) * float64(v)
	}
	return math.Sqrt(squares) * (1 + 0x1p-30)
}
