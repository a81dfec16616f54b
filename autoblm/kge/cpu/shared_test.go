package cpu

import (
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// keeping keeps the embeddings of a population when it is closed.
type keeping struct {
	*Engine
	last kge.Parameters
}

type keptPopulation struct {
	kge.Population
	engine *keeping
}

func (k *keeping) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population,
	error) {
	p, err := k.Engine.NewPopulation(d, s, members)
	return keptPopulation{p, k}, err
}

func (p keptPopulation) Close() {
	p.engine.last, _ = p.Parameters(0)
	p.Population.Close()
}

// TestSharedWithOneCandidateHasTheBitsOfTraining checks that sharing embeddings among one candidate
// is ordinary training, also if batches are divided and the last one is short.
func TestSharedWithOneCandidateHasTheBitsOfTraining(t *testing.T) {
	g, s := enginetest.RandomGraph(450, 5, 400, 1), settings()
	g.Valid = g.Train[:60]
	s.Epochs, s.Decay = 3, 0.9
	m := members(2)[1]
	for _, recipe := range []func(){
		func() {},
		func() { s.Optimizer = kge.Adam },
		func() {
			all := enginetest.Recipes()["everything"]
			all.Set(&s)
			m.Weights = all.Weights
		},
	} {
		recipe()
		engine := &keeping{Engine: New(2)}
		report, err := kge.Train(t.Context(), engine,
			kge.Job{Data: completion.Data(g), Settings: s, Members: []kge.Member{m}})
		require.NoError(t, err)
		want := engine.last
		valid, err := completion.Evaluate(t.Context(), engine, report.Results[0].Model, g, "valid",
			eval.Pessimistic)
		require.NoError(t, err)
		shared, err := completion.TrainSharedEmbeddings(t.Context(), engine,
			completion.SharedJob{Graph: g, Settings: s, Member: m,
				Candidates: []structure.Structure{m.Structure}, SampleSeed: 7})
		require.NoError(t, err)
		if !reflect.DeepEqual(engine.last, want) {
			t.Errorf("%v, %+v: shared training with one candidate has other embeddings than training",
				s.Optimizer, m.Weights)
		}
		if shared.Candidates[0].Valid != valid {
			t.Errorf("%v, %+v: validation %+v, want %+v", s.Optimizer, m.Weights, shared.Candidates[0].Valid,
				valid)
		}
	}
}
