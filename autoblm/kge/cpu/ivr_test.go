package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestIVRFollowsTheStructure checks that a member with a new structure trains like one that began
// with it: the penalty is that of the new structure.
func TestIVRFollowsTheStructure(t *testing.T) {
	g := enginetest.Graph()
	data, batch := completion.Data(g), completion.Examples(g.Train[:20])
	s := kge.DefaultSettings()
	s.Dim, s.Batch, s.InitScale = 8, len(batch), 0.5
	loss := func(first, next string) float64 {
		m := kge.DefaultMember(structure.MustParse(first))
		m.IVR, m.IVRProducts = 0.1, 0.2
		p, err := New(1).NewPopulation(data, s, []kge.Member{m})
		require.NoError(t, err)
		defer p.Close()
		require.NoError(t, p.SetStructure(0, structure.MustParse(next)))
		epoch, err := p.Epoch(t.Context(), kge.BatchesOf(batch), []float64{0.1})
		require.NoError(t, err)
		return epoch.Loss[0]
	}
	if got, want := loss("simple", "quate"), loss("quate", "quate"); got != want {
		t.Errorf("the loss with a new structure is %v, want %v", got, want)
	}
}
