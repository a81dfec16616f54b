package strategy

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// pretend returns an artificial MRR between 0 and 1, which is equal within a class.
func pretend(a structure.Structure) *float64 {
	h := fnv.New64()
	fmt.Fprint(h, a.Canonical(structure.Full))
	score := float64(h.Sum64()%1000) / 1000
	return &score
}

// play runs a strategy with artificial scores and returns the trials and the reason for the end. Every
// seventh trial fails.
func play(t *testing.T, strategy Strategy, s budgeted) ([]task.Trial, string) {
	t.Helper()
	return playWith(t, strategy, s, func(number int, a structure.Structure) *float64 {
		if number%7 == 0 {
			return nil
		}
		return pretend(a)
	})
}

// playWith runs a strategy with given scores; nil means a failed trial.
func playWith(
	t *testing.T,
	strategy Strategy,
	s budgeted,
	evaluate func(number int, a structure.Structure) *float64,
) ([]task.Trial, string) {
	t.Helper()
	var history []task.Trial
	for round := 1; len(history) < s.Budget; round++ {
		propose := func() Proposal {
			rng := rand.New(rand.NewPCG(s.Seed, uint64(round)))
			p, err := strategy.Propose(s.Options, round, slices.Clone(history),
				s.Budget-len(history), rng)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		before := slices.Clone(history)
		p := propose()
		if again := propose(); !reflect.DeepEqual(p, again) {
			t.Fatalf("round %d: two proposals from one history and seed differ: %v and %v", round,
				p.Structures, again.Structures)
		}
		if !reflect.DeepEqual(before, history) {
			t.Fatalf("round %d: the strategy changed the history", round)
		}
		if len(p.Structures) == 0 {
			if p.Reason == "" {
				t.Fatalf("round %d: no structures, and no reason why", round)
			}
			return history, p.Reason
		}
		if most := min(s.Budget-len(history), max(s.RoundSize, s.Parents)); len(p.Structures) > most {
			t.Fatalf("round %d: %d structures, at most %d were wanted", round, len(p.Structures),
				most)
		}
		if p.Predictions != nil && len(p.Predictions) != len(p.Structures) {
			t.Fatalf("round %d: %d predictions for %d structures", round, len(p.Predictions),
				len(p.Structures))
		}
		for _, a := range p.Structures {
			trial := task.Trial{
				Number:    len(history) + 1,
				Round:     round,
				Structure: a,
				State:     task.Complete,
				Score:     evaluate(len(history)+1, a),
			}
			if trial.Score == nil {
				trial.State = task.Diverged
			}
			history = append(history, trial)
		}
	}
	return history, ""
}

// budgeted has options and the number of structures to propose.
type budgeted struct {
	Options
	Budget int
}

func settings(k, budget int) budgeted {
	s := budgeted{Options: paperOptions()}
	s.K, s.Budget, s.Candidates, s.RoundSize, s.Parents = k, budget, 24, 4, 5
	s.Predictor.Steps = 5
	return s
}

// TestStrategies is the conformance test: every strategy passes it.
func TestStrategies(t *testing.T) {
	for _, strategy := range All() {
		for k := 2; k <= 6; k++ {
			for _, filter := range []Filter{Exact, PaperFilter, NoFilter} {
				t.Run(fmt.Sprintf("%s/k=%d/%v", strategy.Name(), k, filter), func(t *testing.T) {
					s := settings(k, 40)
					if strategy == Strategy(Reinforce{}) {
						s.Budget = 14 // every round replays all earlier ones
					}
					s.Filter = filter
					history, why := play(t, strategy, s)
					if len(history) == 0 {
						t.Fatalf("nothing was proposed: %s", why)
					}
					classes := map[any]bool{}
					for _, trial := range history {
						a := trial.Structure
						if a.K() != k {
							t.Fatalf("%s has K=%d", a, a.K())
						}
						var class any = a
						switch filter {
						case Exact:
							class = a.Canonical(structure.Full)
							if a.Degenerate() {
								t.Errorf("%s is degenerate", a)
							}
						case PaperFilter:
							class = a.Canonical(structure.Paper)
							if a.DegeneratePaper() {
								t.Errorf("%s is degenerate by the paper's test", a)
							}
						}
						if classes[class] && filter != NoFilter {
							t.Errorf("%s was trained before, in this or an equivalent form", a)
						}
						classes[class] = true
					}
				})
			}
		}
	}
}

// ofThePaper has the strategies with a predictor, which begin with the initial nonzeros.
var ofThePaper = []Strategy{Evolutionary{}, Progressive{}}

func TestStrategiesWithoutPredictor(t *testing.T) {
	oneHot := surrogate.DefaultSettings()
	oneHot.Features, oneHot.Steps = surrogate.OneHot, 5
	for _, strategy := range ofThePaper {
		for name, fit := range map[string]*surrogate.Settings{"none": nil, "one-hot": &oneHot} {
			s := settings(4, 24)
			s.Predictor = fit
			if history, why := play(t, strategy, s); len(history) != s.Budget {
				t.Errorf("%s, predictor %s: %d of %d structures: %s", strategy.Name(), name,
					len(history), s.Budget, why)
			}
		}
	}
}

// TestAllClassesOfTwoChunks: 20 classes are not degenerate.
func TestAllClassesOfTwoChunks(t *testing.T) {
	for _, strategy := range All() {
		if (strategy == Progressive{}) {
			continue // extends the best only
		}
		history, why := play(t, strategy, settings(2, 100))
		if len(history) != 20 || why == "" {
			t.Errorf("%s: %d structures, ended by %q; want all 20 classes and a reason",
				strategy.Name(), len(history), why)
		}
	}
}

// TestFirstRoundOfFourChunks: with four nonzeros, five classes are not degenerate.
func TestFirstRoundOfFourChunks(t *testing.T) {
	for _, strategy := range ofThePaper {
		s := paperOptions()
		p, err := strategy.Propose(s, 1, nil, 256, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Structures) != 5 {
			t.Errorf("%s begins with %d structures, want the 5 classes", strategy.Name(),
				len(p.Structures))
		}
		for _, a := range p.Structures {
			if a.Nonzeros() != 4 {
				t.Errorf("%s begins with %s, which has not 4 nonzeros", strategy.Name(), a)
			}
		}
	}
}

// TestStrategiesWithBlocks: with blocks of two of four chunks, a strategy trains equivalent structures
// whose blocks differ, and none whose blocks agree. Its first round has all of them.
func TestStrategiesWithBlocks(t *testing.T) {
	for _, strategy := range All() {
		s := settings(4, 60)
		if strategy == Strategy(Reinforce{}) {
			s.Budget = 14
		}
		s.Block = 2
		history, _ := play(t, strategy, s)
		seen, classes := map[structure.Structure]bool{}, map[structure.Structure]bool{}
		for _, trial := range history {
			form := trial.Structure.CanonicalInBlocks(structure.Full, 2)
			if seen[form] {
				t.Errorf("%s: %s was trained before with the same blocks", strategy.Name(), trial.Structure)
			}
			seen[form], classes[trial.Canonical()] = true, true
		}
		if len(classes) == len(history) && slices.Contains(ofThePaper, strategy) {
			t.Errorf("%s: no two of %d structures are equivalent", strategy.Name(), len(history))
		}
	}
	inBlocks := map[structure.Structure]bool{}
	for a := range structure.Classes(4, 4, structure.Full) {
		if a.Degenerate() {
			continue
		}
		for _, layout := range a.Layouts(2, 100, rand.New(rand.NewPCG(1, 1))) {
			inBlocks[layout.CanonicalInBlocks(structure.Full, 2)] = true
		}
	}
	for _, strategy := range ofThePaper {
		o := paperOptions()
		o.Block, o.Parents = 2, 256
		p, err := strategy.Propose(o, 1, nil, 256, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Structures) != len(inBlocks) || len(inBlocks) <= 5 {
			t.Errorf("%s begins with %d structures, want %d", strategy.Name(), len(p.Structures), len(inBlocks))
		}
	}
}

func TestProgressiveAddsOneBlockToTheBest(t *testing.T) {
	s := settings(3, 100)
	history, why := play(t, Progressive{}, s)
	if why == "" {
		t.Error("AutoBLM has at most K²-b0+1 rounds, but used up the budget")
	}
	byRound := map[int][]task.Trial{}
	for _, trial := range history {
		byRound[trial.Round] = append(byRound[trial.Round], trial)
	}
	for round := 2; round <= len(byRound); round++ {
		parents := slices.DeleteFunc(slices.Clone(byRound[round-1]),
			func(t task.Trial) bool { return t.State != task.Complete })
		slices.SortStableFunc(
			parents,
			func(a, b task.Trial) int { return int(1000*b.ScoreOrZero()) - int(1000*a.ScoreOrZero()) },
		)
		parents = parents[:min(s.Parents, len(parents))]
		for _, trial := range byRound[round] {
			if !slices.ContainsFunc(parents,
				func(p task.Trial) bool { return extends(trial.Structure, p.Structure) }) {
				t.Errorf("round %d: %s adds one block to none of the best of the round before",
					round, trial.Structure)
			}
		}
	}
}

// extends returns true if a is b with one more nonzero.
func extends(a, b structure.Structure) bool {
	added := 0
	for i := range a.K() {
		for j := range a.K() {
			switch {
			case a.At(i, j) == b.At(i, j):
			case b.At(i, j) == 0:
				added++
			default:
				return false
			}
		}
	}
	return added == 1
}

func TestByName(t *testing.T) {
	for _, want := range All() {
		if got, err := ByName(want.Name()); err != nil || got != want {
			t.Errorf("ByName(%q) = %v, %v", want.Name(), got, err)
		}
	}
	if _, err := ByName("annealing"); err == nil {
		t.Error("an unknown algorithm gave no error")
	}
}

// TestRoundsNeedCandidates refuses rounds that are larger than their candidates, for the strategies
// that generate candidates.
func TestRoundsNeedCandidates(t *testing.T) {
	o := paperOptions()
	o.Candidates, o.RoundSize = 128, 256
	for _, s := range All() {
		name := s.Name()
		refuses := name == "autoblm" || name == "autoblm+"
		if err := o.CheckFor(s); (err != nil) != refuses {
			t.Errorf("%s: error %v", name, err)
		}
		equal := o
		equal.RoundSize = o.Candidates
		if err := equal.CheckFor(s); err != nil {
			t.Errorf("%s: as many candidates: %v", name, err)
		}
	}
}
