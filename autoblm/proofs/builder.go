package proofs

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/mat"
)

// builder makes the positions of [Express].
type builder interface {
	// single gives one relation its scores.
	single(scores *mat.Dense) []position
	// shared gives all relations theirs, with the same entities for all of them.
	shared(scores []*mat.Dense) []position
}

// builderFor selects the cells of A to build with, and reports whether there are any.
func builderFor(a structure.Structure) (builder, bool) {
	var diagonal, symmetric, oneSquare, twoSquares, skew *form
	for i := range a.K() {
		for j := range a.K() {
			value, mirror := a.At(i, j), a.At(j, i)
			if value == 0 {
				continue
			}
			f := formOf(a, i, j)
			switch {
			case i == j:
				diagonal = f
			case mirror == value:
				symmetric = f
			case mirror == -value:
				skew = f
			case f.squareX != 0 && f.squareY != 0:
				twoSquares = f
			case oneSquare == nil || f.squareX == 0 && f.squareY == 0:
				oneSquare = f
			}
		}
	}
	if oneSquare != nil {
		return products{oneSquare}, true
	}
	if diagonal != nil {
		symmetric = diagonal
	}
	if skew == nil {
		skew = twoSquares
	}
	return skewFirst{skew, symmetric}, skew != nil && symmetric != nil
}

// form is the matrix that a position with this entry adds to the scores:
// squareX·x xᵀ + squareY·y yᵀ + at·x yᵀ + mirror·y xᵀ, or at·x xᵀ on the diagonal.
type form struct {
	entry
	squareX, squareY, mirror float64
}

func formOf(a structure.Structure, i, j int) *form {
	value := a.At(i, j)
	relation := unit(a.K(), max(value, -value)-1)
	at := func(i, j int) float64 { return operatorAt(a, relation, i, j) }
	f := &form{entry: entry{i: i, j: j, relation: relation, at: at(i, j)}}
	if i != j {
		f.squareX, f.squareY, f.mirror = at(i, i), at(j, j), at(j, i)
	}
	return f
}

// products builds with an entry whose mirror image is 0, with at most one square next to it: a
// position is any matrix of rank 1.
type products struct{ form *form }

// product returns the position that adds weights[r]·a bᵀ.
func (p products) product(a, b, weights []float64) position {
	f := p.form
	x, y := a, scaled(1/f.at, b)
	switch {
	case f.squareX != 0: // x (squareX·x + at·y)ᵀ
		y = plus(1/f.at, b, -f.squareX/f.at, a)
	case f.squareY != 0: // (at·x + squareY·y) yᵀ
		x, y = plus(1/f.at, a, -f.squareY/f.at, b), b
	}
	return position{entry: &f.entry, x: x, y: y, weights: weights}
}

func (p products) single(scores *mat.Dense) []position {
	var positions []position
	for _, term := range rankOneTerms(scores) {
		positions = append(positions, p.product(term.x, term.y, []float64{1}))
	}
	return positions
}

func (p products) shared(scores []*mat.Dense) []position {
	n, _ := scores[0].Dims()
	var positions []position
	for head := range n {
		for tail := range n {
			if weights := across(scores, head, tail); !isZero(weights) {
				positions = append(positions, p.product(unit(n, head), unit(n, tail), weights))
			}
		}
	}
	return positions
}

// across returns the score of a pair in each relation.
func across(scores []*mat.Dense, head, tail int) []float64 {
	pair := make([]float64, len(scores))
	for r := range scores {
		pair[r] = scores[r].At(head, tail)
	}
	return pair
}

// skewFirst builds the skew-symmetric half with an entry that differs from its mirror image. It
// then builds the remaining symmetric half with an entry that equals its mirror image.
type skewFirst struct{ skew, symmetric *form }

// turn returns the position whose skew-symmetric half is weights[r]·(x yᵀ - y xᵀ); its
// symmetric half is taken from rest[r].
func (s skewFirst) turn(x, y, weights []float64, rest []*mat.SymDense) position {
	f := s.skew
	weights = scaled(2/(f.at-f.mirror), weights)
	for r, w := range weights {
		for i := range x {
			for j := range i + 1 {
				came := f.squareX*x[i]*x[j] + f.squareY*y[i]*y[j] + (f.at+f.mirror)/2*(x[i]*y[j]+y[i]*x[j])
				rest[r].SetSym(i, j, rest[r].At(i, j)-w*came)
			}
		}
	}
	return position{entry: &f.entry, x: x, y: y, weights: weights}
}

func (s skewFirst) single(scores *mat.Dense) []position {
	rest, skew := halves(scores)
	var positions []position
	for _, term := range skewTerms(skew) {
		positions = append(positions, s.turn(term.x, term.y, []float64{1}, []*mat.SymDense{rest}))
	}
	terms := eigenTerms(rest)
	if s.symmetric.i == s.symmetric.j {
		for _, term := range terms {
			positions = append(positions, position{entry: &s.symmetric.entry, x: term.vector,
				weights: []float64{term.value / s.symmetric.at}})
		}
		return positions
	}
	// x yᵀ + y xᵀ has an eigenvalue of either sign, so a negative and a positive one
	// share a position: a²uuᵀ - b²vvᵀ is half of (au+bv)(au-bv)ᵀ and its mirror image.
	for low, high := 0, len(terms)-1; low <= high; {
		none := make([]float64, len(terms[low].vector))
		positive, negative := none, none
		if terms[high].value > 0 {
			positive = scaled(math.Sqrt(terms[high].value), terms[high].vector)
			high--
		}
		if low <= high && terms[low].value < 0 {
			negative = scaled(math.Sqrt(-terms[low].value), terms[low].vector)
			low++
		}
		positions = append(positions, position{
			entry: &s.symmetric.entry, weights: []float64{1 / (2 * s.symmetric.at)},
			x: plus(1, positive, 1, negative), y: plus(1, positive, -1, negative),
		})
	}
	return positions
}

func (s skewFirst) shared(scores []*mat.Dense) []position {
	n, _ := scores[0].Dims()
	rest, skew := make([]*mat.SymDense, len(scores)), make([]*mat.Dense, len(scores))
	for r := range scores {
		rest[r], skew[r] = halves(scores[r])
	}
	var positions []position
	for head := range n {
		for tail := range head {
			if weights := across(skew, head, tail); !isZero(weights) {
				positions = append(positions, s.turn(unit(n, head), unit(n, tail), weights, rest))
			}
		}
	}
	return append(positions, s.sharedSymmetric(rest)...)
}

// sharedSymmetric takes the pairs of unit vectors, or their sums where the entry
// is on the diagonal.
func (s skewFirst) sharedSymmetric(rest []*mat.SymDense) []position {
	n := rest[0].SymmetricDim()
	var positions []position
	add := func(x, y, weights []float64) {
		if !isZero(weights) {
			positions = append(positions, position{entry: &s.symmetric.entry, x: x, y: y,
				weights: scaled(1/s.symmetric.at, weights)})
		}
	}
	onDiagonal := s.symmetric.i == s.symmetric.j
	squares := make([][]float64, n)
	for head := range n {
		squares[head] = make([]float64, len(rest))
		for r := range rest {
			squares[head][r] = rest[r].At(head, head)
		}
	}
	for head := range n {
		for tail := range head {
			weights := make([]float64, len(rest))
			for r := range rest {
				weights[r] = rest[r].At(head, tail)
			}
			if !onDiagonal {
				add(unit(n, head), unit(n, tail), weights)
				continue
			}
			add(plus(1, unit(n, head), 1, unit(n, tail)), nil, weights)
			squares[head] = plus(1, squares[head], -1, weights)
			squares[tail] = plus(1, squares[tail], -1, weights)
		}
	}
	for head := range n {
		if onDiagonal {
			add(unit(n, head), nil, squares[head])
		} else {
			add(unit(n, head), unit(n, head), scaled(0.5, squares[head]))
		}
	}
	return positions
}
