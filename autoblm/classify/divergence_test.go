package classify_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
)

// lossy is an engine, a program and a population that reports another loss for the members with
// a learning rate.
type lossy struct {
	classify.Engine
	classify.Program
	classify.Population
	loss   float32
	rate   float64
	isBad  []bool // by model
	closes func()
}

func (l lossy) Prepare(n *classify.Network) (p classify.Program, err error) {
	l.Program, err = l.Engine.Prepare(n)
	l.closes = l.Program.Close
	return l, err
}

func (l lossy) NewPopulation(runs []classify.Run) (p classify.Population, err error) {
	for _, r := range runs {
		l.isBad = append(l.isBad, r.Member.LearningRate == l.rate)
	}
	l.Population, err = l.Program.NewPopulation(runs)
	l.closes = l.Population.Close
	return l, err
}

func (l lossy) Step(ctx context.Context, active []bool) ([]float32, error) {
	losses, err := l.Population.Step(ctx, active)
	for i := range losses {
		if l.isBad[i] {
			losses[i] = l.loss
		}
	}
	return losses, err
}

func (l lossy) Close() { l.closes() }

// TestExplodedLoss checks that a loss that is no number, or finite and far above that of equal
// scores, is a divergence of its member only. A large loss that may still fall is none.
func TestExplodedLoss(t *testing.T) {
	g := enginetest.KindsGraph(24)
	good, bad := member(classify.BLM, "1,0;0,2"), member(classify.BLM, "1,0;0,2")
	bad.LearningRate /= 2
	alike := max(1, math.Log(float64(len(g.Classes))))
	for loss, diverges := range map[float32]bool{
		float32(math.NaN()): true, float32(math.Inf(1)): true, 3.6e15: true,
		float32(1001 * alike): true, float32(999 * alike): false,
	} {
		engine := lossy{Engine: cpu.New(0), loss: loss, rate: bad.LearningRate}
		engine.closes = engine.Engine.Close
		results, err := classify.TrainOnce(t.Context(), g, quick(classify.BLM),
			classify.Options{Engine: engine}, []classify.Member{bad, good})
		if err != nil {
			t.Fatal(err)
		}
		if got := errors.Is(results[0].Err, classify.ErrDiverged); got != diverges {
			t.Errorf("a loss of %v: error %v, want a divergence: %t", loss, results[0].Err, diverges)
		}
		if diverges && results[0].Diverged != 1 {
			t.Errorf("a loss of %v diverges in epoch %d, want 1", loss, results[0].Diverged)
		}
		if results[1].Err != nil {
			t.Errorf("a loss of %v of another member: %v", loss, results[1].Err)
		}
	}
}
