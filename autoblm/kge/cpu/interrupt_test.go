package cpu

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// counted cancels a context in the middle of a unit, and counts units.
type counted struct {
	pathObjective
	at    int64
	units *atomic.Int64
	end   func()
}

func (c counted) learn(t *trainer, b *scratch, u *unit, w *activeUnit, weight float32) float64 {
	if c.units.Add(1) == c.at {
		c.end()
	}
	return c.pathObjective.learn(t, b, u, w, weight)
}

// inOneBatch returns a population that takes all queries in one step.
func inOneBatch(t *testing.T, threads, negatives int) (*population, kge.Batches) {
	t.Helper()
	d := enginetest.Paths(t, 450, 3, 1200)
	if _, err := d.Sample(t.Context(),
		query.Sample{Split: query.InTrain, Hops: 2, Count: 1000}); err != nil {
		t.Fatal(err)
	}
	data, err := d.Training(query.Paths{Hops: []int{2}})
	require.NoError(t, err)
	s := kge.DefaultSettings()
	s.Dim, s.Batch, s.Negatives = 8, 1<<20, negatives
	p, err := New(threads).NewPopulation(data, s,
		[]kge.Member{kge.DefaultMember(structure.MustParse("complex"))})
	require.NoError(t, err)
	return p.(*population), data.Batches(s, 1)
}

// TestInterruptedStep checks that if a step is cancelled, each thread finishes at most its
// current unit, and nothing is updated.
func TestInterruptedStep(t *testing.T) {
	for _, threads := range []int{1, 3} {
		p, batches := inOneBatch(t, threads, 2)
		before, err := p.State()
		require.NoError(t, err)
		ctx, end := context.WithCancel(t.Context())
		var units atomic.Int64
		p.trainers[0].objective = counted{pathObjective{}, 3, &units, end}
		if _, err := p.Epoch(ctx, batches, []float64{0.1}); !errors.Is(err, context.Canceled) {
			t.Fatalf("%d threads: %v", threads, err)
		}
		if n, most := units.Load(), int64(3+threads-1); n > most ||
			len(batches.Make(0, nil)) < 10*tiles.MaxQueries {
			t.Errorf("%d threads: %d units of a batch of %d were learnt, want at most %d", threads, n,
				len(batches.Make(0, nil)), most)
		}
		if after, err := p.State(); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%d threads: something moved (%v)", threads, err)
		}
	}
}

// dying is a context that ends after a number of calls of Err.
type dying struct {
	context.Context
	looks atomic.Int64
}

func (d *dying) Err() error {
	if d.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedNegatives checks that the context is checked before each example's negatives.
func TestInterruptedNegatives(t *testing.T) {
	const negatives, examples = 500, 3
	p, batches := inOneBatch(t, 1, negatives)
	ctx := &dying{Context: t.Context()}
	ctx.looks.Store(1 + examples) // one is the unit's
	if _, err := p.Epoch(ctx, batches, []float64{0.1}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	all := 0
	for _, u := range p.trainers[0].units {
		all += len(u.pairs)
	}
	if want := examples * (1 + negatives); all != want {
		t.Errorf("%d pairs were learnt, want %d", all, want)
	}
}

// TestInterruptedRanking checks that the context is checked before each tile of entities: those of a
// large graph take long.
func TestInterruptedRanking(t *testing.T) {
	g := enginetest.RandomGraph(5*tiles.Rows, 2, 100, 1)
	s := kge.DefaultSettings()
	s.Dim = 8
	data := &kge.Data{Entities: g.Entities, Relations: g.Relations}
	model := kge.Initialize(data, s, kge.DefaultMember(structure.MustParse("complex")))
	r, err := New(1).NewRanker([]kge.Parameters{model}, kge.Float32)
	require.NoError(t, err)
	defer r.Close()
	ctx := &dying{Context: t.Context()}
	ctx.looks.Store(4) // one is that of the chunk
	if _, err := r.Rank(ctx, g.Train[:groupTriples], nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after all tiles, want the end before the fourth", err)
	}
}

// TestBuffersFollowTheData checks that a batch larger than the data needs memory for the data only.
func TestBuffersFollowTheData(t *testing.T) {
	for _, negatives := range []int{0, 2} {
		p, batches := inOneBatch(t, 1, negatives)
		units := (len(batches.Make(0, nil)) + tiles.MaxQueries - 1) / tiles.MaxQueries
		if got := len(append(p.perThread, p.shared)[0].units); got != units {
			t.Errorf("%d units for %d examples, want %d", got, len(batches.Make(0, nil)), units)
		}
	}
	if n := New(1 << 40).threads; n != maxThreads {
		t.Errorf("%d threads", n)
	}
}

// TestMemoryOfAStep checks that the estimated memory includes the buffers of a step, for few
// entities with very long rows.
func TestMemoryOfAStep(t *testing.T) {
	d := enginetest.Paths(t, 450, 3, 1200)
	data, err := d.Training(query.Paths{Hops: []int{2}})
	require.NoError(t, err)
	s := kge.DefaultSettings()
	s.Dim = 1 << 20
	gqe := kge.Member{Form: form.GQE, Seed: 1, LearningRate: 0.1}
	if _, err := New(1).NewPopulation(data, s, []kge.Member{gqe}); err == nil ||
		!strings.Contains(err.Error(), "training 1 member with dim 1048576 on 450 entities") {
		t.Errorf("%v", err)
	}
}
