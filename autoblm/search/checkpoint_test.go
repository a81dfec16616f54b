package search_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
)

// counting counts the epochs that populations train.
type counting struct {
	kge.Engine
	epochs int
}

type counted struct {
	kge.Population
	engine *counting
}

func (c *counting) NewPopulation(
	d *kge.Data, s kge.Settings, members []kge.Member,
) (kge.Population, error) {
	p, err := c.Engine.NewPopulation(d, s, members)
	return counted{p, c}, err
}

func (c counted) Epoch(
	ctx context.Context, batches kge.Batches, rates []float64,
) (kge.Epoch, error) {
	c.engine.epochs++
	return c.Population.Epoch(ctx, batches, rates)
}

// TestSearchInPieces: with a checkpoint, a search that is interrupted after every few epochs trains no
// epoch twice and has the same results.
func TestSearchInPieces(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 13)
	p.Settings.Training.Epochs = 7
	alone := &counting{Engine: cpu.New(1)}
	onTriples(p).Engine = alone
	want := run(t, p)

	pieces := &counting{Engine: cpu.New(1)}
	onTriples(p).Engine, p.Store = pieces, &search.Memory{}
	file := filepath.Join(t.TempDir(), "population")
	var got *search.Result
	for n := 0; got == nil || got.Stopped == search.TimeLimitReached; n++ {
		before := pieces.epochs
		checkpoint := &kge.Checkpoint{File: file, Until: time.Now().Add(time.Hour)}
		onTriples(p).Checkpoint = checkpoint
		p.OnProgress = func(search.Progress) {
			if pieces.epochs >= before+3 {
				checkpoint.Until = time.Now()
			}
		}
		got = run(t, p)
		if n > 100 || got.Stopped == search.TimeLimitReached && pieces.epochs == before {
			t.Fatalf("the search does not get on: %d epochs after %d pieces", pieces.epochs, n+1)
		}
	}
	if pieces.epochs != alone.epochs {
		t.Errorf("%d epochs in pieces, %d without interruption", pieces.epochs, alone.epochs)
	}
	if diff := cmp.Diff(want.Trials, got.Trials, ignoreSeconds); got.Stopped != search.BudgetSpent ||
		diff != "" {
		t.Errorf("stopped by %s, with other trials:\n%s", got.Stopped, diff)
	}
}
