package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/classify"
)

// head turns the last layer's rows into logits.
type head struct {
	m                 *model
	x, hidden, logits table
	byHidden, by      table
	// negative marks hidden units with a negative sum, which pass no gradient. As in GoMLX, a sum
	// of 0 passes it.
	negative []bool
}

func newHead(m *model) *head {
	rows, d := len(m.targets), m.Settings.Dim
	h := &head{m: m, logits: newTable(rows, m.Classes), by: newTable(rows, d)}
	if m.Settings.Hidden {
		h.hidden, h.byHidden, h.negative = newTable(rows, d), newTable(rows, d), make([]bool, rows*d)
	}
	return h
}

// forward computes the logits.
func (h *head) forward(x table) table {
	h.x = x
	if h.hidden.rows > 0 {
		h.m.linear(h.hidden, x, classify.HiddenWeights, classify.HiddenBias)
		for i := range h.hidden.rows {
			row := h.hidden.row(i)
			for c, v := range row {
				h.negative[i*len(row)+c] = v < 0
				row[c] = max(v, 0)
			}
		}
		x = h.hidden
	}
	h.m.linear(h.logits, x, classify.OutputWeights, classify.OutputBias)
	return h.logits
}

// linear computes y = x W + b.
func (m *model) linear(y, x table, weights, bias string) {
	w := m.value(-1, weights)
	product(m.engine.kernels, y.Table, x.Table, w.Table, y.rows, y.Stride, w.rows, false)
	for i := range y.rows {
		add(y.row(i), m.value(-1, bias).row(0), 1)
	}
}

// backward returns the cross entropy and the gradient by the input rows of forward. It overwrites
// the logits.
func (h *head) backward() (loss float32, by table) {
	for i := range h.logits.rows {
		row, weight := h.logits.row(i), h.m.weights[i]
		if weight == 0 {
			clear(row)
			continue
		}
		target, largest := h.m.targets[i], row[0]
		for _, x := range row {
			largest = max(largest, x)
		}
		total, own := 0.0, row[target]-largest
		for _, x := range row {
			total += math.Exp(float64(x - largest))
		}
		loss += weight * (float32(math.Log(total)) - own)
		for c, x := range row {
			row[c] = weight * float32(math.Exp(float64(x-largest))/total)
		}
		row[target] -= weight
	}
	if h.hidden.rows == 0 {
		h.m.linearBack(h.by, h.logits, h.x, classify.OutputWeights, classify.OutputBias)
		return loss, h.by
	}
	h.m.linearBack(h.byHidden, h.logits, h.hidden, classify.OutputWeights, classify.OutputBias)
	for i := range h.hidden.rows {
		by := h.byHidden.row(i)
		for c := range by {
			if h.negative[i*len(by)+c] {
				by[c] = 0
			}
		}
	}
	h.m.linearBack(h.by, h.byHidden, h.x, classify.HiddenWeights, classify.HiddenBias)
	return loss, h.by
}

// linearBack computes the gradients by x, W and b from the gradient by y = x W + b.
func (m *model) linearBack(byX, byY, x table, weights, bias string) {
	w, byW, byBias := m.value(-1, weights), m.by(-1, weights), m.by(-1, bias).row(0)
	for i := range byY.rows {
		g := byY.row(i)
		add(byBias, g, 1)
		for k, out := 0, byX.row(i); k < len(out); k++ {
			out[k] = dot(g, w.row(k))
		}
		for k, v := range x.row(i) {
			add(byW.row(k), g, v)
		}
	}
}
