package kge

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"gonum.org/v1/gonum/floats"
)

// coreMatrix returns the matrices that cores make of a relation, [K, C, C]. It reads the cores'
// float32 numbers in place, because there are d·C² of them for partitions of size C.
func (p Parameters) coreMatrix(relation []float64) []float64 {
	cores, c := p.More[0], p.Dim/p.Form.Partitions()
	matrix := make([]float64, p.Dim*c)
	for n, r := range relation {
		to := matrix[n/c*c*c:][:c*c]
		for i, w := range cores[n*c*c:][:c*c] {
			to[i] += r * float64(w)
		}
	}
	return matrix
}

// coreHop returns the state after a hop with the matrices of its relation.
func (p Parameters) coreHop(state, matrix []float64, transposed bool) []float64 {
	if !p.Form.HasNorm() {
		return p.timesMatrices(state, matrix, transposed)
	}
	before, after := p.norms()
	return after.Apply(p.timesMatrices(before.Apply(state), matrix, transposed))
}

// coreHopGradient returns the gradient with respect to the state before a hop, given that with respect
// to the state after it.
func (p Parameters) coreHopGradient(gradient, matrix []float64, transposed bool) []float64 {
	if !p.Form.HasNorm() {
		return p.timesMatrices(gradient, matrix, !transposed)
	}
	before, after := p.norms()
	gradient = floats.MulTo(make([]float64, p.Dim), gradient, after.Factors)
	gradient = p.timesMatrices(gradient, matrix, !transposed)
	return floats.MulTo(gradient, gradient, before.Factors)
}

// norms returns the batch normalization of states before and after a hop.
func (p Parameters) norms() (before, after form.Norm) { return form.Norms(p.More[1]) }

// timesMatrices returns the products of the partitions of a state with their matrices.
func (p Parameters) timesMatrices(state, matrix []float64, transposed bool) []float64 {
	c := p.Dim / p.Form.Partitions()
	after := make([]float64, p.Dim)
	for i, x := range state {
		row, first := matrix[i*c:][:c], i/c*c // of the partition
		from, to := state[first:][:c], after[first:][:c]
		for j, w := range row {
			if transposed {
				after[i] += w * from[j]
			} else {
				to[j] += x * w
			}
		}
	}
	return after
}

// CoreMatrices keeps the matrices that cores make of relations for exact scores: to make them takes
// hundreds of times as long as a score. It holds at most 64 MiB and is safe for concurrent use. The
// zero value is empty. Models must not change.
type CoreMatrices struct {
	mu    sync.Mutex
	kept  map[coreMatrixKey][]float64
	order []coreMatrixKey // the oldest first
	bytes int
}

// coreMatrixKey identifies a relation by the place of the model's cores and its number in the tables.
type coreMatrixKey struct {
	cores  *float32
	number int
}

// maxCoreMatrices is the largest number of bytes that [CoreMatrices] keeps.
var maxCoreMatrices = 64 << 20

// of returns the matrices of a relation, made with its row if they are not there. k may be nil.
func (k *CoreMatrices) of(p Parameters, relation int32, relations int, row []float64) []float64 {
	if k == nil {
		return p.coreMatrix(row)
	}
	number, _ := rules.RelationRow(relation, relations, p.Reciprocal)
	key := coreMatrixKey{&p.More[0][0], number}
	k.mu.Lock()
	matrix := k.kept[key]
	k.mu.Unlock()
	if matrix != nil {
		return matrix
	}
	matrix = p.coreMatrix(row)
	k.add(key, matrix)
	return matrix
}

func (k *CoreMatrices) add(key coreMatrixKey, matrix []float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[coreMatrixKey][]float64{}
	}
	if _, found := k.kept[key]; found || 8*len(matrix) > maxCoreMatrices {
		return
	}
	k.kept[key], k.order, k.bytes = matrix, append(k.order, key), k.bytes+8*len(matrix)
	for k.bytes > maxCoreMatrices {
		oldest := k.order[0]
		k.bytes -= 8 * len(k.kept[oldest])
		delete(k.kept, oldest)
		k.order = k.order[1:]
	}
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
