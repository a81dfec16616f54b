package enginetest

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// ivr defines the penalty IVR of [kge.Weights] for any tensor W.
type ivr struct {
	kge.Weights
	w []float64 // [K, K, K]: head, relation, tail
	k int
}

// at returns the penalty at a position, where head, relation and tail have the numbers x. scales
// are their factors.
func (p ivr) at(x [3][]float64, scales [3]float64) (sum float64) {
	pairScales := [3]float64{scales[0], scales[2], (scales[0] + scales[2]) / 2} // hr, rt, th
	for role := range 3 {
		next := (role + 1) % 3
		matrix := p.contract(role, x[role])
		product := make([]float64, p.k) // of W with x[role] and x[next]
		squares := 0.0
		for i, row := range matrix {
			squares += powerSum(row, 2)
			for j, entry := range row {
				product[j] += x[next][i] * entry
			}
		}
		single := p.raise(powerSum(x[role], 2)) + p.raise(squares/float64(p.k))
		double := p.raise(powerSum(x[role], 2)*powerSum(x[next], 2)) + p.raise(powerSum(product, 2))
		sum += p.IVR*scales[role]*single + p.IVRProducts*pairScales[role]*double
	}
	return sum
}

// contract returns W×x along the axis of a role. The rows of the matrix are along the next axis.
func (p ivr) contract(role int, x []float64) [][]float64 {
	matrix := make([][]float64, p.k)
	for i := range matrix {
		matrix[i] = make([]float64, p.k)
	}
	for i, w := range p.w {
		index := [3]int{i / (p.k * p.k), i / p.k % p.k, i % p.k}
		matrix[index[(role+1)%3]][index[(role+2)%3]] += w * x[index[role]]
	}
	return matrix
}

func (p ivr) raise(squaredNorm float64) float64 { return math.Pow(squaredNorm, p.IVRExponent()) }

// intermediates returns the penalty IVR of a triple.
func (r *reference) intermediates(x kge.Example) (sum float64) {
	if r.Form.Partitions() > 0 {
		return r.coreIntermediates(x)
	}
	p := ivr{Weights: r.member.Weights, k: r.Structure.K()}
	for _, sign := range r.Structure.SignTensor() {
		p.w = append(p.w, float64(sign))
	}
	rows := [3][]float64{r.entity(x.Anchor), r.rows(r.hops(x.Path)[0].number)[0], r.entity(x.Target)}
	scales := [3]float64{r.scale(x.Anchor), r.relationScale(x.Path[0]), r.scale(x.Target)}
	width := r.Dim / p.k
	for position := range width {
		var at [3][]float64
		for role, row := range rows {
			for chunk := range p.k {
				at[role] = append(at[role], row[chunk*width+position])
			}
		}
		sum += p.at(at, scales)
	}
	return sum
}

// coreIntermediates returns the penalty IVR of a triple with cores W_k[c][i][j], for coordinates c of
// the relation, i of the head and j of the tail.
func (r *reference) coreIntermediates(x kge.Example) (sum float64) {
	relation := r.rows(r.hops(x.Path)[0].number)
	size := r.Dim / r.Form.Partitions()
	for first := 0; first < r.Dim; first += size {
		p := ivr{Weights: r.member.Weights, k: size, w: make([]float64, size*size*size)}
		for n, w := range relation[1][first*size*size:][:len(p.w)] {
			c, i, j := n/size/size, n/size%size, n%size
			p.w[(i*size+c)*size+j] = w
		}
		sum += p.at([3][]float64{
			r.entity(x.Anchor)[first:][:size], relation[0][first:][:size],
			r.entity(x.Target)[first:][:size],
		}, [3]float64{r.scale(x.Anchor), r.relationScale(x.Path[0]), r.scale(x.Target)})
	}
	return sum
}
