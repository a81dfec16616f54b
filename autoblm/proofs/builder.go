package proofs

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/mat"
)

// builder makes positions of [Express] that give one relation its scores.
type builder interface {
	build(scores *mat.Dense) []position
}

// builderFor selects the cells of A to build with, and reports whether there are any.
func builderFor(a structure.Structure) (builder, bool) {
	var diagonal, symmetric, oneSquare, twoSquares, skew *entryForm
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

// entryForm is the matrix that a position with this entry adds to the scores:
// squareX·x xᵀ + squareY·y yᵀ + at·x yᵀ + mirror·y xᵀ, or at·x xᵀ on the diagonal.
type entryForm struct {
	entry
	squareX, squareY, mirror float64
}

func formOf(a structure.Structure, i, j int) *entryForm {
	value := a.At(i, j)
	relation := unit(a.K(), max(value, -value)-1)
	at := func(i, j int) float64 { return operatorAt(a, relation, i, j) }
	f := &entryForm{entry: entry{i: i, j: j, relation: relation, at: at(i, j)}}
	if i != j {
		f.squareX, f.squareY, f.mirror = at(i, i), at(j, j), at(j, i)
	}
	return f
}

// products builds with an entry whose mirror image is 0, with at most one square next to it: a
// position is any matrix of rank 1.
type products struct{ form *entryForm }

func (p products) build(scores *mat.Dense) []position {
	var positions []position
	for _, term := range rankOneTerms(scores) {
		positions = append(positions, p.product(term.x, term.y))
	}
	return positions
}

// product returns the position that adds a bᵀ.
func (p products) product(a, b []float64) position {
	f := p.form
	x, y := a, scaled(1/f.at, b)
	switch {
	case f.squareX != 0: // x (squareX·x + at·y)ᵀ
		y = plus(1/f.at, b, -f.squareX/f.at, a)
	case f.squareY != 0: // (at·x + squareY·y) yᵀ
		x, y = plus(1/f.at, a, -f.squareY/f.at, b), b
	}
	return position{entry: &f.entry, x: x, y: y, weight: 1}
}

// skewFirst builds the skew-symmetric half with an entry that differs from its mirror image. It
// then builds the remaining symmetric half with an entry that equals its mirror image.
type skewFirst struct{ skew, symmetric *entryForm }

// turn returns the position whose skew-symmetric half is x yᵀ - y xᵀ, and subtracts its symmetric
// half from rest.
func (s skewFirst) turn(x, y []float64, rest *mat.SymDense) position {
	f := s.skew
	weight := 2 / (f.at - f.mirror)
	for i := range x {
		for j := range i + 1 {
			came := f.squareX*x[i]*x[j] + f.squareY*y[i]*y[j] + (f.at+f.mirror)/2*(x[i]*y[j]+y[i]*x[j])
			rest.SetSym(i, j, rest.At(i, j)-weight*came)
		}
	}
	return position{entry: &f.entry, x: x, y: y, weight: weight}
}

func (s skewFirst) build(scores *mat.Dense) []position {
	rest, skew := halves(scores)
	var positions []position
	for _, term := range skewTerms(skew) {
		positions = append(positions, s.turn(term.x, term.y, rest))
	}
	terms := eigenTerms(rest)
	if s.symmetric.i == s.symmetric.j {
		for _, term := range terms {
			positions = append(positions, position{
				entry: &s.symmetric.entry, x: term.vector, weight: term.value / s.symmetric.at,
			})
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
			entry: &s.symmetric.entry, weight: 1 / (2 * s.symmetric.at),
			x: plus(1, positive, 1, negative), y: plus(1, positive, -1, negative),
		})
	}
	return positions
}
