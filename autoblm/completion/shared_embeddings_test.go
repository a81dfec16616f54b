package completion_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// sharedJob returns a job of three candidates on the small graph with batches of 3: four steps an
// epoch, the last with one triple.
func sharedJob(change func(*completion.SharedJob)) completion.SharedJob {
	j := completion.SharedJob{Graph: enginetest.SmallGraph(), Settings: kge.DefaultSettings(),
		Member: kge.Member{Seed: 5, LearningRate: 0.1, Weights: kge.Weights{N3: 0.01}}, SampleSeed: 1}
	j.Settings.Dim, j.Settings.Epochs, j.Settings.Batch = 4, 40, 3
	for _, name := range []string{"distmult", "simple", "complex"} {
		j.Candidates = append(j.Candidates, structure.MustParse(name))
	}
	change(&j)
	return j
}

func mustShare(
	t testing.TB, engine *enginetest.Scripted, j completion.SharedJob,
) *completion.SharedReport {
	t.Helper()
	report, err := completion.TrainSharedEmbeddings(t.Context(), engine, j)
	if err != nil {
		t.Fatal(err)
	}
	if engine.Closed != 1 {
		t.Errorf("the population was closed %d times", engine.Closed)
	}
	return report
}

func TestSharedStepsDrawFromTheCandidates(t *testing.T) {
	engine := &enginetest.Scripted{Better: func(_, _ int) int32 { return 3 }}
	j := sharedJob(func(j *completion.SharedJob) { j.Settings.Decay = 0.5 })
	report := mustShare(t, engine, j)
	if len(engine.Structures) != 160 || len(engine.Members) != 1 {
		t.Fatalf("%d steps of %d members, want 160 of one", len(engine.Structures), len(engine.Members))
	}
	for i, c := range report.Candidates {
		isOther := func(s structure.Structure) bool { return s != j.Candidates[i] }
		steps := len(slices.DeleteFunc(slices.Clone(engine.Structures), isOther))
		// 160 draws with probability 1/3: the deviation is 6.
		if c.Structure != j.Candidates[i] || c.Steps != steps || steps < 53-24 || steps > 53+24 {
			t.Errorf("candidate %d: %s with %d steps counted, %d taken; want about 53", i, c.Structure,
				c.Steps, steps)
		}
		if c.Valid.Triples != 3 || c.Valid.Ties != eval.Pessimistic || !near(c.Valid.Both.MRR, 1.0/4) {
			t.Errorf("candidate %d: validation %+v", i, c.Valid)
		}
	}
	if !slices.Equal(engine.RankedStructures, j.Candidates) ||
		!slices.Equal(engine.RankedAfter, []int{160, 160, 160}) ||
		!slices.Equal(engine.RankedSplit, j.Graph.Valid) || engine.RankedKnown != j.Graph.Known() {
		t.Errorf("ranked by %v after steps %v", engine.RankedStructures, engine.RankedAfter)
	}
	for epoch := range 40 {
		steps := slices.Concat(engine.Batches[4*epoch : 4*epoch+4]...)
		batches := completion.Data(j.Graph).Batches(j.Settings, epoch+1).All()
		if !reflect.DeepEqual(steps, batches) || len(steps) != 4 || len(steps[3]) != 1 {
			t.Errorf("epoch %d does not go through the triples as Train does", epoch)
		}
		want := j.Member.LearningRate * math.Pow(0.5, float64(epoch))
		if engine.Rates[4*epoch+1][0] != want {
			t.Errorf("epoch %d: the learning rate is %v, want %v", epoch, engine.Rates[4*epoch+1][0], want)
		}
	}
}

func TestSharedDrawsAreTheSeeds(t *testing.T) {
	drawn := func(seed uint64) []structure.Structure {
		engine := &enginetest.Scripted{}
		mustShare(t, engine, sharedJob(func(j *completion.SharedJob) { j.SampleSeed = seed }))
		return engine.Structures
	}
	if first := drawn(1); !slices.Equal(first, drawn(1)) {
		t.Error("one seed draws differently twice")
	} else if slices.Equal(first, drawn(2)) {
		t.Error("two seeds draw the same")
	}
}

func TestSharedLossIsTheMeanOverTriples(t *testing.T) {
	engine := &enginetest.Scripted{Loss: func(step, _ int) float64 { return float64(step) }}
	var told []kge.Progress
	j := sharedJob(func(j *completion.SharedJob) {
		j.Settings.Epochs = 2
		j.OnEpoch = func(p kge.Progress) { told = append(told, p) }
	})
	report := mustShare(t, engine, j)
	// Steps have 3, 3, 3 and 1 of the 10 triples.
	want := []float64{(3*1 + 3*2 + 3*3 + 4) / 10.0, (3*5 + 3*6 + 3*7 + 8) / 10.0}
	if !slices.EqualFunc(report.Loss, want, near) {
		t.Errorf("loss %v, want %v", report.Loss, want)
	}
	if len(told) != 2 || told[1].Epoch != 2 || told[1].Epochs != 2 || !near(told[1].Loss[0], want[1]) {
		t.Errorf("progress %+v", told)
	}
}

func TestSharedDivergence(t *testing.T) {
	for name, c := range map[string]struct {
		engine        enginetest.Scripted
		epoch         string
		steps, losses int
	}{
		"loss": {enginetest.Scripted{Loss: func(step, _ int) float64 {
			if step == 6 {
				return math.NaN()
			}
			return 1
		}}, "epoch 2", 6, 1},
		"embeddings": {enginetest.Scripted{
			LastNumber: func(_, _ int) float32 { return float32(math.Inf(1)) },
		}, "epoch 3", 12, 3},
	} {
		engine := &c.engine
		report := mustShare(t, engine, sharedJob(func(j *completion.SharedJob) { j.Settings.Epochs = 3 }))
		if !errors.Is(report.Err, kge.ErrDiverged) {
			t.Fatalf("%s: error %v, want ErrDiverged", name, report.Err)
		}
		last := engine.Structures[len(engine.Structures)-1]
		checkError(t, report.Err, c.epoch, last.String(), "learning rate 0.1", "smaller learning rate")
		if engine.Epochs != c.steps || len(report.Loss) != c.losses || len(engine.RankedAfter) != 0 {
			t.Errorf("%s: %d steps, %d losses, %d rankings; want %d, %d and none", name, engine.Epochs,
				len(report.Loss), len(engine.RankedAfter), c.steps, c.losses)
		}
		for _, c := range report.Candidates {
			if c.Valid != (completion.Evaluation{}) {
				t.Errorf("%s: %s is said to reach %+v", name, c.Structure, c.Valid)
			}
		}
	}
}

func TestSharedRefusals(t *testing.T) {
	for name, change := range map[string]func(*completion.SharedJob){
		"no candidates":   func(j *completion.SharedJob) { j.Candidates = nil },
		"empty structure": func(j *completion.SharedJob) { j.Candidates = []structure.Structure{{}} },
		"candidate 3": func(j *completion.SharedJob) {
			j.Candidates = append(j.Candidates, structure.MustParse("1,0;0,2"))
		},
		"learning-rate":  func(j *completion.SharedJob) { j.Member.LearningRate = 0 },
		"dim":            func(j *completion.SharedJob) { j.Settings.Dim = 6 },
		"validate-every": func(j *completion.SharedJob) { j.Settings.ValidateEvery = 1 },
		"nothing to train on": func(j *completion.SharedJob) {
			j.Graph = &datasets.Graph{Name: "small", Valid: j.Graph.Valid}
		},
		"validation triples": func(j *completion.SharedJob) {
			j.Graph = &datasets.Graph{Name: "small", Train: j.Graph.Train}
		},
	} {
		engine := &enginetest.Scripted{}
		report, err := completion.TrainSharedEmbeddings(t.Context(), engine, sharedJob(change))
		if err == nil || report != nil || engine.Populations != 0 {
			t.Errorf("%s: error %v, report %v, %d populations made", name, err, report, engine.Populations)
		} else if name != "empty structure" && name != "no candidates" {
			checkError(t, err, name)
		}
	}
	for name, engine := range map[string]*enginetest.Scripted{
		"population": {FailPopulation: true}, "step": {FailEpoch: 3},
		"parameters": {FailParameters: true}, "rank": {FailRank: 160},
	} {
		if _, err := completion.TrainSharedEmbeddings(t.Context(), engine,
			sharedJob(func(*completion.SharedJob) {})); !errors.Is(err, enginetest.ErrScripted) {
			t.Errorf("failing %s: error %v", name, err)
		}
	}
}

func TestSharedTrainingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	engine := &enginetest.Scripted{}
	job := sharedJob(func(*completion.SharedJob) {})
	job.OnEpoch = func(p kge.Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	}
	report, err := completion.TrainSharedEmbeddings(ctx, engine, job)
	if !errors.Is(err, context.Canceled) || report != nil || engine.Epochs != 8 || engine.Closed != 1 {
		t.Errorf("error %v, report %v, %d steps, closed %d times", err, report, engine.Epochs,
			engine.Closed)
	}
}
