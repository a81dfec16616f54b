package cpu

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestSparseGradientsBegin checks that the first epoch is dense and the second is not, and that a
// training that is interrupted before, after or within the second has the same bits.
func TestSparseGradientsBegin(t *testing.T) {
	d, s := completion.Data(graph()), settings()
	s.Batch, s.Epochs, s.Reciprocal, s.AnswersPerQuery = 40, 4, true, 4
	trained := func(j kge.Job) *kge.Report {
		t.Helper()
		j.Data, j.Members = d, members(3)
		report, err := kge.Train(t.Context(), New(2), j)
		require.NoError(t, err)
		return report
	}
	dense := trained(kge.Job{Settings: s}).Results
	s.SparseGradients = 16
	want := trained(kge.Job{Settings: s}).Results
	for i := range want {
		if want[i].Loss[0] != dense[i].Loss[0] || want[i].Loss[1] == dense[i].Loss[1] {
			t.Errorf("member %d: losses %v, without it %v", i, want[i].Loss, dense[i].Loss)
		}
	}
	for stop := 1; stop < s.Epochs; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		j := kge.Job{Data: d, Members: members(3), Settings: s,
			Checkpoint: &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}}
		j.OnEpoch = func(p kge.Progress) {
			if p.Epoch == stop {
				cancel()
			}
		}
		if _, err := kge.Train(ctx, New(1), j); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		j.OnEpoch = nil
		// A slow machine may have no copy of the last epoch.
		got := trained(j)
		if got.Resumed < 1 || got.Resumed > stop || !reflect.DeepEqual(got.Results, want) {
			t.Errorf("gone on with after epoch %d of %d, it comes to something else", got.Resumed, stop)
		}
	}
}
