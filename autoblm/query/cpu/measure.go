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
	// ofAll is the same of many pairs at a time.
	ofAll() tiles.Measure
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

func (product) ofAll() tiles.Measure { return tiles.Products{} }

// Distances are computed without branches: which way they would go is chance, and
// a processor that guesses wrong half the time takes ten times as long. Their slopes
// are those of the kernels, where coordinates are equal too. dim is d without
// padding, which stays 0.

// distance is -Σ|e - q|.
type distance struct{ dim int }

func (d distance) score(query, entity []float32) float64 {
	entity = entity[:d.dim]
	sum := float32(0)
	for i, q := range query[:d.dim] {
		sum += size(entity[i] - q)
	}
	return -float64(sum)
}

func (d distance) byQuery(gradient, query, entity []float32, slope float32) {
	gradient, entity = gradient[:d.dim], entity[:d.dim]
	for i, q := range query[:d.dim] {
		gradient[i] += direction(slope, entity[i]-q)
	}
}

func (d distance) byEntity(gradient, query, entity []float32, slope float32) {
	d.byQuery(gradient, entity, query, slope)
}

func (distance) ofAll() tiles.Measure { return tiles.Distances{} }

// inside is how much the distance within a box counts.
const inside = kernel.Inside

// boxDistance is minus how far an entity is outside a box, along all axes
// together, and a little of how far from the centre it is inside.
type boxDistance struct{ dim int }

// rows are the centre and half the sides of a box, or the gradient by them.
func (d boxDistance) rows(query []float32) (centre, half []float32) {
	return query[:d.dim], query[len(query)/2:][:d.dim]
}

func (d boxDistance) score(query, entity []float32) float64 {
	centre, half := d.rows(query)
	sum := float32(0)
	for i, e := range entity[:len(half)] {
		far := size(e - centre[i])
		near := min(far, half[i])
		sum += far - near + inside*near
	}
	return -float64(sum)
}

func (d boxDistance) byQuery(gradient, query, entity []float32, slope float32) {
	centre, half := d.rows(query)
	byCentre, byHalf := d.rows(gradient)
	for i, e := range entity[:len(half)] {
		away := e - centre[i]
		outside := ifNegative(half[i]-size(away), slope*(1-inside))
		byCentre[i] += direction(slope*inside+outside, away)
		byHalf[i] += outside
	}
}

func (d boxDistance) byEntity(gradient, query, entity []float32, slope float32) {
	centre, half := d.rows(query)
	gradient = gradient[:len(half)]
	for i, e := range entity[:len(half)] {
		away := centre[i] - e
		gradient[i] += direction(slope*inside+ifNegative(half[i]-size(away), slope*(1-inside)), away)
	}
}

func (boxDistance) ofAll() tiles.Measure { return tiles.BoxDistances{} }

const signBit = 1 << 31

func size(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ signBit) }

// direction is slope, its sign changed where x is negative.
func direction(slope, x float32) float32 {
	return math.Float32frombits(math.Float32bits(slope) ^ math.Float32bits(x)&signBit)
}

// ifNegative is y where x is negative, and else 0.
func ifNegative(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(y) & uint32(int32(math.Float32bits(x))>>31))
}
