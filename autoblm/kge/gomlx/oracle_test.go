package gomlx

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// stepCase is a batch that another program computed in float64.
type stepCase struct {
	K             int         `json:"K"`
	Dim           int         `json:"d"`
	A             []int       `json:"A"`
	L2            float64     `json:"l2"`
	N3            float64     `json:"n3"`
	Entities      [][]float64 `json:"entities"`
	Relations     [][]float64 `json:"relations"`
	Triples       [][3]int32  `json:"triples"`
	Known         [][3]int32  `json:"known"`
	TailScores    [][]float64 `json:"tail_scores"`
	HeadScores    [][]float64 `json:"head_scores"`
	DataLoss      float64     `json:"data_loss"`
	Loss          float64     `json:"loss"`
	GradEntities  [][]float64 `json:"grad_entities"`
	GradRelations [][]float64 `json:"grad_relations"`
	TailRanks     []rankCase  `json:"tail_ranks"`
	HeadRanks     []rankCase  `json:"head_ranks"`
	Ties          bool        `json:"ties"` // if set, the case has scores and ranks only
}

type rankCase struct {
	Optimistic  float64 `json:"optimistic"`
	Pessimistic float64 `json:"pessimistic"`
	Realistic   float64 `json:"realistic"`
}

func (c stepCase) structure(t *testing.T) structure.Structure {
	t.Helper()
	s, err := structure.New(slices.Collect(slices.Chunk(c.A, c.K)))
	require.NoError(t, err)
	return s
}

func triples(rows [][3]int32) []datasets.Triple {
	out := make([]datasets.Triple, len(rows))
	for i, r := range rows {
		out[i] = datasets.Triple{Head: r[0], Relation: r[1], Tail: r[2]}
	}
	return out
}

// float64Tensor converts rows to a tensor [1, len(rows), d], interleaved.
func float64Tensor(rows [][]float64, k int) *tensors.Tensor {
	var flat []float64
	for _, row := range rows {
		d := len(row)
		for n := range d / k {
			for i := range k {
				flat = append(flat, row[i*(d/k)+n])
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, 1, len(rows), len(rows[0]))
}

func TestOracleFloat64(t *testing.T) {
	eachBackend(t, func(t *testing.T, backend string) {
		engine := newEngine(t, Settings{Backend: backend})
		for i, c := range realdata.Oracle[stepCase](t, "steps.json") {
			t.Run(fmt.Sprintf("case%02d", i), func(t *testing.T) {
				s := c.structure(t)
				batchTriples := triples(c.Triples)
				size := len(batchTriples)
				ids := make([]int32, 3*size)
				fillIDs(ids, batchTriples, size)
				shares := slices.Repeat([]float64{1 / float64(size)}, size)
				added := make([]float64, weights)
				added[weightL2], added[weightN3] = c.L2, c.N3
				var signs []float64
				for _, x := range flat[float32](t, operators([]structure.Structure{s})) {
					signs = append(signs, float64(x))
				}
				build := func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
					b := gatherBatch(in[0], in[1], in[2], in[3], shape{})
					result := lossAndGradients(
						recipe{n3Blocks: 1 << 1}, b, terms{triples: in[4], weights: in[5]})
					queries := graph.Reshape(b.queries(), 1, 2*size, c.Dim)
					return []*graph.Node{
						scores(queries, b.entities), result.loss, result.byEntity, result.byRelation,
					}
				}
				exec, err := graph.NewExecCanonical(engine.backend, build, 6, 4, false, false, true)
				require.NoError(t, err)
				out, err := exec.Call(float64Tensor(c.Entities, c.K), float64Tensor(c.Relations, c.K),
					tensors.FromFlatDataAndDimensions(signs, 1, mixes, c.K*c.K, c.K),
					tensors.FromFlatDataAndDimensions(ids, 3, size),
					tensors.FromFlatDataAndDimensions(shares, size),
					tensors.FromFlatDataAndDimensions(added, weights, 1))
				require.NoError(t, err)
				all := append(slices.Clone(c.TailScores), c.HeadScores...)
				close64(t, "scores", out[0], slices.Concat(all...))
				if c.Ties {
					return
				}
				close64(t, "loss", out[1], []float64{c.Loss})
				close64(t, "entity gradient", out[2], flat[float64](t, float64Tensor(c.GradEntities, c.K)))
				close64(t, "relation gradient", out[3], flat[float64](t, float64Tensor(c.GradRelations, c.K)))
				if c.L2 == 0 && c.N3 == 0 {
					close64(t, "data loss", out[1], []float64{c.DataLoss})
				}
			})
		}
	})
}

func TestOracleRanks(t *testing.T) {
	eachBackend(t, func(t *testing.T, backend string) {
		engine := newEngine(t, Settings{Backend: backend})
		for i, c := range realdata.Oracle[stepCase](t, "steps.json") {
			t.Run(fmt.Sprintf("case%02d", i), func(t *testing.T) {
				toFloat32 := func(rows [][]float64) (out []float32) {
					for _, row := range rows {
						for _, x := range row {
							out = append(out, float32(x))
						}
					}
					return out
				}
				tables := kge.Tables{Entities: toFloat32(c.Entities), Relations: toFloat32(c.Relations)}
				g := &datasets.Graph{Train: triples(c.Known)}
				ranker, err := engine.NewRanker([]kge.Parameters{{
					Structure: c.structure(t), Dim: c.Dim, Tables: tables,
				}}, kge.Float32)
				require.NoError(t, err)
				defer ranker.Close()
				ranks, err := ranker.Rank(t.Context(), triples(c.Triples), g.Known())
				require.NoError(t, err)
				for i, got := range ranks[0] {
					for side, pair := range map[string]struct {
						got  eval.Rank
						want rankCase
					}{"tail": {got.Tail, c.TailRanks[i]}, "head": {got.Head, c.HeadRanks[i]}} {
						found := rankCase{
							Optimistic:  pair.got.Under(eval.Optimistic),
							Pessimistic: pair.got.Under(eval.Pessimistic),
							Realistic:   pair.got.Under(eval.Realistic),
						}
						if found != pair.want {
							t.Errorf("triple %d, %s: ranks %+v, want %+v", i, side, found, pair.want)
						}
					}
				}
			})
		}
	})
}

func flat[T float32 | float64](t *testing.T, x *tensors.Tensor) []T {
	t.Helper()
	flat, err := tensors.CopyFlatData[T](x)
	require.NoError(t, err)
	return flat
}

func close64(t *testing.T, what string, got *tensors.Tensor, want []float64) {
	t.Helper()
	flat := flat[float64](t, got)
	if len(flat) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(flat), len(want))
	}
	for i, x := range flat {
		if !(math.Abs(x-want[i]) <= 1e-6*max(1, math.Abs(want[i]))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, x, want[i])
		}
	}
}
