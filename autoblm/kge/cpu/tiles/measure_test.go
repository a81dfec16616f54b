package tiles

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// TestSlopesWhereCoordinatesAreEqual checks that gradients of pairs equal those of the kernels
// and do not change padding.
func TestSlopesWhereCoordinatesAreEqual(t *testing.T) {
	const dim, weight = 20, 0.5
	for _, set := range kernel.Sets() {
		for name, m := range map[string]Measure{
			"product": Products{}, "distance": Distances{dim}, "box": BoxDistances{dim},
			"hyperplanes": NewHyperplanes(dim), "scaled": NewScaledDistances(dim, 1e-12),
			"moduli": Moduli{dim / 2}, "pairwise moduli": pairwise{Moduli{dim / 2}},
			"pairwise distance": pairwise{Distances{dim}},
		} {
			rng := rand.New(rand.NewPCG(1, 2))
			rows := m.RowsPerQuery()
			query, entity := NewTable(rows, dim), NewEmbeddings(make([]float32, dim), dim)
			few := func() float32 { return float32(rng.IntN(3)) } // many are equal
			for k := range dim {
				query.Data[k], entity.Data[k] = few(), few()
				if rows == 2 {
					query.Row(1)[k] = few()
				}
			}
			size := rows * query.Stride // of the query
			all := NewSoftmaxes(m, entity, dim, 1, 1, 0)
			s := all.Unit(0)
			s.Reset(1)
			copy(s.Rows.Data, query.Data[:size])
			s.Forward(set, entity, nil)
			s.SetWeight(set, 0, weight) // the only entity has all of the probability
			byEntity := NewTable(1, dim)
			all.Collect(set, entity, 1, 0, byEntity, NewTable(MaxQueries, dim), false)

			wantByQuery, wantByEntity := make([]float32, size), make([]float32, query.Stride)
			m.AddGradQuery(set, wantByQuery, query.Data[:size], PaddedRow(entity.Table, 0), weight)
			m.AddGradRow(set, wantByEntity, query.Data[:size], PaddedRow(entity.Table, 0), weight)
			same := func(what string, got, want []float32) {
				for i := range want {
					if math.Abs(float64(got[i]-want[i])) > 1e-6 || i%query.Stride >= dim &&
						(got[i] != 0 || want[i] != 0) {
						t.Errorf("%s, %s: gradient by the %s: number %d is %v, and %v of the pair", set.Name, name,
							what, i, got[i], want[i])
					}
				}
			}
			same("query", s.QueryRows(s.ByQuery, 0), wantByQuery)
			same("entity", PaddedRow(byEntity, 0), wantByEntity)
		}
	}
}

// pairwise is a measure that scores pairs one by one, for comparison with the kernels.
type pairwise struct{ Pair }

func (pairwise) RowsPerQuery() int { return 1 }

func (p pairwise) Scores(_ *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	for row := range n {
		for i := range q.PaddedCount {
			to.Row(row)[i] = float32(p.Score(PaddedRow(q.Rows, i), PaddedRow(of, row)))
		}
	}
}

func (p pairwise) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	for i := range q.Count {
		by := PaddedRow(gradient, i)
		if !add {
			clear(by)
		}
		for row := range n {
			p.AddGradQuery(k, by, PaddedRow(q.Rows, i), PaddedRow(of, row), weights.Row(row)[i])
		}
	}
}

func (p pairwise) GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
	factors []float32, n int, _ kernel.Table, add bool) {
	for row := range n {
		by := PaddedRow(gradient, row)
		if !add {
			clear(by)
		}
		for i, factor := range factors[:q.Count] {
			p.AddGradRow(k, by, PaddedRow(q.Rows, i), PaddedRow(of, row), factor*weights.Row(row)[i])
		}
	}
}
