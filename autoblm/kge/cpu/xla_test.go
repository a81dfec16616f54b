package cpu

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
)

// TestAgreesWithXLAOnWN18RR checks at real size that thirty steps on the same batches from the
// same embeddings have the same losses and nearly the same ranks, and that a model has the same
// ranks on both unless scores are closer than rounding. Embeddings may differ by a step: Adagrad's
// first step has the sign of a gradient, however close to 0.
func TestAgreesWithXLAOnWN18RR(t *testing.T) {
	backend := xlatest.Backend(t)
	g, err := datasets.ReadFolder(realdata.Folder(t, "wn18rr"))
	require.NoError(t, err)
	d, m, s := completion.Data(g), kge.DefaultMember(structure.MustParse("complex")),
		kge.DefaultSettings()
	s.Dim, s.Batch = 64, 128
	const steps, asked = 30, 200
	p := map[string]kge.Population{}
	other, err := gomlx.New(gomlx.Settings{Backend: backend})
	require.NoError(t, err)
	defer other.Close()
	engines := map[string]kge.Engine{"cpu": New(0), "xla": other}
	for name, engine := range engines {
		if p[name], err = engine.NewPopulation(d, s, []kge.Member{m}); err != nil {
			t.Fatal(err)
		}
		defer p[name].Close()
	}
	last := 0.0
	for i, batch := range d.Batches(s, 1).All()[:steps] {
		loss := map[string]float64{}
		for name, p := range p {
			epoch, err := p.Epoch(t.Context(), kge.BatchesOf(batch), []float64{m.LearningRate})
			require.NoError(t, err)
			loss[name] = epoch.Loss[0]
		}
		last = loss["cpu"]
		if math.Abs(loss["xla"]-last) > 2e-5*last {
			t.Errorf("step %d: loss %v, XLA has %v", i+1, last, loss["xla"])
		}
	}
	if at := 2 * math.Log(float64(len(g.Entities))); last > at-0.25 {
		t.Errorf("the last loss is %v, where guessing has %v: nothing was learnt", last, at)
	}

	rank := func(r kge.Ranker) []eval.Ranked {
		ranks, err := r.Rank(t.Context(), g.Train[:asked], g.Known())
		require.NoError(t, err)
		return ranks[0]
	}
	// apart has the ascending relative differences of ranks.
	apart := func(a, b []eval.Ranked) (all []float64) {
		for i := range a {
			for _, pair := range [][2]eval.Rank{{a[i].Tail, b[i].Tail}, {a[i].Head, b[i].Head}} {
				x, y := pair[0].Under(eval.Realistic), pair[1].Under(eval.Realistic)
				all = append(all, math.Abs(x-y)/max(x, y))
			}
		}
		slices.Sort(all)
		return all
	}
	const most, every = 2 * asked * 9 / 10, 2*asked - 1
	if trained := apart(rank(p["cpu"]), rank(p["xla"])); trained[most] > 0.01 || trained[every] > 0.1 {
		t.Errorf("after training nine tenths of the ranks are up to %v apart, all up to %v",
			trained[most], trained[every])
	}

	parameters, err := p["xla"].Parameters(0)
	require.NoError(t, err)
	ranker, err := engines["cpu"].NewRanker([]kge.Parameters{parameters}, kge.Float32)
	require.NoError(t, err)
	defer ranker.Close()
	if same := apart(rank(ranker), rank(p["xla"])); same[most] != 0 || same[every] > 0.005 {
		t.Errorf("of one model nine tenths of the ranks are up to %v apart, all up to %v", same[most],
			same[every])
	}
}
