package stage

import (
	"math"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TestMessagesAreSearched checks a search over the structures of an encoder's messages and of its
// decoder, with all stages: trials with the same decoder are different models on each rung and when
// they are retrained, baselines have their own structure as message, and a search that is interrupted
// has the same trials.
func TestMessagesAreSearched(t *testing.T) {
	s := search.DefaultSettings()
	s.Budget, s.Tune, s.RetrainDims, s.Training.Reciprocal = 48, nil, []int{64}, true
	s.Training.Encoder, s.TuneEach = kge.BLM, search.EachTune(3)
	best := structure.MustParse("complex").Canonical(structure.Full)
	score := func(t task.Trial) float64 { // by the message more than by the decoder
		score := float64(t.Message().Nonzeros())*2 - float64(t.Structure.Nonzeros()) + 50
		if t.Structure.Canonical(structure.Full) == best {
			score++
		}
		return score + .1*math.Log(float64(t.Recipe.Training.Epochs))
	}
	run := func(store *search.Memory, left int) *search.Result {
		p := problem(fakeTask{score: score, before: interruptedAfter(&left)}, strategy.Evolutionary{}, s)
		p.Store = store
		return run(t, p)
	}
	r := run(&search.Memory{}, math.MaxInt)
	whole := withoutSeconds(r.Trials)
	kinds := map[task.Stage]int{}
	others := 0
	for _, trial := range whole {
		kinds[trial.Stage]++
		if trial.Message().K() == 0 {
			t.Fatalf("trial %d has no message", trial.Number)
		}
		if search.IsRetrained(trial) && trial.Message() != trial.Structure {
			others++
		}
		if trial.Name != "" && trial.Round == 0 && trial.Message() != trial.Structure {
			t.Errorf("%s has the message %s", trial.Name, trial.Message())
		}
	}
	for _, stage := range []task.Stage{
		task.HalvingRung, task.Searching, task.TuningEach, task.Retraining,
	} {
		if kinds[stage] == 0 {
			t.Errorf("no trial of the stage %s", stage)
		}
	}
	if others == 0 {
		t.Error("no retrained model has a message of its own")
	}
	models := map[task.Model]bool{}
	for _, trial := range search.Proposed(r.Trials) {
		if models[trial.Model()] {
			t.Errorf("trial %d is a model that was proposed before", trial.Number)
		}
		models[trial.Model()] = true
	}
	if len(models) != s.Budget {
		t.Errorf("%d models for a budget of %d", len(models), s.Budget)
	}
	for _, calls := range []int{1, 20, 40, 60} {
		store := &search.Memory{}
		run(store, calls)
		if got := withoutSeconds(run(store, math.MaxInt).Trials); !reflect.DeepEqual(got, whole) {
			t.Fatalf("interrupted after %d trainings, it has other trials", calls)
		}
	}
}

// TestFinalKeepsMessages checks that the final stage trains models of the search: structures with their
// messages.
func TestFinalKeepsMessages(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Training.Reciprocal, s.Training.Encoder = 16, true, kge.BLM
	s.Final = search.DefaultFinal()
	r := run(t, problem(fakeTask{score: nonzeros}, strategy.Random{}, s))
	type pair struct{ structure, message structure.Structure }
	searched, others := map[pair]bool{}, 0
	for _, trial := range search.Proposed(r.Trials) {
		if trial.Stage == task.Searching {
			searched[pair{trial.Structure, trial.Message()}] = true
		}
	}
	final := task.InStage(task.Final, r.Trials)
	for _, trial := range final {
		if !searched[pair{trial.Structure, trial.Message()}] {
			t.Errorf("trial %d has the message %s of no trial with its structure", trial.Number,
				trial.Message())
		}
		if trial.Message() != trial.Structure {
			others++
		}
	}
	if len(final) == 0 || others == 0 {
		t.Errorf("%d of %d final models have a message of their own", others, len(final))
	}
}

// TestGivenMessage checks that a search with a message keeps it.
func TestGivenMessage(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Training.Reciprocal, s.Training.Encoder = 16, true, kge.BLM
	s.Training.Message = structure.MustParse("quate")
	r := run(t, problem(fakeTask{score: nonzeros}, strategy.Random{}, s))
	for _, trial := range r.Trials {
		if trial.Message() != s.Training.Message {
			t.Errorf("trial %d has the message %s", trial.Number, trial.Message())
		}
	}
}
