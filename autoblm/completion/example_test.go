package completion_test

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// trainSeeds trains ComplEx on a graph with some seeds.
func trainSeeds(engine kge.Engine, g *datasets.Graph, seeds ...uint64) (models []*kge.Model) {
	r := recipe.ForGraph(g, form.Bilinear)
	job := kge.Job{Data: completion.Data(g), Settings: r.Training}
	job.Settings.Dim, job.Settings.Epochs = 32, 10
	for _, seed := range seeds {
		job.Members = append(job.Members, r.Member(structure.MustParse("complex"), seed))
	}
	report, err := kge.Train(context.Background(), engine, job)
	if err != nil {
		panic(err)
	}
	for _, result := range report.Results {
		models = append(models, result.Model)
	}
	return models
}

// Rank the test triples with a model, and show the metrics of the most frequent relation.
func ExampleRankSplit() {
	g, engine := datasets.World(), cpu.New(1)
	defer engine.Close()
	models := trainSeeds(engine, g, 1)
	triples, ranks, err := completion.RankSplit(
		context.Background(), engine, kge.AutoPrecision, models, g, "test", 0)
	if err != nil {
		panic(err)
	}
	first := completion.ByRelation(g, triples, ranks[0], eval.Pessimistic)[0]
	fmt.Printf("%s: %d triples, better than chance: %v\n", first.Name, first.Triples,
		first.Both.MRR > 0.1)
	// Output: borders: 86 triples, better than chance: true
}

// Select an ensemble from models of two seeds, by validation.
func ExampleChooseEnsemble() {
	g, engine := datasets.World(), cpu.New(1)
	defer engine.Close()
	settings := completion.DefaultEnsemble()
	settings.Folds = 2
	ensemble, err := completion.ChooseEnsemble(
		context.Background(), engine, trainSeeds(engine, g, 1, 2), g, settings)
	if err != nil {
		panic(err)
	}
	query := completion.Query{Head: "Portugal", Relation: "borders"}
	answers, err := ensemble.Predict(g, query, completion.PredictOptions{Top: 3})
	if err != nil {
		panic(err)
	}
	fmt.Println(ensemble.Choice.Candidates, "candidates,", len(answers), "answers")
	// Output: 2 candidates, 3 answers
}
