package classify

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

// TestFolds: every node is held out once, the parts and the shares of each class in
// them differ by one at the most, and a class of two is never held out whole.
func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &rdf.Graph{}
		for c, count := range rapid.SliceOfN(rapid.IntRange(2, 30), 1, 5).Draw(t, "classes") {
			g.Classes = append(g.Classes, fmt.Sprint(c))
			for range count {
				g.Train = append(g.Train, rdf.Label{Class: int32(c)})
			}
		}
		n := rapid.IntRange(2, 10).Draw(t, "n")
		parts := folds(g, n, rapid.Uint64().Draw(t, "seed"))
		if all := slices.Sorted(slices.Values(slices.Concat(parts...))); !slices.Equal(all, numbers(0, len(g.Train))) {
			t.Fatalf("%v are not all nodes once", parts)
		}
		spread := func(what string, count func(part []int) int) {
			var counts []int
			for _, p := range parts {
				counts = append(counts, count(p))
			}
			if slices.Max(counts)-slices.Min(counts) > 1 {
				t.Fatalf("%s in the parts: %v", what, counts)
			}
		}
		spread("nodes", func(p []int) int { return len(p) })
		for c := range g.Classes {
			of := func(p []int) (n int) {
				for _, i := range p {
					if int(g.Train[i].Class) == c {
						n++
					}
				}
				return n
			}
			spread("nodes of one class", of)
			for _, p := range parts {
				if of(p) == of(numbers(0, len(g.Train))) {
					t.Fatalf("class %d is held out whole in %v", c, p)
				}
			}
		}
	})
}

func TestTrainerRefuses(t *testing.T) {
	good := func() *rdf.Graph { return twoKinds(24) }
	for name, c := range map[string]struct {
		change func(g *rdf.Graph, s *Settings)
		want   string
	}{
		"one of a class": {func(g *rdf.Graph, s *Settings) {
			g.Classes = append(g.Classes, "rare")
			g.Train[0].Class = 2
		}, `class "rare" has 1 of the nodes to train with: cross-validation needs two of each`},
		"a class to test only": {func(g *rdf.Graph, s *Settings) {
			g.Classes = append(g.Classes, "new")
			g.Test[0].Class = 2
		}, `class "new" has 0 of the nodes to train with`},
		"too many folds":    {func(g *rdf.Graph, s *Settings) { s.Folds = 19 }, "18 nodes to train with: they cannot be divided into 19 folds"},
		"nothing to test":   {func(g *rdf.Graph, s *Settings) { g.Test = nil }, "no nodes to test with: set runs to 0"},
		"no dimension":      {func(g *rdf.Graph, s *Settings) { s.Dim = 0 }, "dim is 0: it must be from 1"},
		"no layers":         {func(g *rdf.Graph, s *Settings) { s.Layers = 0 }, "layers is 0"},
		"one fold":          {func(g *rdf.Graph, s *Settings) { s.Folds = 1 }, "folds is 1"},
		"unknown encoder":   {func(g *rdf.Graph, s *Settings) { s.Encoder = 99 }, "encoder(99) has no name: use blm, gcn"},
		"unknown norm":      {func(g *rdf.Graph, s *Settings) { s.Norm = 99 }, "norm(99) has no name"},
		"no common matrix":  {func(g *rdf.Graph, s *Settings) { s.Encoder, s.Parts = RGCN, 0 }, "parts is 0"},
		"blocks do not fit": {func(g *rdf.Graph, s *Settings) { s.Encoder, s.Parts = RGCNBlock, 3 }, "dim is 16: with 3 blocks it must be a multiple of 3"},
	} {
		g, s := good(), quick(BLM)
		c.change(g, &s)
		_, err := NewTrainer(g, s, Options{})
		wantError(t, name, err, c.want)
	}
	_, err := NewTrainer(good(), quick(BLM), Options{Backend: "gpu"})
	wantError(t, "unknown backend", err, "unknown backend")
}

func TestMembersAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *Member)
		want   string
	}{
		"no structure":     {func(m *Member) { m.Structure = Member{}.Structure }, "the encoder blm needs a structure"},
		"another K":        {func(m *Member) { *m = member(BLM, "1") }, "structures of 2 and of 1 chunks cannot train together"},
		"no learning rate": {func(m *Member) { m.LearningRate = 0 }, "learning-rate is 0"},
		"all dropped":      {func(m *Member) { m.Dropout = 1 }, "dropout is 1"},
		"negative weight":  {func(m *Member) { m.L2 = -1 }, "l2 is -1"},
	} {
		m := member(BLM, "1,0;0,2")
		c.change(&m)
		_, err := trainOnce(t.Context(), twoKinds(24), quick(BLM), Options{}, []Member{member(BLM, "1,0;0,2"), m})
		wantError(t, name, err, c.want)
	}
	_, err := trainOnce(t.Context(), twoKinds(24), quick(BLM), Options{}, nil)
	wantError(t, "nobody", err, "no member")
	_, err = trainOnce(t.Context(), twoKinds(24), quick(BLM), Options{}, []Member{member(BLM, "1,2,3;2,1,3;3,2,1")})
	wantError(t, "chunks that do not fit", err, "dim is 16: with 3 chunks it must be a multiple of 3")
}

func TestTuneRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Ranges, trials *int)
		want   string
	}{
		"bad dim":     {func(r *Ranges, _ *int) { r.Dims = []int{3} }, "dim is 3: with 2 chunks it must be a multiple of 2"},
		"bad rates":   {func(r *Ranges, _ *int) { r.LearningRate[0] = 0 }, "learning rates are from 0"},
		"bad dropout": {func(r *Ranges, _ *int) { r.Dropout[1] = 1 }, "dropouts are from 0 to 1"},
		"bad weights": {func(r *Ranges, _ *int) { r.L2 = [2]float64{0, 1} }, "weights l2 are from 0 to 1"},
		"no trials":   {func(_ *Ranges, trials *int) { *trials = 0 }, "trials is 0"},
	} {
		r, trials := PaperRanges(), 2
		c.change(&r, &trials)
		_, err := Tune(t.Context(), twoKinds(24), quick(BLM), member(BLM, "1,0;0,2"), r, trials, 1, Options{})
		wantError(t, name, err, c.want)
	}
}

func wantError(t *testing.T, what string, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error is %q; it should be one line with %q in it", what, err, part)
	}
}

// TestNames: every encoder and norm reads back what it writes.
func TestNames(t *testing.T) {
	for _, e := range Encoders() {
		text, err := e.MarshalText()
		var again Encoder
		if err != nil || again.UnmarshalText(text) != nil || again != e || e.String() != string(text) {
			t.Errorf("%v is written %q and read as %v, %v", e, text, again, err)
		}
	}
	for n := range Symmetric + 1 {
		text, err := n.MarshalText()
		var again Norm
		if err != nil || again.UnmarshalText(text) != nil || again != n || n.String() != string(text) {
			t.Errorf("%v is written %q and read as %v, %v", n, text, again, err)
		}
	}
}

// TestAIFB: on real data an encoder learns more than how large the classes are. The
// largest has 60 of the 140 nodes to train with.
func TestAIFB(t *testing.T) {
	realdata.Folder(t, "aifb")
	g, err := rdf.Open("aifb", rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := Defaults(BLM)
	s.Dim, s.Layers, s.Epochs, s.Folds, s.Runs, s.SelfLoops = 8, 1, 60, 2, 1, false
	m := member(BLM, "1,0;0,2")
	r := train(t, g, s, m)[0]
	if mean, _ := r.TestAccuracy(); r.CVAccuracy < 0.7 || mean < 0.7 {
		t.Errorf("%v of the nodes held out and %v of those to test with are right", r.CVAccuracy, mean)
	}
}

// TestRepeats: every node is held out once in each division, divisions differ, and
// the first is the only one without repeats. What two divisions come to together is
// the mean of what each comes to by itself.
func TestRepeats(t *testing.T) {
	g := twoKinds(48)
	s := quick(BLM)
	s.Epochs, s.ValidateEvery, s.Runs, s.Repeats = 4, 4, 0, 3
	parts := divisions(g, s)
	if len(parts) != 3*s.Folds {
		t.Fatalf("%d parts", len(parts))
	}
	for i := range 3 {
		own := folds(g, s.Folds, s.DataSeed+uint64(i))
		for n, part := range parts[i*s.Folds:][:s.Folds] {
			if !slices.Equal(part, own[n]) {
				t.Errorf("part %d of division %d is %v, not %v", n, i, part, own[n])
			}
		}
		if i > 0 && slices.Equal(parts[i*s.Folds], parts[0]) {
			t.Errorf("divisions 0 and %d are the same", i)
		}
	}
	m := member(BLM, "1,0;0,2")
	m.LearningRate = 0.01
	s.Repeats = 2
	both := train(t, g, s, m)[0]
	s.Repeats = 1
	first := train(t, g, s, m)[0]
	s.DataSeed++
	m.Seed += uint64(s.Folds) // as the second division's models have in both
	second := train(t, g, s, m)[0]
	if want := (first.CVAccuracy + second.CVAccuracy) / 2; math.Abs(both.CVAccuracy-want) > 1e-12 {
		t.Errorf("two divisions have the accuracy %v, and by themselves %v and %v", both.CVAccuracy, first.CVAccuracy, second.CVAccuracy)
	}
	if want := (first.CVLoss + second.CVLoss) / 2; math.Abs(both.CVLoss-want) > 1e-9 {
		t.Errorf("two divisions have the loss %v, and by themselves %v and %v", both.CVLoss, first.CVLoss, second.CVLoss)
	}
}
