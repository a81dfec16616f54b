package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// symmetry is a task without training: the more symmetric a structure is, the higher its score.
type symmetry struct{ task.Base }

func (symmetry) Identity() (task.Identity, error) { return task.Identity{Task: "symmetry"}, nil }
func (symmetry) Check() error                     { return nil }

func (symmetry) Presentation() task.Presentation {
	return task.Presentation{Metric: "share of symmetric cells"}
}

func (symmetry) Train(
	_ context.Context, trials []task.Trial, _ func(share float64),
) ([]task.Artifact, error) {
	for i := range trials {
		s, score := trials[i].Structure, 0.0
		for row := range s.K() {
			for column := range s.K() {
				if s.At(row, column) == s.At(column, row) {
					score += 1 / float64(s.K()*s.K())
				}
			}
		}
		trials[i].State, trials[i].Score = task.Complete, &score
	}
	return nil, nil
}

// Search for structures on a task of your own.
func ExampleRun() {
	settings := search.BasicSettings()
	settings.Budget = 16
	result, err := search.Run(context.Background(), search.Problem{
		Task: symmetry{}, Strategy: strategy.Evolutionary{}, Settings: settings,
		Stages: stage.All(),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Trained, "structures, the best score is", *result.Best[0].Score)
	// Output: 16 structures, the best score is 1
}

// climb is a strategy that changes one cell of a good structure.
type climb struct{}

func (climb) Name() string { return "climb" }

func (climb) Propose(
	o strategy.Options, _ int, history []task.Trial, want int, rng *rand.Rand,
) (strategy.Proposal, error) {
	parents, known := []structure.Structure{structure.MustParse("distmult")}, map[structure.Structure]bool{}
	for i, t := range task.BestFirst(history) {
		if known[t.Canonical()] = true; i < o.Parents {
			parents = append(parents, t.Structure)
		}
	}
	var p strategy.Proposal
	for range 1000 { // then nothing is left to change
		parent := parents[rng.IntN(len(parents))]
		next := parent.With(rng.IntN(o.K), rng.IntN(o.K), rng.IntN(2*o.K+1)-o.K)
		if canonical := next.Canonical(structure.Full); !next.Degenerate() && !known[canonical] {
			known[canonical] = true
			p.Structures = append(p.Structures, next)
		}
		if len(p.Structures) == min(want, o.RoundSize) {
			break
		}
	}
	return p, nil
}

// Search with a strategy of your own.
func ExampleRun_strategy() {
	settings := search.BasicSettings()
	settings.Budget = 16
	result, err := search.Run(context.Background(), search.Problem{
		Task: symmetry{}, Strategy: climb{}, Settings: settings, Stages: stage.All(),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Trained, "structures, the best score is", *result.Best[0].Score)
	// Output: 16 structures, the best score is 1
}
