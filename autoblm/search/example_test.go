package search_test

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
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
