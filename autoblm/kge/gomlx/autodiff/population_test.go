package autodiff

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
)

// TestMembersShareEdges checks that the members of a population read the same edges, and that the
// population frees them.
func TestMembersShareEdges(t *testing.T) {
	d, s := completion.Data(enginetest.Graph()), kge.DefaultSettings()
	s.Dim, s.Reciprocal, s.Encoder = 8, true, kge.CompGCNSub
	m := kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.1}
	opened, err := NewPopulation(limited{bytes: 1 << 30}, d, s, []kge.Member{m, m})
	require.NoError(t, err)
	p := opened.(*population)
	if len(p.edges) == 0 {
		t.Fatal("an encoder has no edges")
	}
	for i, edges := range p.edges {
		for n, member := range p.trainees {
			if member.edges[i] != edges {
				t.Errorf("member %d has edges of its own", n)
			}
		}
	}
	edges := p.edges
	p.Close()
	for _, x := range edges {
		if x.Ok() {
			t.Error("a closed population keeps its edges")
		}
	}
}

// TestSetStateCopiesNothing checks that a population compares a state with its own sizes, not with
// numbers from the device.
func TestSetStateCopiesNothing(t *testing.T) {
	d, s, members, _ := distances(1)
	p, err := NewPopulation(limited{bytes: 1 << 30}, d, s, members)
	require.NoError(t, err)
	defer p.Close()
	state, err := p.State()
	require.NoError(t, err)
	for _, table := range p.(*population).trainees[0].tables {
		table.FinalizeLocal() // so that its numbers cannot be copied
	}
	_, err = p.Parameters(0)
	if err == nil {
		t.Fatal("freed tables were copied")
	}
	require.NoError(t, p.SetState(state))
	after, err := p.Parameters(0)
	require.NoError(t, err)
	if diff := cmp.Diff(state.Members[0].Tables, after.Tables); diff != "" {
		t.Error(diff)
	}
}

// TestRoomy checks that steps with different numbers of questions have little padding and few programs.
func TestRoomy(t *testing.T) {
	sizes := map[int]bool{}
	for n := 1; n <= 4096; n++ {
		room := roomy(n)
		if room < n || 8*(room-n) >= max(8, n) {
			t.Errorf("%d questions have room for %d", n, room)
		}
		if n > 2048 {
			sizes[room] = true
		}
	}
	if len(sizes) != 8 {
		t.Errorf("2049 to 4096 questions have %d programs, want 8", len(sizes))
	}
}

// TestTemperatureOfPaths checks that the negatives of paths cannot be weighed.
func TestTemperatureOfPaths(t *testing.T) {
	d, s, members, _ := distances(1)
	s.Negatives, s.AdversarialTemperature = 4, 1
	d.BothDirections = false
	require.Error(t, Supports(limited{}, d, s, members), "leave adversarial-temperature at 0")
}
