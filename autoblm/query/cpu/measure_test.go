package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/query/enginetest"
)

// TestAllAsOneByOne: the ranks of all entities are those of the pairs by themselves.
func TestAllAsOneByOne(t *testing.T) {
	d := enginetest.Data(t, 450, 3, 1200)
	queries := d.Queries(query.InTrain, 2)[:60]
	for _, set := range kernel.Sets() {
		for name, m := range enginetest.Members() {
			s := query.DefaultSettings()
			s.Dim, s.InitScale = 20, 0.5
			model := newModel(set, query.Initialize(d, s, m))
			asker := newAsker(model)
			for start := 0; start < len(queries); start += mostAsked {
				asked := queries[start:min(start+mostAsked, len(queries))]
				for i, scores := range asker.ask(model, asked) {
					state := part(asker.states[2], i, model.stateRows)
					alone := make([]float64, len(scores))
					for e := range alone {
						alone[e] = model.measure.score(state, tiles.WholeRow(model.entities.Table, e))
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

// TestSlopesWhereCoordinatesAreEqual: pairs by themselves have the gradients of the
// kernels, and leave padding as it is.
func TestSlopesWhereCoordinatesAreEqual(t *testing.T) {
	const dim, weight = 20, 0.5
	for _, set := range kernel.Sets() {
		for name, m := range map[string]measure{"distance": distance{dim}, "box": boxDistance{dim}} {
			rng := rand.New(rand.NewPCG(1, 2))
			rows := map[string]int{"distance": 1, "box": 2}[name]
			state, entities := tiles.NewTable(rows, dim), tiles.Padded(make([]float32, dim), dim)
			few := func() float32 { return float32(rng.IntN(3)) } // so that many are equal
			for k := range dim {
				state.Data[k], entities.Data[k] = few(), few()
				if rows == 2 {
					state.Row(1)[k] = few()
				}
			}
			asked := tiles.NewSoftmaxBy(m.ofAll(), entities, dim)
			asked.Reset(1)
			copy(asked.Rows.Data, state.Data[:rows*state.Stride])
			asked.Walk(set, entities)
			asked.Weigh(set, 0, weight) // the only entity has all of the probability
			byEntity := tiles.NewTable(1, dim)
			asked.Collect(set, 0, byEntity, tiles.NewTable(tiles.MostQueries, dim), false)

			wantByQuery, wantByEntity := make([]float32, rows*state.Stride), make([]float32, state.Stride)
			m.byQuery(wantByQuery, part(state, 0, rows), tiles.WholeRow(entities.Table, 0), weight)
			m.byEntity(wantByEntity, part(state, 0, rows), tiles.WholeRow(entities.Table, 0), weight)
			same := func(what string, got, want []float32) {
				for i := range want {
					if math.Abs(float64(got[i]-want[i])) > 1e-6 || i%state.Stride >= dim && (got[i] != 0 || want[i] != 0) {
						t.Errorf("%s, %s: gradient by the %s: number %d is %v, and %v of the pair", set.Name, name, what, i, got[i], want[i])
					}
				}
			}
			same("query", asked.OfQuery(asked.ByQuery, 0), wantByQuery)
			same("entity", tiles.WholeRow(byEntity, 0), wantByEntity)
		}
	}
}
