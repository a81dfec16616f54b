package autoblm_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// must returns a value, or panics with an error.
func must[T any](value T, err error) T {
	check(err)
	return value
}

// check panics with an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// The lines of the package documentation, with a check of each error.
func Example() {
	ctx := context.Background()
	g, err := autoblm.Load("world") // or a folder with train, valid and test files
	check(err)
	found, err := autoblm.SearchWithin(ctx, g, 10*time.Minute)
	check(err)
	query := autoblm.Query{Head: "Portugal", Relation: "borders"}
	answers, err := found.Predict(g, query, autoblm.PredictOptions{Top: 5})
	check(err)
	for _, a := range answers {
		fmt.Println(a.Entity, a.Score)
	}
	err = found.Save("model")
	check(err)
	model, err := autoblm.LoadModel("model")
	check(err)
	result, err := model.Evaluate(ctx, g, "test", autoblm.Compute{})
	check(err)
	fmt.Println(result.Both.MRR)
}

// Search for a second, and use what the search keeps. A useful search takes minutes.
func ExampleSearchWithin() {
	g := must(autoblm.Load("world"))
	found := must(autoblm.SearchWithin(context.Background(), g, time.Second))

	query := autoblm.Query{Head: "Portugal", Relation: "borders"}
	for _, a := range must(found.Predict(g, query, autoblm.PredictOptions{Top: 3})) {
		fmt.Println(a.Rank, a.Known)
	}
	// Output:
	// 1 no
	// 2 no
	// 3 no
}

// Search with settings of your own. These are far too small to find a good structure.
func ExampleSearch() {
	settings := autoblm.DefaultSearch()
	settings.Settings = search.BasicSettings()
	settings.Budget, settings.Training.Dim, settings.Training.Epochs = 10, 8, 1

	g := must(autoblm.Load("world"))
	found := must(autoblm.Search(context.Background(), g, settings))
	fmt.Println(found.Trained, "structures trained, ended by:", found.Stopped)
	fmt.Println("compared with", len(found.Baselines), "baselines")
	fmt.Println("the kept model:", found.Models()[0].Structure == found.Kept.Structure)
	// Output:
	// 10 structures trained, ended by: budget
	// compared with 5 baselines
	// the kept model: true
}

// quick returns settings that train a structure in less than a second.
func quick(s structure.Structure) autoblm.TrainSettings {
	settings := autoblm.DefaultTrain(must(autoblm.Load("world")), s)
	settings.Dim, settings.Epochs = 32, 12
	return settings
}

// Train ComplEx, and ask for a fact of the training data.
func ExampleTrain() {
	g := must(autoblm.Load("world"))
	settings := autoblm.DefaultTrain(g, structure.MustParse("complex"))
	settings.Dim, settings.Epochs = 32, 12
	model := must(autoblm.Train(context.Background(), g, settings))

	query := autoblm.Query{Head: "Portugal", Relation: "has_capital"}
	options := autoblm.PredictOptions{Known: eval.MarkKnown, Top: 1}
	fmt.Println(must(model.Predict(g, query, options))[0].Entity)
	// Output: Lisbon
}

// Train TransE, a form of models that has no structure.
func ExampleTrain_form() {
	g := must(autoblm.Load("world"))
	r := recipe.ForGraph(g, form.TransE)
	settings := autoblm.TrainSettings{Settings: r.Training, Member: r.Member(structure.Structure{}, 1)}
	model := must(autoblm.Train(context.Background(), g, settings))

	query := autoblm.Query{Tail: "Portugal", Relation: "capital_of"}
	options := autoblm.PredictOptions{Known: eval.MarkKnown, Top: 1}
	fmt.Println(must(model.Predict(g, query, options))[0].Entity)
	// Output: Lisbon
}

// Save a model, load it again, and rank the test triples with it.
func ExampleLoadModel() {
	ctx, g := context.Background(), must(autoblm.Load("world"))
	model := must(autoblm.Train(ctx, g, quick(structure.MustParse("simple"))))
	dir := must(os.MkdirTemp("", "autoblm-"))
	defer os.RemoveAll(dir)
	check(model.Save(dir))
	loaded := must(autoblm.LoadModel(dir))
	result := must(loaded.Evaluate(ctx, g, "test", autoblm.Compute{}))
	fmt.Println(result.Triples, "triples; better than chance:", result.Both.MRR > 0.1)
	// Output: 243 triples; better than chance: true
}

// Give a model probabilities, and ask for the best answer that the graph lacks.
func ExampleCalibrate() {
	ctx, g := context.Background(), must(autoblm.Load("world"))
	model := must(autoblm.Train(ctx, g, quick(structure.MustParse("complex"))))
	model = must(autoblm.Calibrate(ctx, model, g))
	query := autoblm.Query{Head: "Portugal", Relation: "borders"}
	best := must(model.Predict(g, query, autoblm.PredictOptions{Top: 1, Shares: true}))[0]
	fmt.Println("a probability:", 0 < *best.Probability && *best.Probability < 1)
	// Output: a probability: true
}

// Learn an entity that the training did not have, from facts about it.
func ExampleFoldIn() {
	ctx, g := context.Background(), must(autoblm.Load("world"))
	model := must(autoblm.Train(ctx, g, quick(structure.MustParse("complex"))))

	grown := &datasets.Graph{Name: "grown", Relations: g.Relations, Train: slices.Clone(g.Train)}
	grown.Entities = append(slices.Clone(g.Entities), "Atlantis")
	atlantis := int32(len(g.Entities))
	for _, t := range g.Train { // Atlantis is like Portugal
		if g.Entities[t.Head] == "Portugal" {
			t.Head = atlantis
			grown.Train = append(grown.Train, t)
		}
	}
	model = must(autoblm.FoldIn(ctx, model, grown))
	query := autoblm.Query{Head: "Atlantis", Relation: "speaks"}
	options := autoblm.PredictOptions{Known: eval.MarkKnown, Top: 1}
	fmt.Println(must(model.Predict(grown, query, options))[0].Entity)
	// Output: Portuguese
}

// Load a table of facts, which is divided into train, valid and test.
func ExampleLoad() {
	folder := must(os.MkdirTemp("", ""))
	defer os.RemoveAll(folder)
	table := folder + "/roads.csv"
	check(os.WriteFile(table, []byte("from;type;to\n\"Oslo; Norway\";road to;Bergen\n"+
		"Bergen;road to;Voss\nVoss;height;57\n"), 0o600))
	g := must(autoblm.Load(table))
	fmt.Println(len(g.Train), "facts of", g.Name, "such as", g.Entities[0], g.Relations[0], g.Entities[1])
	fmt.Println(len(g.Warnings()), "warning")
	// Output:
	// 2 facts of roads such as Oslo; Norway road to Bergen
	// 1 warning
}

// Load a graph from files that are embedded in a program.
func ExampleLoadFS() {
	g := must(autoblm.LoadFS(os.DirFS("../datasets/world"), "mine"))
	fmt.Println(g.Name, len(g.Entities), "entities,", len(g.Train), "training triples")
	// Output: mine 844 entities, 1868 training triples
}

// Answer many queries with one model: tails, heads, relations, and the rank of a triple.
func ExamplePredictor_answerer() {
	ctx := context.Background()
	g := must(autoblm.Load("world"))
	found := must(autoblm.SearchWithin(ctx, g, time.Second))

	answerer := must(found.Answerer(g))
	defer answerer.Close()
	queries := []autoblm.Query{
		{Head: "Portugal", Relation: "borders"},
		{Relation: "borders", Tail: "Spain"},
		{Head: "Portugal", Relation: "borders", Tail: "Spain"},
		{Head: "Portugal", Tail: "Spain"},
	}
	options := autoblm.PredictOptions{Known: eval.MarkKnown, Top: 1, Shares: true}
	for _, p := range must(answerer.Predict(ctx, queries, options)) {
		fmt.Printf("%d %q\n", len(p.Answers), p.Answers[0].Relation)
	}
	// Output:
	// 1 ""
	// 1 ""
	// 1 ""
	// 1 "borders"
}

// Explain an answer by the training triples that speak most for it.
func ExamplePredictor_explain() {
	ctx := context.Background()
	g := must(autoblm.Load("world"))
	model := must(autoblm.Train(ctx, g, quick(structure.MustParse("complex"))))

	answerer := must(model.Answerer(g))
	defer answerer.Close()
	queries := []autoblm.Query{{Head: "Portugal", Relation: "has_capital", Tail: "Lisbon"}}
	found := must(answerer.Predict(ctx, queries, autoblm.PredictOptions{}))
	check(answerer.Explain(ctx, found, 1))
	for _, b := range found[0].Answers[0].Because {
		fmt.Println(b.Head, b.Relation, b.Tail)
	}
	// Output: Lisbon capital_of Portugal
}

// List the likeliest missing triples of a graph.
func ExamplePredictor_likeliest() {
	ctx := context.Background()
	g := must(autoblm.Load("world"))
	model := must(autoblm.Train(ctx, g, quick(structure.MustParse("complex"))))

	answerer := must(model.Answerer(g))
	defer answerer.Close()
	for _, f := range must(answerer.Likeliest(ctx, "borders", autoblm.PredictOptions{Top: 3})) {
		fmt.Println(f.Rank, f.Relation)
	}
	// Output:
	// 1 borders
	// 2 borders
	// 3 borders
}
