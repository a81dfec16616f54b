package classify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// twoKinds is a graph whose nodes all point at both of two hubs, and differ in
// which relation leads to which: their classes.
func twoKinds(nodes int) *rdf.Graph {
	g := &rdf.Graph{Name: "kinds", Nodes: []string{"<hub:0>", "<hub:1>"}, Relations: []string{"<r:0>", "<r:1>"}, Classes: []string{"a", "b"}}
	for i := range nodes {
		class := int32(i % 2)
		node := int32(len(g.Nodes))
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Triples = append(g.Triples, datasets.Triple{Head: node, Relation: class, Tail: 0}, datasets.Triple{Head: node, Relation: 1 - class, Tail: 1})
		label := rdf.Label{Node: node, Class: class}
		if i/2%4 < 3 {
			g.Train = append(g.Train, label)
		} else {
			g.Test = append(g.Test, label)
		}
	}
	return g
}

func train(t testing.TB, g *rdf.Graph, s Settings, members ...Member) []Result {
	t.Helper()
	results, err := trainOnce(t.Context(), g, s, Options{}, members)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func quick(e Encoder) Settings {
	s := Defaults(e)
	s.Dim, s.Parts, s.Layers, s.Epochs, s.Patience, s.Runs, s.SelfLoops = 16, 2, 1, 60, 0, 2, false
	return s
}

func member(e Encoder, text string) Member {
	m := Member{Seed: 3, LearningRate: 0.05}
	if e == BLM {
		m.Structure = structure.MustParse(text)
	}
	return m
}

// TestRelationsAreSeen: where only the relations tell the classes apart, every
// encoder that looks at them learns them without a mistake, and GCN cannot.
func TestRelationsAreSeen(t *testing.T) {
	g := twoKinds(48)
	for _, e := range Encoders() {
		r := train(t, g, quick(e), member(e, "1,0;0,2"))[0]
		mean, _ := r.TestAccuracy()
		switch {
		case r.Err != nil:
			t.Errorf("%v: %v", e, r.Err)
		case e == CompGCNSub: // e_0 - r_0 + e_1 - r_1 is the same for both classes
			if mean > 0.8 {
				t.Errorf("%v: %v of the nodes to test with are right; the sums are the same", e, mean)
			}
		case e == GCN && (mean > 0.8 || r.CVAccuracy > 0.8):
			t.Errorf("gcn: %v of the nodes held out and %v of those to test with are right, but nothing tells them apart", r.CVAccuracy, mean)
		case e != GCN && (mean < 1 || r.CVAccuracy < 1):
			t.Errorf("%v: %v of the nodes held out and %v of those to test with are right", e, r.CVAccuracy, mean)
		}
		if len(r.TestAccuracies) != 2 {
			t.Errorf("%v was tested %d times", e, len(r.TestAccuracies))
		}
	}
}

var sameResults = cmp.Options{cmpopts.EquateErrors(), cmpopts.EquateComparable(structure.Structure{})}

// TestMembersDoNotMatterToEachOther: a member gives the same bits alone, among
// others, and in another place among them.
func TestMembersDoNotMatterToEachOther(t *testing.T) {
	g := smallGraph(rand.New(rand.NewPCG(5, 6)), 30, 4, 150)
	s := Defaults(BLM)
	s.Dim, s.Epochs, s.Folds, s.Runs, s.ValidateEvery = 4, 12, 3, 2, 1
	var members []Member
	for i, text := range []string{"1,0;0,2", "1,-2;2,1", "0,1;2,0"} {
		members = append(members, Member{Structure: structure.MustParse(text), Seed: uint64(i), LearningRate: 0.01 * float64(i+1), Dropout: 0.2 * float64(i), L2: 0.01})
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

// TestPacks: runs side by side in one program are those of programs of their own,
// within rounding.
func TestPacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, e := range Encoders() {
		g := smallGraph(rng, 30, 4, 150)
		s := Defaults(e)
		s.Dim = 4
		trainer, err := NewTrainer(g, s, Options{Backend: "go"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(trainer.Close)
		var runs []run
		for i := range 3 {
			m := member(e, []string{"1,0;0,2", "1,-2;2,1", "0,1;2,0"}[i])
			m.LearningRate, m.L2, m.Dropout = 0.01*float64(i+1), 0.01*float64(i), 0.1
			runs = append(runs, run{member: m, seed: uint64(i), learn: numbers(i, 9), ask: numbers(9, 12)})
		}
		all := trainer.newPack(runs)
		var alone []*pack
		for i := range runs {
			alone = append(alone, trainer.newPack(runs[i:i+1]))
		}
		for range 3 {
			for _, p := range append(alone, all) {
				if err := p.step(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for n, about := range trainer.model.parameters {
			stacked := flat(t, all.state[n])
			for i, p := range alone {
				part := stacked[i*about.size():][:about.size()]
				if diff := cmp.Diff(flat(t, p.state[n]), part, cmpopts.EquateApprox(1e-3, 1e-4)); diff != "" {
					t.Errorf("%v, %v, run %d: %s", e, about, i, diff)
				}
			}
		}
		for _, p := range append(alone, all) {
			p.close()
		}
	}
}

func flat(t *testing.T, x *tensors.Tensor) []float32 {
	t.Helper()
	values, err := tensors.CopyFlatData[float32](x)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func TestDivergenceIsTheMembersOwn(t *testing.T) {
	g := twoKinds(24)
	good, bad := member(BLM, "1,0;0,2"), member(BLM, "1,0;0,2")
	bad.LearningRate = 1e30
	results := train(t, g, quick(BLM), bad, good)
	if !errors.Is(results[0].Err, ErrDiverged) || strings.Contains(results[0].Err.Error(), "\n") || results[0].TestAccuracies != nil {
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
	_, err := trainOnce(ctx, twoKinds(24), quick(BLM), Options{OnProgress: func(done, total int) {
		if calls++; calls == 3 {
			stop()
		}
		if done > total/2 {
			t.Errorf("%d of %d epochs are done long after the end", done, total)
		}
	}}, []Member{member(BLM, "1,0;0,2")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted training ends with %v", err)
	}
}

func TestProgressComesToTheEnd(t *testing.T) {
	s := quick(BLM)
	s.Patience = 2
	bad := member(BLM, "1,0;0,2")
	bad.LearningRate = 1e30
	last, whole := 0, 0
	_, err := trainOnce(t.Context(), twoKinds(24), s, Options{OnProgress: func(done, total int) {
		if done < last || whole != 0 && total != whole {
			t.Errorf("%d of %d epochs after %d of %d", done, total, last, whole)
		}
		last, whole = done, total
	}}, []Member{member(BLM, "1,0;0,2"), bad})
	if err != nil || last != whole {
		t.Errorf("%d of %d epochs at the end, %v", last, whole, err)
	}
}

// TestPatience: cross-validation ends so many validations after the best one.
func TestPatience(t *testing.T) {
	s := quick(BLM)
	s.Patience, s.ValidateEvery = 3, 2
	r := train(t, twoKinds(48), s, member(BLM, "1,0;0,2"))[0]
	if last := r.Curve[len(r.Curve)-1].Epoch; last != min(r.Epochs+6, s.Epochs) {
		t.Errorf("the best of the validations %+v is after epoch %d, with a patience of 3", r.Curve, r.Epochs)
	}
	best := slices.MaxFunc(r.Curve, func(a, b Validation) int {
		if a.Accuracy != b.Accuracy {
			return cmpFloat(a.Accuracy, b.Accuracy)
		}
		return cmpFloat(b.Loss, a.Loss)
	})
	if best != (Validation{r.Epochs, r.CVAccuracy, r.CVLoss}) {
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
	r := PaperRanges()
	r.Dims, r.LearningRate, r.Reverse = []int{4, 5, 8}, [2]float64{1e-4, 1e-1}, []bool{false, true}
	s := quick(BLM)
	s.Epochs = 10
	run := func() []Tuned {
		all, err := Tune(t.Context(), twoKinds(24), s, member(BLM, "1,0;0,2"), r, 6, 1, Options{})
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
		if m.LearningRate < 1e-4 || m.LearningRate > 1e-1 || m.Dropout < 0 || m.Dropout > 0.5 || m.L2 != 0 || tuned.Settings.Dim%2 != 0 {
			t.Errorf("out of the ranges: %+v", tuned)
		}
		if i > 0 && tuned.Result.CVAccuracy > all[i-1].Result.CVAccuracy {
			t.Errorf("%v comes after %v", tuned.Result.CVAccuracy, all[i-1].Result.CVAccuracy)
		}
		if again := train(t, twoKinds(24), tuned.Settings, m)[0]; again.CVAccuracy != tuned.Result.CVAccuracy {
			t.Errorf("setting %d comes to %v by itself and to %v in tuning", i, again.CVAccuracy, tuned.Result.CVAccuracy)
		}
	}
	if diff := cmp.Diff(all, run(), sameResults); diff != "" {
		t.Errorf("the same seed gives something else: %s", diff)
	}
}
