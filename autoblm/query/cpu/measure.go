package cpu

import (
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

// distance is -Σ|e - q|.
type distance struct{}

func (distance) score(query, entity []float32) float64 {
	sum := float32(0)
	for i, q := range query {
		sum += size(entity[i] - q)
	}
	return -float64(sum)
}

func (distance) byQuery(gradient, query, entity []float32, slope float32) {
	for i, q := range query {
		gradient[i] += slope * direction(entity[i]-q)
	}
}

func (distance) byEntity(gradient, query, entity []float32, slope float32) {
	for i, q := range query {
		gradient[i] -= slope * direction(entity[i]-q)
	}
}

// inside is how much the distance within a box counts (Ren et al., 2020).
const inside = 0.02

// boxDistance is minus how far an entity is outside a box, along all axes
// together, and a little of how far from the centre it is inside.
type boxDistance struct{}

func (boxDistance) score(query, entity []float32) float64 {
	centre, half := query[:len(entity)], query[len(entity):]
	sum := float32(0)
	for i, c := range centre {
		far := size(entity[i] - c)
		near := min(far, half[i])
		sum += far - near + inside*near
	}
	return -float64(sum)
}

func (boxDistance) byQuery(gradient, query, entity []float32, slope float32) {
	centre, half := query[:len(entity)], query[len(entity):]
	byCentre, byHalf := gradient[:len(entity)], gradient[len(entity):]
	for i, c := range centre {
		if away := entity[i] - c; size(away) < half[i] {
			byCentre[i] += slope * inside * direction(away)
		} else {
			byCentre[i] += slope * direction(away)
			byHalf[i] += slope * (1 - inside)
		}
	}
}

func (boxDistance) byEntity(gradient, query, entity []float32, slope float32) {
	centre, half := query[:len(entity)], query[len(entity):]
	for i, c := range centre {
		if away := entity[i] - c; size(away) < half[i] {
			gradient[i] -= slope * inside * direction(away)
		} else {
			gradient[i] -= slope * direction(away)
		}
	}
}

func size(x float32) float32 { return max(x, -x) }

// direction is the sign of a number.
func direction(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
