package stage

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// severalChunks returns settings of a search with 2, 4 and 8 chunks.
func severalChunks() search.Settings {
	s := search.DefaultSettings()
	s.K, s.FewerK, s.Candidates = 8, []int{2, 4}, 16
	s.Budget, s.Predictor, s.Tune, s.RetrainDims = 72, nil, nil, []int{64}
	return s
}

// byChunks returns scores by which a number of chunks is the best. More nonzeros are better.
func byChunks(best int) func(task.Trial) float64 {
	return func(t task.Trial) float64 {
		score := float64(t.Structure.Nonzeros()) / 100
		if t.Structure.K() == best {
			score++
		}
		return score + 0.1*math.Log(float64(t.Recipe.Training.Epochs))
	}
}

// TestSeveralChunks: each number of chunks has rounds, the best has most, and the last rounds are its
// own. Each baseline trains once, dense blocks too, and a population has one number and one form.
func TestSeveralChunks(t *testing.T) {
	for _, best := range []int{4, 8} {
		s := severalChunks()
		s.TuneEach = search.EachTune(4)
		together := func(_ context.Context, trials []task.Trial) error {
			for _, trial := range trials {
				if !search.TrainTogether(trial, trials[0]) {
					t.Errorf("%v and %v train together", trial, trials[0])
				}
				if err := trial.Recipe.Training.ValidateFor(trial.Member()); err != nil {
					t.Error(err)
				}
			}
			return nil
		}
		on := fakeTask{score: byChunks(best), before: together, artifacts: true, forms: true}
		r := run(t, problem(on, strategy.Evolutionary{}, s))
		checkKept(t, r)
		count := map[int]int{}
		proposed := search.Proposed(r.Trials)
		for _, trial := range proposed {
			count[trial.Structure.K()]++
		}
		if count[2] == 0 || count[4] == 0 || count[8] == 0 || count[best] < len(proposed)/2 {
			t.Errorf("%d is the best, but structures by chunks are %v", best, count)
		}
		for _, trial := range proposed[len(proposed)-16:] {
			if trial.Structure.K() != best {
				t.Errorf("%d is the best, but %v is among the last", best, trial.Structure)
			}
		}
		var names []string
		for _, b := range r.Baselines {
			names = append(names, b.Name)
		}
		want := []string{
			"distmult", "simple", "complex", "analogy", "quate", "bique", "block-2", "block-4", "block-8",
		}
		if !slices.Equal(names, want) {
			t.Errorf("the baselines are %v", names)
		}
		for _, name := range want {
			tuned := slices.DeleteFunc(task.InStage(task.TuningEach, r.Trials), func(t task.Trial) bool {
				return t.Name != name
			})
			if len(tuned) != 4+promotions(4) {
				t.Errorf("%s tried %d recipes", name, len(tuned))
			}
		}
	}
}

// TestSmallBudgetTriesEachNumberOfChunks has a round for each number.
func TestSmallBudgetTriesEachNumberOfChunks(t *testing.T) {
	s := severalChunks()
	s.Budget = 3 * s.RoundSize
	r := run(t, problem(fakeTask{score: byChunks(4)}, strategy.Evolutionary{}, s))
	count := map[int]int{}
	for _, trial := range search.Proposed(r.Trials) {
		count[trial.Structure.K()]++
	}
	for _, k := range s.Ks() {
		if count[k] == 0 {
			t.Errorf("no structure has %d chunks: %v", k, count)
		}
	}
}

// TestFewerChunksAreMore: a strategy for more chunks sees the structures with fewer, written with
// more, and proposes none of their classes.
func TestFewerChunksAreMore(t *testing.T) {
	s := severalChunks()
	s.K, s.FewerK, s.Budget = 4, []int{2}, 32
	var histories [][]task.Trial
	r := run(t, problem(fakeTask{score: byChunks(4)},
		recordingStrategy{strategy.Evolutionary{}, &histories}, s))
	lifted := 0
	for _, history := range histories {
		for _, trial := range history {
			if trial.Form != form.Bilinear || trial.Structure.K() != history[0].Structure.K() {
				t.Fatalf("a strategy sees %v with %v", trial.Structure, history[0].Structure)
			}
			if trial.Name == "complex" && trial.Structure.K() == 4 {
				lifted++
			}
		}
	}
	if lifted == 0 {
		t.Error("no strategy for 4 chunks sees ComplEx")
	}
	pairs := 0
	for _, more := range search.Proposed(r.Trials) {
		if more.Structure.K() != 4 {
			continue
		}
		if name := more.Structure.Name(); name != "" {
			t.Errorf("%v was proposed, which is %s", more.Structure, name)
		}
		for _, fewer := range search.Proposed(r.Trials) {
			if fewer.Structure.K() != 2 || fewer.Round >= more.Round {
				continue
			}
			pairs++
			if fewer.Structure = fewer.Structure.Split(2); fewer.Canonical() == more.Canonical() {
				t.Errorf("%v was proposed twice, with 2 and with 4 chunks", more.Structure)
			}
		}
	}
	if pairs == 0 {
		t.Error("no round with 4 chunks follows one with 2")
	}
}

// TestSeveralChunksResume: interrupted after any training, a search has the same trials.
func TestSeveralChunksResume(t *testing.T) {
	s := severalChunks()
	s.Budget, s.RetrainSeeds = 24, 0
	run := func(store *search.Memory, left int) *search.Result {
		p := problem(fakeTask{score: byChunks(4), before: interruptedAfter(&left)},
			strategy.Evolutionary{}, s)
		p.Store = store
		return run(t, p)
	}
	whole := withoutSeconds(run(&search.Memory{}, math.MaxInt).Trials)
	for calls := 0; ; calls += 3 {
		store := &search.Memory{}
		if r := run(store, calls); r.Stopped != search.Interrupted {
			return
		}
		if got := withoutSeconds(run(store, math.MaxInt).Trials); !reflect.DeepEqual(got, whole) {
			t.Fatalf("interrupted after %d trainings, it has other trials", calls)
		}
	}
}
