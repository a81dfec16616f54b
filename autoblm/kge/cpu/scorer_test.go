package cpu

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// TestAllAsOneByOne checks scores and ranks of all entities against the scores of single pairs.
func TestAllAsOneByOne(t *testing.T) {
	d := enginetest.Paths(t, 450, 3, 1200)
	queries := d.Queries(query.InTrain, 2)[:60]
	data, err := d.Training(query.Paths{Hops: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range kernel.Sets() {
		for name, m := range enginetest.Members() {
			s := kge.DefaultSettings()
			s.Dim, s.InitScale = 20*max(1, m.Structure.K()), 0.5
			model := newModel(set, nil, kge.Initialize(data, s, m))
			asker := newScorer(model)
			for start := 0; start < len(queries); start += maxChunk {
				asked := queries[start:min(start+maxChunk, len(queries))]
				var questions []kge.Question
				for _, q := range asked {
					questions = append(questions, q.Question())
				}
				for i, scores := range asker.scoresOf(model, questions) {
					state := asker.queries.QueryRows(asker.queries.Rows, i)
					alone := make([]float64, len(scores))
					for e := range alone {
						alone[e] = model.measure.Score(state, tiles.PaddedRow(model.entities.Table, e))
						if math.Abs(alone[e]-float64(scores[e])) > 1e-5*math.Max(1, math.Abs(alone[e])) {
							t.Fatalf("%s, %s: entity %d has %v, and %v alone", set.Name, name, e, scores[e], alone[e])
						}
					}
					answer := asked[i].Hard[0]
					above, aboveAlone := 0, 0
					for e := range alone {
						// What is as near as rounding may be on either side.
						if math.Abs(alone[e]-alone[answer]) < 1e-5 {
							continue
						}
						if scores[e] > scores[answer] {
							above++
						}
						if alone[e] > alone[answer] {
							aboveAlone++
						}
					}
					if above != aboveAlone {
						t.Errorf("%s, %s: rank %d, and %d alone", set.Name, name, 1+above, 1+aboveAlone)
					}
				}
			}
		}
	}
}
