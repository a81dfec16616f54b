package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
)

// measure is the score of a query, the last state of a path, and the row of an
// entity, one pair at a time.
type measure interface {
	score(query, entity []float32) float64
	// byQuery adds slope times the gradient of the score by the query.
	byQuery(gradient, query, entity []float32, slope float32)
	// byEntity adds slope times the gradient of the score by the entity.
	byEntity(gradient, query, entity []float32, slope float32)
}

// product is the scalar product.
type product struct{ kernels *kernel.Set }

func (product) score(query, entity []float32) float64 { return tiles.Dot(query, entity) }

func (p product) byQuery(gradient, _, entity []float32, slope float32) {
	p.kernels.ScaleAdd(gradient, entity, slope)
}

func (p product) byEntity(gradient, query, _ []float32, slope float32) {
	p.kernels.ScaleAdd(gradient, query, slope)
}

// Distances are computed without branches: which way they would go is chance, and
// a processor that guesses wrong half the time takes ten times as long.

// distance is -Σ|e - q|.
type distance struct{}

func (distance) score(query, entity []float32) float64 {
	entity = entity[:len(query)]
	sum := float32(0)
	for i, q := range query {
		sum += size(entity[i] - q)
	}
	return -float64(sum)
}

func (distance) byQuery(gradient, query, entity []float32, slope float32) {
	gradient, entity = gradient[:len(query)], entity[:len(query)]
	for i, q := range query {
		gradient[i] += direction(slope, entity[i]-q)
	}
}

func (distance) byEntity(gradient, query, entity []float32, slope float32) {
	gradient, entity = gradient[:len(query)], entity[:len(query)]
	for i, q := range query {
		gradient[i] -= direction(slope, entity[i]-q)
	}
}

// inside is how much the distance within a box counts (Ren et al., 2020).
const inside = 0.02

// boxDistance is minus how far an entity is outside a box, along all axes
// together, and a little of how far from the centre it is inside.
type boxDistance struct{}

func (boxDistance) score(query, entity []float32) float64 {
	centre, half := query[:len(entity)], query[len(entity):][:len(entity)]
	sum := float32(0)
	for i, e := range entity {
		far := size(e - centre[i])
		near := min(far, half[i])
		sum += far - near + inside*near
	}
	return -float64(sum)
}

func (boxDistance) byQuery(gradient, query, entity []float32, slope float32) {
	d := len(entity)
	centre, half := query[:d], query[d:][:d]
	byCentre, byHalf := gradient[:d], gradient[d:][:d]
	for i, e := range entity {
		away := e - centre[i]
		outside := ifNegative(half[i]-size(away), slope*(1-inside))
		byCentre[i] += direction(slope*inside+outside, away)
		byHalf[i] += outside
	}
}

func (boxDistance) byEntity(gradient, query, entity []float32, slope float32) {
	d := len(entity)
	centre, half := query[:d], query[d:][:d]
	gradient = gradient[:d]
	for i, e := range entity {
		away := e - centre[i]
		gradient[i] -= direction(slope*inside+ifNegative(half[i]-size(away), slope*(1-inside)), away)
	}
}

const signBit = 1 << 31

func size(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ signBit) }

// direction is slope times the sign of x, which keeps what rows are padded with at 0.
func direction(slope, x float32) float32 {
	bits := math.Float32bits(x)
	magnitude := bits &^ signBit
	notZero := uint32(int32(magnitude|-magnitude) >> 31)
	return math.Float32frombits((math.Float32bits(slope) ^ bits&signBit) & notZero)
}

// ifNegative is y where x is negative, and else 0.
func ifNegative(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(y) & uint32(int32(math.Float32bits(x))>>31))
}
