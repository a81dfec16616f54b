package classify_test

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Train a classifier on a tiny RDF graph, and ask it for the class of a test node.
func ExampleEnsemble_Predict() {
	ctx, engine, g := context.Background(), cpu.New(1), enginetest.KindsGraph(48)
	defer engine.Close()
	settings := classify.Defaults(classify.BLM)
	settings.Dim, settings.Layers, settings.Epochs, settings.Runs = 16, 1, 60, 1
	member := classify.DefaultMember()
	member.Structure = structure.MustParse("1,0;0,2")
	options := classify.Options{Engine: engine, KeepModels: true}
	results, err := classify.TrainOnce(ctx, g, settings, options, []classify.Member{member})
	if err != nil {
		panic(err)
	}
	node := g.Nodes[g.Test[0].Node]
	p, err := classify.Ensemble{results[0].Model}.Predict(ctx, engine, g, node, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Node, p.Answers[0].Class, p.Answers[0].Class == *p.Label)
	// Output: <n:6> a true
}
