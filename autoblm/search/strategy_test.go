package search_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/linear"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// pretend gives a structure a made-up MRR between 0 and 1, the same for all of its class.
func pretend(a structure.Structure) *float64 {
	h := fnv.New64()
	fmt.Fprint(h, a.Canonical(structure.Full))
	score := float64(h.Sum64()%1000) / 1000
	return &score
}

// play runs a strategy with pretended training, every seventh trial failing,
// and returns the trials and why it ended.
func play(t *testing.T, strategy search.Strategy, s search.Settings) ([]task.Trial, string) {
	t.Helper()
	return playWith(t, strategy, s, func(number int, a structure.Structure) *float64 {
		if number%7 == 0 {
			return nil
		}
		return pretend(a)
	})
}

// playWith pretends that training gives the score, or fails where that is nil.
func playWith(t *testing.T, strategy search.Strategy, s search.Settings, evaluate func(number int, a structure.Structure) *float64) ([]task.Trial, string) {
	t.Helper()
	var history []task.Trial
	for round := 1; len(history) < s.Budget; round++ {
		propose := func() search.Proposal {
			rng := rand.New(rand.NewPCG(s.Seed, uint64(round)))
			p, err := strategy.Propose(s, round, slices.Clone(history), s.Budget-len(history), rng)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		before := slices.Clone(history)
		p := propose()
		if again := propose(); !reflect.DeepEqual(p, again) {
			t.Fatalf("round %d: two proposals from one history and seed differ: %v and %v", round, p.Structures, again.Structures)
		}
		if !reflect.DeepEqual(before, history) {
			t.Fatalf("round %d: the strategy changed the history", round)
		}
		if len(p.Structures) == 0 {
			if p.Why == "" {
				t.Fatalf("round %d: no structures, and no reason why", round)
			}
			return history, p.Why
		}
		if most := min(s.Budget-len(history), max(s.P, s.I)); len(p.Structures) > most {
			t.Fatalf("round %d: %d structures, at most %d were wanted", round, len(p.Structures), most)
		}
		if p.Guesses != nil && len(p.Guesses) != len(p.Structures) {
			t.Fatalf("round %d: %d guesses for %d structures", round, len(p.Guesses), len(p.Structures))
		}
		for _, a := range p.Structures {
			trial := task.Trial{Number: len(history) + 1, Round: round, Structure: a, State: task.Complete, Score: evaluate(len(history)+1, a)}
			if trial.Score == nil {
				trial.State = task.Failed
			}
			history = append(history, trial)
		}
	}
	return history, ""
}

func settings(k, budget int) search.Settings {
	s := search.Paper()
	s.K, s.Budget, s.N, s.P, s.I = k, budget, 24, 4, 5
	s.Predictor.Steps = 5
	return s
}

// TestStrategies is the conformance test: every strategy passes it.
func TestStrategies(t *testing.T) {
	for _, strategy := range search.Strategies() {
		for k := 2; k <= 6; k++ {
			for _, filter := range []search.Filter{search.Exact, search.PaperFilter, search.NoFilter, search.LinearFilter} {
				if filter == search.LinearFilter && k > 4 {
					continue // too slow for a test
				}
				t.Run(fmt.Sprintf("%s/k=%d/%v", strategy.Name(), k, filter), func(t *testing.T) {
					s := settings(k, 40)
					if filter == search.LinearFilter || strategy == search.Strategy(search.Reinforce{}) {
						s.Budget = 14 // the one is slow; every round of the other costs all earlier ones again
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
						case search.Exact:
							class = a.Canonical(structure.Full)
							if a.Degenerate() {
								t.Errorf("%s is degenerate", a)
							}
						case search.LinearFilter:
							class = linear.Of(a)
							if a.Degenerate() {
								t.Errorf("%s is degenerate", a)
							}
						case search.PaperFilter:
							class = a.Canonical(structure.Paper)
							if a.DegeneratePaper() {
								t.Errorf("%s is degenerate by the paper's test", a)
							}
						}
						if classes[class] && filter != search.NoFilter {
							t.Errorf("%s was trained before, in this or an equivalent form", a)
						}
						classes[class] = true
					}
				})
			}
		}
	}
}

// ofThePaper are the strategies with a predictor, which begin with b0 nonzeros.
var ofThePaper = []search.Strategy{search.Evolutionary{}, search.Progressive{}}

func TestStrategiesWithoutPredictor(t *testing.T) {
	oneHot := predictor.DefaultSettings()
	oneHot.Features, oneHot.Steps = predictor.OneHot, 5
	for _, strategy := range ofThePaper {
		for name, fit := range map[string]*predictor.Settings{"none": nil, "one-hot": &oneHot} {
			s := settings(4, 24)
			s.Predictor = fit
			if history, why := play(t, strategy, s); len(history) != s.Budget {
				t.Errorf("%s, predictor %s: %d of %d structures: %s", strategy.Name(), name, len(history), s.Budget, why)
			}
		}
	}
}

// TestAllClassesOfTwoChunks: there are 20 that are not degenerate.
func TestAllClassesOfTwoChunks(t *testing.T) {
	for _, strategy := range search.Strategies() {
		if (strategy == search.Progressive{}) {
			continue // extends the best only
		}
		history, why := play(t, strategy, settings(2, 100))
		if len(history) != 20 || why == "" {
			t.Errorf("%s: %d structures, ended by %q; want all 20 classes and a reason", strategy.Name(), len(history), why)
		}
	}
}

// TestAllLinearClassesOfTwoChunks: of the 20 classes linear maps leave 12, as
// package linear counts them.
func TestAllLinearClassesOfTwoChunks(t *testing.T) {
	s := settings(2, 100)
	s.Filter = search.LinearFilter
	history, why := play(t, search.Evolutionary{}, s)
	if len(history) != 12 || why == "" {
		t.Errorf("%d structures, ended by %q; want all 12 classes and a reason", len(history), why)
	}
}

// TestFirstRoundOfFourChunks: with four nonzeros only five classes are not degenerate.
func TestFirstRoundOfFourChunks(t *testing.T) {
	for _, strategy := range ofThePaper {
		s := search.Paper()
		p, err := strategy.Propose(s, 1, nil, s.Budget, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Structures) != 5 {
			t.Errorf("%s begins with %d structures, want the 5 classes", strategy.Name(), len(p.Structures))
		}
		for _, a := range p.Structures {
			if a.Nonzeros() != 4 {
				t.Errorf("%s begins with %s, which has not 4 nonzeros", strategy.Name(), a)
			}
		}
	}
}

func TestProgressiveAddsOneBlockToTheBest(t *testing.T) {
	s := settings(3, 100)
	history, why := play(t, search.Progressive{}, s)
	if why == "" {
		t.Error("AutoBLM has at most K²-b0+1 rounds, but used up the budget")
	}
	byRound := map[int][]task.Trial{}
	for _, trial := range history {
		byRound[trial.Round] = append(byRound[trial.Round], trial)
	}
	for round := 2; round <= len(byRound); round++ {
		parents := slices.DeleteFunc(slices.Clone(byRound[round-1]), func(t task.Trial) bool { return t.State != task.Complete })
		slices.SortStableFunc(parents, func(a, b task.Trial) int { return int(1000*b.ScoreOrZero()) - int(1000*a.ScoreOrZero()) })
		parents = parents[:min(s.I, len(parents))]
		for _, trial := range byRound[round] {
			if !slices.ContainsFunc(parents, func(p task.Trial) bool { return extends(trial.Structure, p.Structure) }) {
				t.Errorf("round %d: %s adds one block to none of the best of the round before", round, trial.Structure)
			}
		}
	}
}

// extends tells whether a is b with one more nonzero.
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
	for _, want := range search.Strategies() {
		if got, err := search.ByName(want.Name()); err != nil || got != want {
			t.Errorf("ByName(%q) = %v, %v", want.Name(), got, err)
		}
	}
	if _, err := search.ByName("annealing"); err == nil {
		t.Error("an unknown algorithm gave no error")
	}
}

// BenchmarkPropose is the last proposal of a search of 64 structures, for those
// strategies that can go on from random ones.
func BenchmarkPropose(b *testing.B) {
	s := search.Paper()
	rng := rand.New(rand.NewPCG(1, 1))
	drawn, err := search.Random{}.Propose(search.Settings{K: 4, P: 56}, 1, nil, 56, rng)
	if err != nil {
		b.Fatal(err)
	}
	var history []task.Trial
	for i, a := range drawn.Structures {
		history = append(history, task.Trial{Number: i + 1, Round: i/8 + 1, Structure: a, State: task.Complete, Score: pretend(a)})
	}
	for _, strategy := range []search.Strategy{search.Evolutionary{}, search.Random{}, search.TPE{}, search.Reinforce{}} {
		b.Run(strategy.Name(), func(b *testing.B) {
			for b.Loop() {
				if _, err := strategy.Propose(s, 8, history, 8, rng); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
