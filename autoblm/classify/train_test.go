package classify_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func train(
	t testing.TB, g *rdf.Graph, s classify.Settings, members ...classify.Member,
) []classify.Result {
	t.Helper()
	results, err := trainOnce(t.Context(), g, s, classify.Options{}, members)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// trainOnce trains on the engine cpu.
func trainOnce(
	ctx context.Context, g *rdf.Graph, s classify.Settings, o classify.Options,
	members []classify.Member,
) ([]classify.Result, error) {
	o.Engine = cpu.New(0)
	trainer, err := classify.NewTrainer(g, s, o)
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	return trainer.Train(ctx, members)
}

// trained returns the model of a member.
func trained(t testing.TB, g *rdf.Graph, s classify.Settings, m classify.Member) *classify.Model {
	t.Helper()
	results, err := trainOnce(t.Context(), g, s, classify.Options{KeepModels: true},
		[]classify.Member{m})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Err != nil {
		t.Fatal(results[0].Err)
	}
	return results[0].Model
}

func quick(e classify.Encoder) classify.Settings {
	s := classify.Defaults(e)
	s.Dim, s.Parts, s.Layers, s.Epochs, s.Patience, s.Runs, s.SelfLoops = 16, 2, 1, 60, 0, 2, false
	return s
}

func member(e classify.Encoder, text string) classify.Member {
	m := classify.Member{Seed: 3, LearningRate: 0.05}
	if e == classify.BLM {
		m.Structure = structure.MustParse(text)
	}
	return m
}

// TestEncodersUseRelations checks a graph where only relations separate the classes: GCN cannot
// learn it, other encoders learn it perfectly.
func TestEncodersUseRelations(t *testing.T) {
	g := enginetest.KindsGraph(48)
	for _, e := range classify.Encoders() {
		r := train(t, g, quick(e), member(e, "1,0;0,2"))[0]
		mean, _ := r.TestAccuracy()
		switch {
		case r.Err != nil:
			t.Errorf("%v: %v", e, r.Err)
		case e == classify.CompGCNSub: // e_0 - r_0 + e_1 - r_1 is the same for both classes
			if mean > 0.8 {
				t.Errorf("%v: %v of the nodes to test with are right; the sums are the same", e, mean)
			}
		case e == classify.GCN && (mean > 0.8 || r.CVAccuracy > 0.8):
			t.Errorf(
				"gcn: %v of the nodes held out and %v of those to test with are right, but nothing tells "+
					"them apart", r.CVAccuracy, mean)
		case e != classify.GCN && (mean < 1 || r.CVAccuracy < 1):
			t.Errorf("%v: %v of the nodes held out and %v of those to test with are right", e, r.CVAccuracy,
				mean)
		}
		if len(r.TestAccuracies) != 2 {
			t.Errorf("%v was tested %d times", e, len(r.TestAccuracies))
		}
	}
}

var sameResults = cmp.Options{
	cmpopts.EquateComparable(structure.Structure{}),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
}

// TestMembersAreIndependent checks that a member gives the same bits alone, among others, and in
// another position.
func TestMembersAreIndependent(t *testing.T) {
	g := enginetest.RandomGraph(rand.New(rand.NewPCG(5, 6)), 30, 4, 150)
	s := classify.Defaults(classify.BLM)
	s.Dim, s.Epochs, s.Folds, s.Runs, s.ValidateEvery = 4, 12, 3, 2, 1
	var members []classify.Member
	for i, text := range []string{"1,0;0,2", "1,-2;2,1", "0,1;2,0"} {
		members = append(members, classify.Member{Structure: structure.MustParse(text), Seed: uint64(i),
			LearningRate: 0.01 * float64(i+1), Dropout: 0.2 * float64(i), L2: 0.01})
	}
	together := train(t, g, s, members...)
	for i, m := range members {
		if diff := cmp.Diff(train(t, g, s, m)[0], together[i], sameResults); diff != "" {
			t.Errorf("member %d alone and among others: %s", i, diff)
		}
	}
	slices.Reverse(members)
	turned := train(t, g, s, members...)
	slices.Reverse(turned)
	if diff := cmp.Diff(turned, together, sameResults); diff != "" {
		t.Error(diff)
	}
}

func TestDivergedMemberIsAlone(t *testing.T) {
	g := enginetest.KindsGraph(24)
	good, bad := member(classify.BLM, "1,0;0,2"), member(classify.BLM, "1,0;0,2")
	bad.LearningRate = 1e30
	results := train(t, g, quick(classify.BLM), bad, good)
	if !errors.Is(results[0].Err, classify.ErrDiverged) ||
		strings.Contains(results[0].Err.Error(), "\n") || results[0].TestAccuracies != nil {
		t.Errorf("a learning rate of 1e30 came to %+v", results[0])
	}
	if results[1].Err != nil || results[1].CVAccuracy < 1 {
		t.Errorf("beside one that diverges, a member came to %+v", results[1])
	}
}

func TestInterruption(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	calls := 0
	_, err := trainOnce(ctx, enginetest.KindsGraph(24), quick(classify.BLM),
		classify.Options{OnProgress: func(done, total int) {
			if calls++; calls == 3 {
				stop()
			}
			if done > total/2 {
				t.Errorf("%d of %d epochs are done long after the end", done, total)
			}
		}},
		[]classify.Member{member(classify.BLM, "1,0;0,2")},
	)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted training ends with %v", err)
	}
}

func TestProgressComesToTheEnd(t *testing.T) {
	s := quick(classify.BLM)
	s.Patience = 2
	bad := member(classify.BLM, "1,0;0,2")
	bad.LearningRate = 1e30
	last, whole := 0, 0
	_, err := trainOnce(t.Context(), enginetest.KindsGraph(24), s,
		classify.Options{OnProgress: func(done, total int) {
			if done < last || whole != 0 && total != whole {
				t.Errorf("%d of %d epochs after %d of %d", done, total, last, whole)
			}
			last, whole = done, total
		}},
		[]classify.Member{member(classify.BLM, "1,0;0,2"), bad},
	)
	if err != nil || last != whole {
		t.Errorf("%d of %d epochs at the end, %v", last, whole, err)
	}
}

// TestPatience checks that cross-validation ends after the given number of validations without
// improvement.
func TestPatience(t *testing.T) {
	s := quick(classify.BLM)
	s.Patience, s.ValidateEvery = 3, 2
	r := train(t, enginetest.KindsGraph(48), s, member(classify.BLM, "1,0;0,2"))[0]
	if last := r.Curve[len(r.Curve)-1].Epoch; last != min(r.Epochs+6, s.Epochs) {
		t.Errorf("the best of the validations %+v is after epoch %d, with a patience of 3", r.Curve,
			r.Epochs)
	}
	best := slices.MaxFunc(r.Curve, func(a, b classify.Validation) int {
		if a.Accuracy != b.Accuracy {
			return cmpFloat(a.Accuracy, b.Accuracy)
		}
		return cmpFloat(b.Loss, a.Loss)
	})
	if best != (classify.Validation{r.Epochs, r.CVAccuracy, r.CVLoss}) {
		t.Errorf("the best of %+v is not %+v", r.Curve, r)
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestTuneFindsTheBest(t *testing.T) {
	r := classify.Ranges{Dims: []int{4, 5, 8}, Reverse: []bool{false, true},
		LearningRate: [2]float64{1e-4, 1e-1}, Dropout: [2]float64{0, 0.5}}
	s := quick(classify.BLM)
	s.Epochs = 10
	run := func() []classify.Tuned {
		all, err := classify.Tune(t.Context(), enginetest.KindsGraph(24), s,
			member(classify.BLM, "1,0;0,2"), r, 6, 1, classify.Options{Engine: cpu.New(0)})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := run()
	if len(all) != 6 {
		t.Fatalf("%d of 6 settings", len(all))
	}
	for i, tuned := range all {
		m := tuned.Result.Member
		if m.LearningRate < 1e-4 || m.LearningRate > 1e-1 || m.Dropout < 0 || m.Dropout > 0.5 ||
			m.L2 != 0 || tuned.Settings.Dim%2 != 0 {
			t.Errorf("out of the ranges: %+v", tuned)
		}
		if i > 0 && tuned.Result.CVAccuracy > all[i-1].Result.CVAccuracy {
			t.Errorf("%v comes after %v", tuned.Result.CVAccuracy, all[i-1].Result.CVAccuracy)
		}
		if again := train(t, enginetest.KindsGraph(24), tuned.Settings,
			m)[0]; again.CVAccuracy != tuned.Result.CVAccuracy {
			t.Errorf("setting %d comes to %v by itself and to %v in tuning", i, again.CVAccuracy,
				tuned.Result.CVAccuracy)
		}
	}
	if diff := cmp.Diff(all, run(), sameResults); diff != "" {
		t.Errorf("the same seed gives something else: %s", diff)
	}
}

// TestAIFB checks on real data that an encoder learns more than the class frequencies. The largest
// class has 60 of the 140 training nodes.
func TestAIFB(t *testing.T) {
	realdata.Folder(t, "aifb")
	g, err := rdf.Open("aifb", rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := classify.Defaults(classify.BLM)
	s.Dim, s.Layers, s.Epochs, s.Folds, s.Runs, s.SelfLoops = 8, 1, 60, 2, 1, false
	m := member(classify.BLM, "1,0;0,2")
	r := train(t, g, s, m)[0]
	if mean, _ := r.TestAccuracy(); r.CVAccuracy < 0.7 || mean < 0.7 {
		t.Errorf("%v of the nodes held out and %v of those to test with are right", r.CVAccuracy, mean)
	}
}

// TestRepeats checks that two repeats give the mean of the single ones.
func TestRepeats(t *testing.T) {
	g := enginetest.KindsGraph(48)
	s := quick(classify.BLM)
	s.Epochs, s.ValidateEvery, s.Runs, s.Repeats = 4, 4, 0, 2
	m := member(classify.BLM, "1,0;0,2")
	m.LearningRate = 0.01
	both := train(t, g, s, m)[0]
	s.Repeats = 1
	first := train(t, g, s, m)[0]
	s.DataSeed++
	m.Seed += uint64(s.Folds) // as the second division's models have in both
	second := train(t, g, s, m)[0]
	if want := (first.CVAccuracy + second.CVAccuracy) / 2; math.Abs(both.CVAccuracy-want) > 1e-12 {
		t.Errorf("two divisions have the accuracy %v, and by themselves %v and %v", both.CVAccuracy,
			first.CVAccuracy, second.CVAccuracy)
	}
	if want := (first.CVLoss + second.CVLoss) / 2; math.Abs(both.CVLoss-want) > 1e-9 {
		t.Errorf("two divisions have the loss %v, and by themselves %v and %v", both.CVLoss, first.CVLoss,
			second.CVLoss)
	}
}
