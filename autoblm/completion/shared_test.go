package completion

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// sharedJob is of three candidates on the small graph, in batches of 3: four
// steps an epoch, the last of them with one triple.
func sharedJob(change func(*SharedJob)) SharedJob {
	j := SharedJob{Graph: smallGraph(), Settings: DefaultSettings(), Member: Member{Seed: 5, LearningRate: 0.1, Weights: Weights{N3: 0.01}}, SampleSeed: 1}
	j.Settings.Dim, j.Settings.Epochs, j.Settings.Batch = 4, 40, 3
	for _, name := range []string{"distmult", "simple", "complex"} {
		j.Candidates = append(j.Candidates, structure.MustParse(name))
	}
	change(&j)
	return j
}

func mustShare(t testing.TB, engine *scriptedEngine, j SharedJob) *SharedReport {
	t.Helper()
	report, err := TrainShared(t.Context(), engine, j)
	if err != nil {
		t.Fatal(err)
	}
	if engine.closed != 1 {
		t.Errorf("the population was closed %d times", engine.closed)
	}
	return report
}

func TestSharedStepsDrawFromTheCandidates(t *testing.T) {
	engine := &scriptedEngine{better: func(_, _ int) int32 { return 3 }}
	j := sharedJob(func(j *SharedJob) { j.Settings.Decay = 0.5 })
	report := mustShare(t, engine, j)
	if len(engine.structures) != 160 || len(engine.members) != 1 {
		t.Fatalf("%d steps of %d members, want 160 of one", len(engine.structures), len(engine.members))
	}
	for i, c := range report.Candidates {
		steps := 0
		for _, s := range engine.structures {
			if s == j.Candidates[i] {
				steps++
			}
		}
		// 160 draws with probability 1/3: the deviation is 6.
		if c.Structure != j.Candidates[i] || c.Steps != steps || steps < 53-24 || steps > 53+24 {
			t.Errorf("candidate %d: %s with %d steps counted, %d taken; want about 53", i, c.Structure, c.Steps, steps)
		}
		if c.Valid.Triples != 3 || c.Valid.Ties != Pessimistic || !near(c.Valid.Both.MRR, 1.0/4) {
			t.Errorf("candidate %d: validation %+v", i, c.Valid)
		}
	}
	if !slices.Equal(engine.rankedBy, j.Candidates) || !slices.Equal(engine.ranked, []int{160, 160, 160}) || !slices.Equal(engine.rankedSplit, j.Graph.Valid) || engine.rankedKnown != j.Graph.Known() {
		t.Errorf("ranked by %v after steps %v", engine.rankedBy, engine.ranked)
	}
	for epoch := range 40 {
		steps := engine.orders[4*epoch : 4*epoch+4]
		if !slices.Equal(slices.Concat(steps...), epochOrder(j.Graph.Train, j.Settings, epoch+1)) || len(steps[3]) != 1 {
			t.Errorf("epoch %d does not go through the triples as Train does", epoch)
		}
		if want := j.Member.LearningRate * math.Pow(0.5, float64(epoch)); engine.rates[4*epoch+1][0] != want {
			t.Errorf("epoch %d: the learning rate is %v, want %v", epoch, engine.rates[4*epoch+1][0], want)
		}
	}
}

func TestSharedDrawsAreTheSeeds(t *testing.T) {
	drawn := func(seed uint64) []structure.Structure {
		engine := &scriptedEngine{}
		mustShare(t, engine, sharedJob(func(j *SharedJob) { j.SampleSeed = seed }))
		return engine.structures
	}
	if first := drawn(1); !slices.Equal(first, drawn(1)) {
		t.Error("one seed draws differently twice")
	} else if slices.Equal(first, drawn(2)) {
		t.Error("two seeds draw the same")
	}
}

func TestSharedLossIsTheMeanOverTriples(t *testing.T) {
	engine := &scriptedEngine{loss: func(step, _ int) float64 { return float64(step) }}
	var told []Progress
	j := sharedJob(func(j *SharedJob) {
		j.Settings.Epochs = 2
		j.OnEpoch = func(p Progress) { told = append(told, p) }
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
	for name, engine := range map[string]*scriptedEngine{
		"loss": {loss: func(step, _ int) float64 {
			if step == 6 {
				return math.NaN()
			}
			return 1
		}},
		"embeddings": {spoilt: func(_, _ int) float32 { return float32(math.Inf(1)) }},
	} {
		t.Run(name, func(t *testing.T) {
			j := sharedJob(func(j *SharedJob) { j.Settings.Epochs = 3 })
			report := mustShare(t, engine, j)
			if !errors.Is(report.Err, ErrDiverged) {
				t.Fatalf("error %v, want ErrDiverged", report.Err)
			}
			last := engine.structures[len(engine.structures)-1]
			epoch, steps, losses := "epoch 2", 6, 1
			if name == "embeddings" {
				epoch, steps, losses = "epoch 3", 12, 3
			}
			checkError(t, report.Err, epoch, last.String(), "learning rate 0.1", "smaller learning rate")
			if engine.epochs != steps || len(report.Loss) != losses || len(engine.ranked) != 0 {
				t.Errorf("%d steps, %d losses, %d rankings; want %d, %d and none", engine.epochs, len(report.Loss), len(engine.ranked), steps, losses)
			}
			for _, c := range report.Candidates {
				if c.Valid != (Evaluation{}) {
					t.Errorf("%s is said to reach %+v", c.Structure, c.Valid)
				}
			}
		})
	}
}

func TestSharedRefusals(t *testing.T) {
	for name, change := range map[string]func(*SharedJob){
		"no candidates":      func(j *SharedJob) { j.Candidates = nil },
		"empty structure":    func(j *SharedJob) { j.Candidates = []structure.Structure{{}} },
		"candidate 3":        func(j *SharedJob) { j.Candidates = append(j.Candidates, structure.MustParse("1,0;0,2")) },
		"learning-rate":      func(j *SharedJob) { j.Member.LearningRate = 0 },
		"dim":                func(j *SharedJob) { j.Settings.Dim = 6 },
		"validate-every":     func(j *SharedJob) { j.Settings.ValidateEvery = 1 },
		"training triples":   func(j *SharedJob) { j.Graph = &datasets.Graph{Name: "small", Valid: j.Graph.Valid} },
		"validation triples": func(j *SharedJob) { j.Graph = &datasets.Graph{Name: "small", Train: j.Graph.Train} },
	} {
		engine := &scriptedEngine{}
		report, err := TrainShared(t.Context(), engine, sharedJob(change))
		if err == nil || report != nil || engine.populations != 0 {
			t.Errorf("%s: error %v, report %v, %d populations made", name, err, report, engine.populations)
		} else if name != "empty structure" && name != "no candidates" {
			checkError(t, err, name)
		}
	}
	for name, engine := range map[string]*scriptedEngine{
		"population": {failPopulation: true}, "step": {failEpoch: 3}, "parameters": {failParameters: true}, "rank": {failRank: 160},
	} {
		if _, err := TrainShared(t.Context(), engine, sharedJob(func(*SharedJob) {})); !errors.Is(err, errScripted) {
			t.Errorf("failing %s: error %v", name, err)
		}
	}
}

func TestSharedTrainingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	engine := &scriptedEngine{}
	report, err := TrainShared(ctx, engine, sharedJob(func(j *SharedJob) {
		j.OnEpoch = func(p Progress) {
			if p.Epoch == 2 {
				cancel()
			}
		}
	}))
	if !errors.Is(err, context.Canceled) || report != nil || engine.epochs != 8 || engine.closed != 1 {
		t.Errorf("error %v, report %v, %d steps, closed %d times", err, report, engine.epochs, engine.closed)
	}
}
