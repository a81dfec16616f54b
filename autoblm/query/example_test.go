package query_test

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Draw paths from a graph, train on them, and ask for the neighbours of the neighbours of Portugal.
func ExamplePredict() {
	ctx, engine := context.Background(), cpu.New(1)
	defer engine.Close()
	d := query.FromGraph(datasets.World())
	sample := query.Sample{Split: query.InTrain, Hops: 2, Seed: 1}
	if _, err := d.Sample(ctx, sample); err != nil {
		panic(err)
	}
	settings := query.BasicSettings()
	settings.Dim, settings.Epochs = 32, 15
	member := kge.DefaultMember(structure.MustParse("complex"))
	if err := settings.Validate(member); err != nil {
		panic(err)
	}
	data, err := d.Training(settings.Paths)
	if err != nil {
		panic(err)
	}
	report, err := kge.Train(ctx, engine, kge.Job{
		Data: data, Settings: settings.Settings, Members: []kge.Member{member},
	})
	if err != nil {
		panic(err)
	}
	path := query.Path{Anchor: "Portugal", Relations: []string{"borders", "borders"}}
	answers, err := query.Predict(ctx, engine, report.Results[0].Model, path, d,
		completion.PredictOptions{Top: 1, Known: eval.MarkKnown})
	if err != nil {
		panic(err)
	}
	fmt.Println("the best answer is known:", answers[0].Known)
	// Output: the best answer is known: yes
}
