package cpu

import (
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
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
		if err != nil {
			t.Fatal(err)
		}
		want := engine.last
		valid, err := completion.Evaluate(t.Context(), engine, report.Results[0].Model, g, "valid",
			eval.Pessimistic)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := completion.TrainSharedEmbeddings(t.Context(), engine,
			completion.SharedJob{Graph: g, Settings: s, Member: m,
				Candidates: []structure.Structure{m.Structure}, SampleSeed: 7})
		if err != nil {
			t.Fatal(err)
		}
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

// TestSharedEmbeddingsTellEquivalentStructuresApart shows the paper's objection to them (Section
// IV-B). A of all 1 and its negative are equivalent: what one reaches with R, the other reaches
// with -R. But one R cannot suit both.
func TestSharedEmbeddingsTellEquivalentStructuresApart(t *testing.T) {
	ones := structure.MustParse("1,1,1,1;1,1,1,1;1,1,1,1;1,1,1,1")
	negative := structure.MustParse("-1,-1,-1,-1;-1,-1,-1,-1;-1,-1,-1,-1;-1,-1,-1,-1")
	if ones.Canonical(structure.Full) != negative.Canonical(structure.Full) {
		t.Fatal("the two structures are not equivalent")
	}
	s := kge.DefaultSettings()
	s.Dim, s.Epochs, s.Batch = 16, 5, 16
	job := completion.SharedJob{Graph: enginetest.Graph(), Settings: s, Member: kge.Member{Seed: 1,
		LearningRate: 0.2}, Candidates: []structure.Structure{ones, negative}, SampleSeed: 1}
	shared, err := completion.TrainSharedEmbeddings(t.Context(), New(1), job)
	if err != nil {
		t.Fatal(err)
	}
	again, err := completion.TrainSharedEmbeddings(t.Context(), New(2), job)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(shared.Candidates, again.Candidates) ||
		!reflect.DeepEqual(shared.Loss, again.Loss) {
		t.Error("the same job twice gives two results")
	}
	first, second := shared.Candidates[0], shared.Candidates[1]
	if first.Valid.Both.MRR == second.Valid.Both.MRR {
		t.Errorf("both reach MRR %v with the shared embeddings, after %d and %d steps",
			first.Valid.Both.MRR, first.Steps, second.Steps)
	}
}
