package autoblm_test

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Search for a scoring function. These settings are far too small to find a
// good one; leave out the second line for the defaults.
func ExampleSearch() {
	settings := autoblm.DefaultSearch()
	settings.Settings = search.BasicSettings()
	settings.Budget, settings.Training.Dim, settings.Training.Epochs = 10, 8, 1

	g, err := autoblm.Load("world")
	if err != nil {
		panic(err)
	}
	found, err := autoblm.Search(context.Background(), g, settings)
	if err != nil {
		panic(err)
	}
	fmt.Println(found.Trained, "structures trained, ended by:", found.Stopped)
	fmt.Println("compared with", len(found.Baselines), "named models")
	fmt.Println("the model is that of the best:", found.Model.Structure == found.Kept.Structure)
	// Output:
	// 10 structures trained, ended by: budget
	// compared with 5 named models
	// the model is that of the best: true
}

// Train ComplEx and ask it something that it was told.
func ExampleTrain() {
	g, err := autoblm.Load("world")
	if err != nil {
		panic(err)
	}
	settings := autoblm.DefaultTrain(g, structure.MustParse("complex"))
	settings.Dim, settings.Epochs = 32, 12
	model, err := autoblm.Train(context.Background(), g, settings)
	if err != nil {
		panic(err)
	}
	answers, err := completion.Predict(model, autoblm.Query{Head: "Portugal", Relation: "has_capital"}, g, 1, eval.MarkKnown)
	if err != nil {
		panic(err)
	}
	fmt.Println(answers[0].Entity, answers[0].Known)
	// Output: Lisbon yes
}

// Train TransE, a form of models that has no structure.
func ExampleTrain_form() {
	g, err := autoblm.Load("world")
	if err != nil {
		panic(err)
	}
	settings := autoblm.DefaultTrain(g, structure.Structure{})
	settings.Member.Form = form.TransE
	settings.Dim, settings.Epochs = 32, 12
	model, err := autoblm.Train(context.Background(), g, settings)
	if err != nil {
		panic(err)
	}
	answers, err := completion.Predict(model, autoblm.Query{Tail: "Portugal", Relation: "capital_of"}, g, 1, eval.MarkKnown)
	if err != nil {
		panic(err)
	}
	fmt.Println(model.Form, answers[0].Entity, answers[0].Known)
	// Output: transe Lisbon yes
}

// Rank the test triples with a model, known answers left out.
func ExampleEvaluate() {
	g, err := autoblm.Load("world")
	if err != nil {
		panic(err)
	}
	settings := autoblm.DefaultTrain(g, structure.MustParse("simple"))
	settings.Dim, settings.Epochs = 32, 12
	model, err := autoblm.Train(context.Background(), g, settings)
	if err != nil {
		panic(err)
	}
	result, err := autoblm.Evaluate(context.Background(), model, g, "test", autoblm.Compute{})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Triples, "triples, and the model ranks them better than chance:", result.Both.MRR > 0.1)
	// Output: 243 triples, and the model ranks them better than chance: true
}
