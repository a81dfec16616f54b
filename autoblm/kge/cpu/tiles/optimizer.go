package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Updater takes optimizer steps on a table, some rows at a time.
type Updater struct {
	kernels *kernel.Set
	table   kernel.Table
	slots   [][]float32 // what the optimizer remembers of each number
}

// NewAdagrad is for a table, which it changes.
func NewAdagrad(k *kernel.Set, table kernel.Table) *Updater {
	return &Updater{k, table, [][]float32{make([]float32, len(table.Data))}}
}

// NewAdam is for a table, which it changes.
func NewAdam(k *kernel.Set, table kernel.Table) *Updater {
	return &Updater{k, table, [][]float32{make([]float32, len(table.Data)), make([]float32, len(table.Data))}}
}

// Step moves the rows from start on by their gradient. count is the number of
// the step, from 1.
func (u *Updater) Step(start int, gradient []float32, rate float64, count int) {
	from, to := start*u.table.Stride, start*u.table.Stride+len(gradient)
	x := u.table.Data[from:to]
	if len(u.slots) == 1 {
		u.kernels.Adagrad(x, gradient, u.slots[0][from:to], float32(rate))
		return
	}
	adam(x, gradient, u.slots[0][from:to], u.slots[1][from:to], rate, count)
}

// Slots are what the optimizer remembers of the table's numbers: for Adagrad the sums
// of squares; for Adam the means, and then those of the squares.
func (u *Updater) Slots() [][]float32 { return u.slots }

func adam(x, gradient, means, squares []float32, rate float64, count int) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	rate /= 1 - math.Pow(beta1, float64(count))
	correction := 1 / (1 - math.Pow(beta2, float64(count)))
	for i, g := range gradient {
		means[i] = beta1*means[i] + (1-beta1)*g
		squares[i] = beta2*squares[i] + (1-beta2)*g*g
		x[i] -= float32(rate * float64(means[i]) / (math.Sqrt(correction*float64(squares[i])) + epsilon))
	}
}
