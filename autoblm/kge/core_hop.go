package kge

// coreHop returns the state after a hop through cores. It reads their float32 numbers in place,
// because there are d·C² of them for partitions of size C.
func (p Parameters) coreHop(state, relation []float64, transposed bool) []float64 {
	cores, c := p.More[0], p.Dim/p.Form.Partitions()
	after := make([]float64, p.Dim)
	for n, r := range relation {
		first := n / c * c // of the partition
		from, to := state[first:][:c], after[first:][:c]
		for i := range c {
			row := cores[(n*c+i)*c:][:c]
			if transposed {
				sum := 0.0
				for j, w := range row {
					sum += from[j] * float64(w)
				}
				to[i] += r * sum
				continue
			}
			x := r * from[i]
			for j, w := range row {
				to[j] += x * float64(w)
			}
		}
	}
	return after
}

// coreNorms returns the Frobenius norm of each partition's core.
func (p Parameters) coreNorms() []float64 {
	norms := make([]float64, p.Form.Partitions())
	size := len(p.More[0]) / len(norms)
	for k := range norms {
		norms[k] = norm(p.More[0][k*size:][:size])
	}
	return norms
}
