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

// endless is a task whose trainings from the given one on end with the time only.
type endless struct {
	grown
	from int
}

func (e endless) Train(ctx context.Context, trials []task.Trial, onProgress func(float64)) ([]task.Artifact, error) {
	if trials[0].Number >= e.from {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return e.grown.Train(ctx, trials, onProgress)
}

// TestTimeEndsTrainings: what is in training when the time is up is left, in each stage, and
// the search goes on as if there had been no limit.
func TestTimeEndsTrainings(t *testing.T) {
	settings := climbing(2)
	settings.WarmStart, settings.Final = true, search.DefaultFinal()
	want, err := Run(t.Context(), search.Problem{Task: grown{gain: 1}, Strategy: strategy.Evolutionary{}, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{6, 20, want.Finals[0].Number} {
		store := &search.Memory{}
		limited := settings
		limited.TimeLimit = 200 * time.Millisecond
		result, err := Run(t.Context(), search.Problem{Task: endless{grown{gain: 1}, from}, Strategy: strategy.Evolutionary{}, Settings: limited, Store: store})
		if err != nil || result.Stopped != search.TimeLimitReached {
			t.Fatalf("from trial %d on: stopped by %q, %v", from, result.Stopped, err)
		}
		result, err = Run(t.Context(), search.Problem{Task: grown{gain: 1}, Strategy: strategy.Evolutionary{}, Settings: settings, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		for i := range result.Trials {
			result.Trials[i].Seconds, want.Trials[i].Seconds = 0, 0
		}
		if !reflect.DeepEqual(result.Trials, want.Trials) {
			t.Errorf("from trial %d on: the search went on otherwise", from)
		}
	}
}
