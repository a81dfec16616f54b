package search_test

import (
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/linear"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/record"
	"gonum.org/v1/gonum/stat"
)

var (
	linearDataset    = flag.String("linear", "", "measure on this graph what the filter linear drops, and write linear-GRAPH-SEED.json")
	linearStructures = flag.Int("linear-structures", 256, "how many structures the search for that trains")
	linearSeed       = flag.Uint64("linear-seed", 1, "its seed")
)

// dropped is what a search with the filter linear would have dropped. MRR is the
// filtered one on the validation triples.
type dropped struct {
	Dataset string `json:"dataset"`
	Seed    uint64 `json:"seed"`
	// Trained structures were trained to their end, Dropped of them in vain by the filter.
	Trained int `json:"trained"`
	Dropped int `json:"dropped"`
	// Joined of the dropped are proved to be the kept ones in another basis.
	Joined int `json:"joined"`
	// Noise is the standard deviation of the MRR over the seeds of one structure.
	Noise float64 `json:"noise"`
	// MeanDifference and MaxDifference are between dropped and kept, without sign.
	MeanDifference float64 `json:"mean_difference"`
	MaxDifference  float64 `json:"max_difference"`
	// Better counts the dropped that are better than the kept by more than the
	// noise, BetterThanTwice by more than twice the noise; Worse and WorseThanTwice
	// likewise count the other way round.
	Better          int `json:"better"`
	BetterThanTwice int `json:"better_than_twice"`
	Worse           int `json:"worse"`
	WorseThanTwice  int `json:"worse_than_twice"`
	// BestDroppedRank is the place of the best dropped one among all, 0 without one.
	BestDroppedRank int `json:"best_dropped_rank"`
	// BestMRR is that of all, BestKeptMRR that without the dropped.
	BestMRR     float64       `json:"best_mrr"`
	BestKeptMRR float64       `json:"best_kept_mrr"`
	Pairs       []droppedPair `json:"pairs"`
}

type scored struct {
	Structure structure.Structure `json:"structure"`
	MRR       float64             `json:"valid_mrr"`
}

// droppedPair is a structure that the filter drops, beside the earlier one for which
// it does. Without a map that joins them the filter may be right or wrong.
type droppedPair struct {
	Dropped scored `json:"dropped"`
	Kept    scored `json:"kept"`
	Joined  bool   `json:"joined"`
}

// whatIsDropped are the pairs among structures in the order they were trained in.
func whatIsDropped(trials []scored, noise float64) dropped {
	r := dropped{Trained: len(trials), Noise: noise}
	kept := map[linear.Invariant]scored{}
	best := math.Inf(-1) // of the dropped
	for _, t := range trials {
		r.BestMRR = max(r.BestMRR, t.MRR)
		class := linear.Of(t.Structure)
		if first, known := kept[class]; known {
			_, joined := linear.Join(t.Structure, first.Structure)
			r.Pairs = append(r.Pairs, droppedPair{t, first, joined})
			best = max(best, t.MRR)
			continue
		}
		kept[class] = t
		r.BestKeptMRR = max(r.BestKeptMRR, t.MRR)
	}
	if len(r.Pairs) > 0 {
		r.BestDroppedRank = 1
		for _, t := range trials {
			r.BestDroppedRank += count(t.MRR > best)
		}
	}
	r.sum()
	return r
}

// sum adds what follows from the pairs and the noise.
func (r *dropped) sum() {
	r.Dropped = len(r.Pairs)
	for _, p := range r.Pairs {
		gain := p.Dropped.MRR - p.Kept.MRR
		r.MeanDifference += math.Abs(gain)
		r.MaxDifference = max(r.MaxDifference, math.Abs(gain))
		r.Joined += count(p.Joined)
		r.Better += count(gain > r.Noise)
		r.BetterThanTwice += count(gain > 2*r.Noise)
		r.Worse += count(-gain > r.Noise)
		r.WorseThanTwice += count(-gain > 2*r.Noise)
	}
	r.MeanDifference /= max(1, float64(r.Dropped))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestWhatIsDropped(t *testing.T) {
	trial := func(text string, mrr float64) scored { return scored{structure.MustParse(text), mrr} }
	// The last two are DistMult, the first, after a change of basis; the second is ComplEx.
	r := whatIsDropped([]scored{trial("1,0;0,2", 0.50), trial("1,2;-2,1", 0.60), trial("1,2;2,1", 0.75), trial("2,1;1,2", 0.45)}, 0.10)
	if len(r.Pairs) != 2 || r.Pairs[0].Dropped.MRR != 0.75 || r.Pairs[0].Kept.MRR != 0.50 {
		t.Errorf("pairs %v", r.Pairs)
	}
	r.Pairs = nil
	got := fmt.Sprintf("%.4f", []any{r.Trained, r.Dropped, r.Joined, r.MeanDifference, r.MaxDifference, r.Better, r.BetterThanTwice, r.Worse, r.WorseThanTwice, r.BestDroppedRank, r.BestMRR, r.BestKeptMRR})
	if want := fmt.Sprintf("%.4f", []any{4, 2, 2, 0.15, 0.25, 1, 1, 0, 0, 1, 0.75, 0.60}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRecordedLinear: what was measured agrees with itself, and with the invariant and
// the maps of package linear.
func TestRecordedLinear(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/results/linear-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no results: %v", err)
	}
	for i, file := range files {
		d, err := record.Read[dropped](file)
		if err != nil {
			t.Fatal(err)
		}
		again := dropped{Noise: d.Result.Noise}
		for _, p := range d.Result.Pairs {
			if linear.Of(p.Dropped.Structure) != linear.Of(p.Kept.Structure) {
				t.Errorf("%s: %s is no reason to drop %s", file, p.Kept.Structure, p.Dropped.Structure)
			}
			if i == 0 && p.Joined { // looking for a map takes its time
				_, p.Joined = linear.Join(p.Dropped.Structure, p.Kept.Structure)
			}
			again.Pairs = append(again.Pairs, p)
		}
		again.sum()
		again.Dataset, again.Seed, again.Trained, again.BestDroppedRank, again.BestMRR, again.BestKeptMRR = d.Result.Dataset, d.Result.Seed, d.Result.Trained, d.Result.BestDroppedRank, d.Result.BestMRR, d.Result.BestKeptMRR
		if got, want := fmt.Sprint(again), fmt.Sprint(d.Result); got != want {
			t.Errorf("%s: got\n%s\nrecorded are\n%s", file, got, want)
		}
	}
}

// TestLinearDrops measures, if asked to, what the filter linear of a search wrongly
// drops: it runs an AutoBLM+ search with the exact filter and looks which of the
// structures trained there are earlier ones after a change of basis.
func TestLinearDrops(t *testing.T) {
	if *linearDataset == "" {
		t.Skip("-linear was not given")
	}
	g, err := datasets.Open(*linearDataset)
	if err != nil {
		t.Fatal(err)
	}
	engine := cpu.New(0)
	s := search.Plain()
	s.Budget, s.Seed = *linearStructures, *linearSeed
	found, err := search.Run(t.Context(), search.Problem{Task: &completion.Task{Graph: g, Engine: engine}, Strategy: search.Evolutionary{}, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	var trials []scored
	for _, each := range found.Trials {
		if each.Round > 0 && each.State == task.Complete {
			trials = append(trials, scored{each.Structure, each.ScoreOrZero()})
		}
	}
	var variances []float64
	for _, best := range found.Best[:min(4, len(found.Best))] {
		variances = append(variances, stat.Variance(scoresOfSeeds(t, engine, g, s, best.Structure), nil))
	}
	r := whatIsDropped(trials, math.Sqrt(stat.Mean(variances, nil)))
	r.Dataset, r.Seed = g.Name, s.Seed
	command := fmt.Sprintf("go test ./autoblm/search -run TestLinearDrops -linear %s -linear-structures %d -linear-seed %d", g.Name, s.Budget, s.Seed)
	d := record.New(t.Context(), record.Setup{Command: command, Engine: engine.Name(), Backend: engine.Backend(s.Training.Precision)}, r)
	if err := d.Write(fmt.Sprintf("linear-%s-%d.json", g.Name, s.Seed)); err != nil {
		t.Fatal(err)
	}
}

// scoresOfSeeds are the validation MRRs of a structure over five seeds.
func scoresOfSeeds(t *testing.T, engine kge.Engine, g *datasets.Graph, s search.Settings, a structure.Structure) (scores []float64) {
	t.Helper()
	job := kge.Job{Data: completion.Data(g), Settings: s.Training}
	for n := range uint64(5) {
		job.Members = append(job.Members, kge.Member{Structure: a, Seed: s.Seed + n, LearningRate: s.LearningRate, Weights: s.Weights})
	}
	report, err := kge.Train(t.Context(), engine, job)
	if err != nil {
		t.Fatal(err)
	}
	var models []*kge.Model
	for _, r := range report.Results {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		models = append(models, r.Model)
	}
	evaluations, err := completion.EvaluateAll(t.Context(), engine, models, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range evaluations {
		scores = append(scores, e.Valid.Both.MRR)
	}
	return scores
}
