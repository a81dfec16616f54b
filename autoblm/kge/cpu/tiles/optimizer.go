package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Updater applies optimizer steps to a table, a range of rows at a time.
type Updater struct {
	kernels *kernel.Set
	table   kernel.Table
	slots   [][]float32 // optimizer state, one number per parameter in each slot
}

// NewUpdater returns an optimizer for embeddings: Adagrad with one slot, or Adam with two. Its state
// is in the same folder.
func NewUpdater(k *kernel.Set, e Embeddings, slots int) (*Updater, error) {
	u := &Updater{kernels: k, table: e.Table}
	for range slots {
		if e.Folder.Path == "" {
			u.slots = append(u.slots, inMemory(len(e.Data)))
			continue
		}
		slot, err := e.Folder.New(len(e.Data))
		if err != nil {
			return nil, err
		}
		u.slots = append(u.slots, slot)
	}
	return u, nil
}

// inMemory returns zeros whose memory pages exist. Otherwise the system makes a page at the first
// use of a row, and the first steps, which tell the pace of a training, take half as long again.
func inMemory(n int) []float32 {
	const page = 4096 / 4
	numbers := newFloats(n)
	for i := 0; i < n; i += page {
		numbers[i] = 0
	}
	return numbers
}

// Step updates the rows from start with their gradient. count is the number of the step,
// starting at 1.
func (u *Updater) Step(start int, gradient []float32, rate float64, count int) {
	from, to := start*u.table.Stride, start*u.table.Stride+len(gradient)
	x := u.table.Data[from:to]
	if len(u.slots) == 1 {
		u.kernels.Adagrad(x, gradient, u.slots[0][from:to], float32(rate))
		return
	}
	const beta1, beta2 = 0.9, 0.999
	rate /= 1 - math.Pow(beta1, float64(count))
	correction := 1 / (1 - math.Pow(beta2, float64(count)))
	u.kernels.Adam(
		x, gradient, u.slots[0][from:to], u.slots[1][from:to], float32(rate), float32(correction))
}

// prefetch loads a row and its state into the cache.
func (u *Updater) prefetch(row int) {
	from, to := row*u.table.Stride, (row+1)*u.table.Stride
	u.kernels.Prefetch(u.table.Data[from:to])
	for _, slot := range u.slots {
		u.kernels.Prefetch(slot[from:to])
	}
}

// Slots returns the optimizer state: the sums of squares for Adagrad; the moving averages of
// gradients and of their squares for Adam.
func (u *Updater) Slots() [][]float32 { return u.slots }
