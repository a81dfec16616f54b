package strategy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

func TestMutationChangesEntriesAtItsRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parent := structure.MustParse("complex")
	const rounds = 4000
	for _, rate := range []float64{0.1, 0.5} {
		changed := 0
		values := map[int]int{}
		for range rounds {
			child := mutate(parent, rate, rng)
			for cell := range 16 {
				if from, to := parent.At(cell/4, cell%4), child.At(cell/4, cell%4); from != to {
					changed++
					if from == 0 {
						values[to]++
					}
				}
			}
		}
		if got := float64(changed) / (16 * rounds); math.Abs(got-rate) > 0.02 {
			t.Errorf("rate %v: a share of %v of the entries changed", rate, got)
		}
		if len(values) != 8 || values[0] > 0 {
			t.Errorf("rate %v: a 0 became %v, want each of the 8 other values", rate, values)
		}
		for value, n := range values {
			if expected := rate * 8 * rounds / 8; math.Abs(float64(n)-expected) > 0.2*expected {
				t.Errorf("rate %v: a 0 became %d %d times, want about %.0f", rate, value, n,
					expected)
			}
		}
	}
}

func TestCrossoverTakesHalfFromEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, b := structure.Zero(4), structure.Zero(4)
	for cell := range 16 {
		a, b = a.With(cell/4, cell%4, 1), b.With(cell/4, cell%4, -2)
	}
	fromA := 0
	const rounds = 1000
	for range rounds {
		child := crossover(a, b, rng)
		for cell := range 16 {
			switch child.At(cell/4, cell%4) {
			case 1:
				fromA++
			case -2:
			default:
				t.Fatalf("%s has an entry of neither parent", child)
			}
		}
	}
	if share := float64(fromA) / (16 * rounds); math.Abs(share-0.5) > 0.02 {
		t.Errorf("a share of %v came from the first parent, want a half", share)
	}
}

// ranked returns trials with descending MRR.
func ranked(structures []structure.Structure) []task.Trial {
	var trials []task.Trial
	for i, a := range structures {
		mrr := 1 / float64(i+2)
		trials = append(trials,
			task.Trial{Number: i + 1, Round: 1, Structure: a, State: task.Complete, Score: &mrr})
	}
	return trials
}

// TestEvolutionUsesTheBestOnly: the best structures have nonzeros only in the first two rows, the
// others only in the last two. With rare mutations, no child has more than a mutation below.
func TestEvolutionUsesTheBestOnly(t *testing.T) {
	s := paperOptions()
	s.Parents, s.Filter, s.MutationRate, s.Predictor = 3, NoFilter, 0.01, nil
	upper := []structure.Structure{
		structure.MustParse("1,2,3,4;1,2,3,4;0,0,0,0;0,0,0,0"),
		structure.MustParse("4,3,2,1;1,2,3,4;0,0,0,0;0,0,0,0"),
		structure.MustParse("1,2,3,4;4,3,2,1;0,0,0,0;0,0,0,0"),
	}
	lower := structure.MustParse("0,0,0,0;0,0,0,0;1,2,3,4;-1,-2,-3,-4")
	history := ranked(append(slices.Clone(upper), lower))
	p, err := Evolutionary{}.Propose(s, 2, history, 8, rand.New(rand.NewPCG(3, 3)))
	if err != nil || len(p.Structures) != 8 {
		t.Fatalf("%d structures, %v", len(p.Structures), err)
	}
	for _, child := range p.Structures {
		below := 0
		for cell := 8; cell < 16; cell++ {
			if child.At(cell/4, cell%4) != 0 {
				below++
			}
		}
		if below > 2 {
			t.Errorf("%s took after a structure that is not among the best %d", child, s.Parents)
		}
	}
}

func TestProgressiveExtendsAllParents(t *testing.T) {
	s := paperOptions()
	s.Parents, s.Predictor, s.RoundSize, s.Candidates = 4, nil, 40, 40
	first, err := Progressive{}.Propose(s, 1, nil, 40, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	history := ranked(first.Structures)
	p, err := Progressive{}.Propose(s, 2, history, 40, rand.New(rand.NewPCG(2, 2)))
	if err != nil {
		t.Fatal(err)
	}
	children := make([]int, len(history))
	for _, child := range p.Structures {
		for i, parent := range history {
			differ := 0
			for cell := range 16 {
				if child.At(cell/4, cell%4) != parent.Structure.At(cell/4, cell%4) {
					differ++
				}
			}
			if differ == 1 {
				children[i]++
			}
		}
	}
	for i, n := range children {
		if (n > 0) != (i < s.Parents) {
			t.Errorf("structure %d of the round before has %d children, with I = %d", i+1, n,
				s.Parents)
		}
	}
}

// TestPickTakesTheHighestPredictions: the MRR of the history and the predictions rise with the number
// of nonzeros on the diagonal.
func TestPickTakesTheHighestPredictions(t *testing.T) {
	s := paperOptions()
	fit := surrogate.DefaultSettings()
	fit.Features = surrogate.OneHot
	s.Predictor, s.RoundSize = &fit, 4
	diagonal := func(n int) structure.Structure {
		a := structure.MustParse("0,1,0,0;0,0,2,0;0,0,0,3;4,0,0,0")
		for i := range n {
			a = a.With(i, i, 1)
		}
		return a
	}
	var history []task.Trial
	var candidates []pair
	for range 5 {
		for n := range 5 {
			mrr := 0.1 * float64(n)
			history = append(history,
				task.Trial{Structure: diagonal(n), State: task.Complete, Score: &mrr})
		}
	}
	for n := range 5 {
		candidates = append(candidates, pair{structure: diagonal(n)})
	}
	p, err := pick(s, history, candidates, 3, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := []structure.Structure{diagonal(4), diagonal(3), diagonal(2)}
	if !slices.Equal(p.Structures, want) {
		t.Errorf("picked %v, want %v", p.Structures, want)
	}
	if !slices.IsSortedFunc(p.Predictions, func(a, b float64) int { return int(1e6 * (b - a)) }) ||
		p.Predictions[0]-p.Predictions[2] < 0.1 {
		t.Errorf("predictions %v for 0.4, 0.3 and 0.2", p.Predictions)
	}
	s.Predictor = nil
	if p, err = pick(s, history, candidates, 3,
		rand.New(rand.NewPCG(1, 1))); err != nil || !slices.Equal(p.Structures, []structure.Structure{diagonal(0), diagonal(1), diagonal(2)}) ||
		p.Predictions != nil {
		t.Errorf("without a predictor: %v, %v, %v", p.Structures, p.Predictions, err)
	}
}

func TestCollectStopsAtItsLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() pair { return pair{structure: randomStructure(4, 7, rng)} }
	if got := collect(17, newSieve(Options{}, nil), draw); len(got) != 17 {
		t.Errorf("%d candidates, want 17", len(got))
	}
}

// paperOptions returns the options of the paper's search (Section V-A).
func paperOptions() Options {
	fit := surrogate.DefaultSettings()
	return Options{K: 4, Candidates: 128, RoundSize: 8, Parents: 8, Predictor: &fit, Seed: 1}
}

func TestPaperOptions(t *testing.T) {
	o := paperOptions()
	if o.firstNonzeros() != 4 || o.mutationProbability() != 2.0/16 {
		t.Errorf("%d nonzeros, mutation rate %v", o.firstNonzeros(), o.mutationProbability())
	}
	if err := o.Check(); err != nil {
		t.Error(err)
	}
}
