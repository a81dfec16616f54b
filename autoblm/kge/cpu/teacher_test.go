package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestTeacherRefused checks the errors for trainings that cannot learn from a teacher.
func TestTeacherRefused(t *testing.T) {
	s := settings()
	s.TeacherWeight, s.Temperature = 0.5, 2
	inBuckets := s
	inBuckets.SampledSoftmax, inBuckets.Buckets = 5, 8
	with, without := enginetest.Triples(graph()), completion.Data(graph())
	paths := randomPaths(450, 20, 100, 2, 1)
	for _, c := range []struct {
		data     *kge.Data
		settings kge.Settings
		want     string
	}{
		{with, inBuckets, "8 buckets lack most answers"},
		{without, s, "random has no teacher"},
		{paths, s, "only triples have a teacher"},
	} {
		err := New(1).Supports(c.data, c.settings, members(1))
		require.Error(t, err, c.want, "leave")
	}
	if err := New(1).Supports(with, s, members(1)); err != nil {
		t.Error(err)
	}
	distances := kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.1}
	require.Error(t, s.ValidateFor(distances), "transe scores by distances", "such as complex")
}
