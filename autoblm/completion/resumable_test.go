package completion_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/google/go-cmp/cmp"
)

// interruptible is an engine and a ranker that counts the ranked triples and is interrupted in a
// call of Rank.
type interruptible struct {
	kge.Engine
	kge.Ranker
	stopIn int // call of Rank, from 1
	stop   context.CancelFunc
	ranked *int
}

func (e interruptible) NewRanker(
	models []kge.Parameters, precision kge.Precision,
) (kge.Ranker, error) {
	r, err := e.Engine.NewRanker(models, precision)
	e.Ranker = r
	return &e, err
}

func (e *interruptible) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	if e.stopIn--; e.stopIn == 0 {
		e.stop()
		return nil, ctx.Err()
	}
	*e.ranked += len(triples)
	return e.Ranker.Rank(ctx, triples, known)
}

func (e interruptible) Close() { e.Ranker.Close() }

// TestRankingResumes interrupts a ranking of two models on two splits anywhere. It checks that it
// resumes with the same evaluations, that no triple is ranked twice, and that a damaged file or
// one of other splits does no harm.
func TestRankingResumes(t *testing.T) {
	g := enginetest.SmallGraph()
	for len(g.Test) < 20_000 { // two parts of validation, four of test
		g.Test = append(g.Test, g.Train...)
	}
	g.Valid = g.Test[:10_000]
	one, two := enginetest.SmallModel(), enginetest.SmallModel()
	for i := range two.Entities {
		two.Entities[i] *= float32(i%5) - 2
	}
	path := filepath.Join(t.TempDir(), "ranking")
	evaluate := func(stopIn int) (all []completion.Evaluations, ranked int, err error) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		inner := interruptible{Engine: newEngine(t), stopIn: stopIn, stop: stop, ranked: &ranked}
		engine := completion.NewResumableRanking(inner, path, time.Hour, nil)
		all, err = completion.EvaluateAll(ctx, engine, []*kge.Model{one, two}, g, eval.Options{})
		if err == nil {
			err = engine.Done()
		}
		return all, ranked, err
	}
	want, total, err := evaluate(0)
	if err != nil || total != len(g.Valid)+len(g.Test) || want[0].Test.Both == want[1].Test.Both {
		t.Fatalf("%d triples, %+v, %v", total, want, err)
	}
	for stopIn := 1; stopIn <= 6; stopIn++ {
		_, first, err := evaluate(stopIn)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped in call %d: %v", stopIn, err)
		}
		got, rest, err := evaluate(0)
		if d := cmp.Diff(want, got); d != "" || err != nil || first+rest != total {
			t.Errorf("stopped in call %d: %d and %d of %d triples, %v\n%s", stopIn, first, rest, total,
				err, d)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file is left after the end: %v", err)
		}
	}
	for name, spoil := range map[string]func(){
		"damaged": func() {
			if err := os.WriteFile(path, []byte("no ranks"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"fewer triples": func() { g.Valid, g.Test = g.Valid[:100], g.Test[:100] },
	} {
		if _, _, err := evaluate(2); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		spoil()
		if _, ranked, err := evaluate(0); err != nil || ranked != len(g.Valid)+len(g.Test) {
			t.Errorf("%s: %d triples, %v", name, ranked, err)
		}
	}
}
