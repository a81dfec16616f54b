package form

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// gqe scores by e0ᵀ R1 … RL e with a d×d matrix for each relation (Hamilton et al.,
// 2018); on triples that is RESCAL (Nickel et al., 2011).
type gqe struct{ bilinear }

func (gqe) Name() string { return "gqe" }

func (f gqe) Structure(asked structure.Structure) (structure.Structure, error) {
	return none(f.Name(), asked)
}

// Tables has matrices whose rows keep lengths on average.
func (gqe) Tables(dim int) []Table {
	return []Table{{Name: Relations, Rows: dim, Columns: dim, Shared: true, Draw: func(rng *rand.Rand, _ int, _ float64) float64 {
		return rng.NormFloat64() / math.Sqrt(float64(dim))
	}}}
}

func (gqe) Hop(k *kernel.Set, _ structure.Structure, dim int) Hop { return newMatrix(k, dim) }

func (gqe) DefineHop(_ structure.Structure, state []float64, relations [][]float64, transposed bool) []float64 {
	d := len(state)
	after := make([]float64, d)
	for i := range d {
		for j := range d {
			if x := relations[0][i*d+j]; transposed {
				after[i] += x * state[j]
			} else {
				after[j] += state[i] * x
			}
		}
	}
	return after
}

// matrix is qᵀR, with a matrix R of d rows that all paths share.
type matrix struct {
	kernels *kernel.Set
	dim     int
	rooms   *sync.Pool
}

func newMatrix(k *kernel.Set, dim int) matrix {
	return matrix{k, dim, &sync.Pool{New: func() any {
		return &matrixRoom{turned: tiles.NewTable(dim, dim), sum: tiles.NewTable(kernel.Pad(dim, kernel.Rows), dim)}
	}}}
}

// matrixRoom is what a product needs: tables whose rows are padded.
type matrixRoom struct {
	turned, sum   kernel.Table // [d, d]
	states, after kernel.Table // [n, d]
}

// take copies n states, and pads them by zeros.
func (r *matrixRoom) take(from kernel.Table, n int) (rows int) {
	rows = kernel.Pad(n, kernel.Rows)
	if numbers := (rows + 1) * from.Stride; len(r.states.Data) < numbers { // one more, since a product reads padded columns too
		r.states = kernel.Table{Data: make([]float32, numbers), Stride: from.Stride}
		r.after = kernel.Table{Data: make([]float32, numbers), Stride: from.Stride}
	}
	copy(r.states.Data, first(from, n))
	clear(r.states.Data[n*from.Stride : rows*from.Stride])
	return rows
}

// turn is the transpose of a matrix.
func (r *matrixRoom) turn(m kernel.Table, dim int) kernel.Table {
	const block = 16 // numbers are a line of the cache
	for top := 0; top < dim; top += block {
		for left := 0; left < dim; left += block {
			for row := top; row < min(top+block, dim); row++ {
				for column, x := range m.Row(row)[left:min(left+block, dim)] {
					r.turned.Data[(left+column)*r.turned.Stride+row] = x
				}
			}
		}
	}
	return r.turned
}

// addProduct adds the product of n states and a matrix.
func (h matrix) addProduct(to, states, by kernel.Table, n int, room *matrixRoom) {
	rows := room.take(states, n)
	h.kernels.Product(room.after, room.states.Data, states.Stride, 1, by, rows, states.Stride, h.dim, false)
	h.kernels.ScaleAdd(first(to, n), first(room.after, n), 1)
}

// few states go through a matrix faster one by one than padded and together.
const few = 2

func (h matrix) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	if n <= few {
		for i := range n {
			h.stepOne(tiles.WholeRow(to, i), tiles.WholeRow(from, i), relations[0], transposed)
		}
		return
	}
	room := h.rooms.Get().(*matrixRoom)
	defer h.rooms.Put(room)
	by := relations[0]
	if transposed {
		by = room.turn(by, h.dim)
	}
	h.addProduct(to, from, by, n, room)
}

func (h matrix) Back(gradient, from kernel.Table, relations []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool) {
	if n <= few {
		for i := range n {
			h.backOne(tiles.WholeRow(gradient, i), tiles.WholeRow(from, i), relations[0], tiles.WholeRow(gradFrom, i), gradRelations[0], transposed)
		}
		return
	}
	room := h.rooms.Get().(*matrixRoom)
	defer h.rooms.Put(room)
	back, left, right := relations[0], gradient, from
	if !transposed {
		back, left, right = room.turn(back, h.dim), from, gradient
	}
	h.addProduct(gradFrom, gradient, back, n, room)
	room.take(left, n)
	h.kernels.Product(room.sum, room.states.Data, 1, left.Stride, right, kernel.Pad(h.dim, kernel.Rows), right.Stride, n, false)
	h.kernels.ScaleAdd(first(gradRelations[0], h.dim), first(room.sum, h.dim), 1)
}

func (h matrix) stepOne(y, x []float32, by kernel.Table, transposed bool) {
	for row := range h.dim {
		if r := tiles.WholeRow(by, row); transposed {
			y[row] = float32(tiles.Dot(r, x))
		} else {
			h.kernels.ScaleAdd(y, r, x[row])
		}
	}
}

func (h matrix) backOne(g, x []float32, by kernel.Table, gradX []float32, gradBy kernel.Table, transposed bool) {
	for row := range h.dim {
		r, gradR := tiles.WholeRow(by, row), tiles.WholeRow(gradBy, row)
		if transposed {
			h.kernels.ScaleAdd(gradX, r, g[row])
			h.kernels.ScaleAdd(gradR, x, g[row])
		} else {
			gradX[row] += float32(tiles.Dot(r, g))
			h.kernels.ScaleAdd(gradR, g, x[row])
		}
	}
}
