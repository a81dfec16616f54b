package cpu

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/query/enginetest"
)

func TestConformance(t *testing.T) {
	for _, set := range kernel.Sets() {
		t.Run(set.Name, func(t *testing.T) { enginetest.Run(t, &Engine{threads: 2, kernels: set}) })
	}
}

// TestSameBits: neither the threads nor the room for what is kept of a step change
// a bit.
func TestSameBits(t *testing.T) {
	d := enginetest.Data(t, 500, 120, 1500)
	for name, m := range enginetest.Members() {
		for _, negatives := range []int{0, 7} {
			s := query.DefaultSettings()
			s.Dim, s.Batch, s.Hops, s.Negatives = 20, 199, []int{1, 2, 3}, negatives
			s.Reciprocal = m.Kind != query.GQE
			if negatives == 0 {
				m.N3 = 0.01
			}
			if negatives == 0 && m.Kind != query.TransE && m.Kind != query.Query2box {
				s.Dropout, m.Products = 0.2, 0.05
			}
			train := func(threads, kept int) (losses []float64, p query.Parameters) {
				trainer := New(threads).newTrainer(d, s, m, kept)
				for epoch := range 2 {
					var batches [][]query.Example
					for _, hops := range s.Hops {
						queries := d.Queries(query.InTrain, hops)
						var batch []query.Example
						for i := range queries[:199] {
							batch = append(batch, query.Example{Query: &queries[i], Answer: queries[i].Hard[epoch%len(queries[i].Hard)]})
						}
						batches = append(batches, batch)
					}
					loss, _, err := trainer.Epoch(t.Context(), batches, 0.2)
					if err != nil {
						t.Fatal(err)
					}
					losses = append(losses, loss)
				}
				return losses, trainer.Parameters()
			}
			losses, want := train(1, keptBytes)
			for _, c := range []struct{ threads, kept int }{{2, keptBytes}, {3, 0}, {1, 0}} {
				otherLosses, got := train(c.threads, c.kept)
				if !reflect.DeepEqual(losses, otherLosses) || !reflect.DeepEqual(want, got) {
					t.Errorf("%s, %d negatives: %s give other bits than one", name, negatives, fmt.Sprintf("%d threads with room for %d bytes", c.threads, c.kept))
				}
			}
		}
	}
}
