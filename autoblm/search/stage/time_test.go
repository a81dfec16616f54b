package stage

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// endlessTask is a task whose trainings from a number on never end.
type endlessTask struct {
	learningTask
	from int
}

func (e endlessTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) ([]task.Artifact, error) {
	if trials[0].Number >= e.from {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return e.learningTask.Train(ctx, trials, onProgress)
}

// TestTimeLimitEndsTrainings: the time limit discards running trainings in each stage, and a resumed
// search has the same results as one without a limit.
func TestTimeLimitEndsTrainings(t *testing.T) {
	settings := halvingSettings(2)
	settings.WarmStart, settings.Final = true, search.DefaultFinal()
	want, err := Run(
		t.Context(),
		search.Problem{Task: learningTask{gain: 1}, Strategy: strategy.Evolutionary{}, Settings: settings},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{6, 20, want.Finals[0].Number} {
		store := &search.Memory{}
		limited := settings
		limited.TimeLimit = 200 * time.Millisecond
		result, err := Run(
			t.Context(),
			search.Problem{
				Task:     endlessTask{learningTask{gain: 1}, from},
				Strategy: strategy.Evolutionary{},
				Settings: limited,
				Store:    store,
			},
		)
		if err != nil || result.Stopped != search.TimeLimitReached {
			t.Fatalf("from trial %d on: stopped by %q, %v", from, result.Stopped, err)
		}
		result, err = Run(
			t.Context(),
			search.Problem{
				Task:     learningTask{gain: 1},
				Strategy: strategy.Evolutionary{},
				Settings: settings,
				Store:    store,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		for i := range result.Trials {
			result.Trials[i].Seconds, want.Trials[i].Seconds = 0, 0
		}
		if !reflect.DeepEqual(result.Trials, want.Trials) {
			t.Errorf("from trial %d on: the resumed search has other results", from)
		}
	}
}
