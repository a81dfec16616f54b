package proofs

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/mat"
)

// entry is an entry of a relation matrix: with these chunks of a relation,
// g(A, relation) is at ≠ 0 in row i and column j.
type entry struct {
	i, j     int
	relation []float64
	at       float64
}

// operatorAt returns the entry (i,j) of g(A,relation), one number for each chunk.
func operatorAt(a structure.Structure, relation []float64, i, j int) float64 {
	switch value := a.At(i, j); {
	case value > 0:
		return relation[value-1]
	case value < 0:
		return -relation[-value-1]
	default:
		return 0
	}
}

// position is one number of each chunk of all embeddings: entity e has x[e] on
// chunk i of the entry and y[e] on chunk j, or x[e] alone if they are the same.
// One relation has weight times the entry's relation, and the others have zeros.
type position struct {
	entry  *entry
	x, y   []float64
	weight float64
}

// embeddings puts positions side by side, chunk by chunk, given those of each relation. There is
// at least one, so that embeddings are never empty.
func embeddings(k, entities int, ofRelation [][]position) *Embeddings {
	width := max(1, len(slices.Concat(ofRelation...)))
	e := &Embeddings{
		Dim: k * width, Entities: zeros(entities, k*width), Relations: zeros(len(ofRelation), k*width),
	}
	n := 0
	for relation, positions := range ofRelation {
		for _, p := range positions {
			for row := range entities {
				e.Entities[row][p.entry.i*width+n] = p.x[row]
				if p.entry.j != p.entry.i {
					e.Entities[row][p.entry.j*width+n] = p.y[row]
				}
			}
			for chunk, v := range p.entry.relation {
				e.Relations[relation][chunk*width+n] = p.weight * v
			}
			n++
		}
	}
	return e
}

func zeros(rows, columns int) [][]float64 {
	table := make([][]float64, rows)
	for i := range table {
		table[i] = make([]float64, columns)
	}
	return table
}

func unit(n, at int) []float64 {
	x := make([]float64, n)
	x[at] = 1
	return x
}

// relationMatrices returns the G_r of a tensor of scores.
func relationMatrices(g Scores) []*mat.Dense {
	matrices := make([]*mat.Dense, len(g[0]))
	for r := range matrices {
		matrices[r] = mat.NewDense(len(g), len(g), nil)
		for h := range g {
			matrices[r].SetRow(h, g[h][r])
		}
	}
	return matrices
}
