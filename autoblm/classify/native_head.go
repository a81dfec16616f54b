package classify

import (
	"math"
)

// nativeHead turns the last layer's rows into logits.
type nativeHead struct {
	n                  *native
	x, between, logits table
	byBetween, by      table
	below              []bool // 0, between, where a gradient ends; it passes at 0 itself, as GoMLX has it
}

func newNativeHead(n *native) *nativeHead {
	rows, d := len(n.targets), n.settings.Dim
	h := &nativeHead{n: n, logits: newTable(rows, n.classes), by: newTable(rows, d)}
	if n.settings.Hidden {
		h.between, h.byBetween, h.below = newTable(rows, d), newTable(rows, d), make([]bool, rows*d)
	}
	return h
}

// forward computes the logits.
func (h *nativeHead) forward(x table) table {
	n := h.n
	h.x = x
	if h.between.rows > 0 {
		linear(n, h.between, x, hidden, hiddenBias)
		for i := range h.between.rows {
			for c, v := range h.between.row(i) {
				h.below[i*n.settings.Dim+c] = v < 0
				h.between.row(i)[c] = max(v, 0)
			}
		}
		x = h.between
	}
	linear(n, h.logits, x, output, outputBias)
	return h.logits
}

// linear is y = x W + b.
func linear(n *native, y, x table, weights, bias string) {
	w := n.value(-1, weights)
	product(n.kernels, y.Table, x.Table, w.Table, y.rows, y.Stride, w.rows, false)
	for i := range y.rows {
		add(y.row(i), n.value(-1, bias).row(0), 1)
	}
}

// backward returns the cross entropy and the gradient by the rows that forward took.
// It writes over the logits.
func (h *nativeHead) backward() (loss float32, by table) {
	n := h.n
	for i := range h.logits.rows {
		row, weight := h.logits.row(i), n.weights[i]
		if weight == 0 {
			clear(row)
			continue
		}
		largest := row[0]
		for _, x := range row {
			largest = max(largest, x)
		}
		total, own := 0.0, row[n.targets[i]]-largest
		for _, x := range row {
			total += math.Exp(float64(x - largest))
		}
		loss += weight * (float32(math.Log(total)) - own)
		for c, x := range row {
			row[c] = weight * float32(math.Exp(float64(x-largest))/total)
		}
		row[n.targets[i]] -= weight
	}
	if h.between.rows == 0 {
		linearBack(n, h.by, h.logits, h.x, output, outputBias)
		return loss, h.by
	}
	linearBack(n, h.byBetween, h.logits, h.between, output, outputBias)
	for i := range h.between.rows {
		by := h.byBetween.row(i)
		for c := range by {
			if h.below[i*n.settings.Dim+c] {
				by[c] = 0
			}
		}
	}
	linearBack(n, h.by, h.byBetween, h.x, hidden, hiddenBias)
	return loss, h.by
}

// linearBack turns the gradient by y = x W + b into those by x, W and b.
func linearBack(n *native, byX, byY, x table, weights, bias string) {
	w, byW, byBias := n.value(-1, weights), n.by(-1, weights), n.by(-1, bias).row(0)
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
