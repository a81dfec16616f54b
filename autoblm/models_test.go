package autoblm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/exchange"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// small trains a model for an instant.
func small() (*datasets.Graph, autoblm.Predictor) {
	g := must(autoblm.Load("world"))
	settings := autoblm.DefaultTrain(g, structure.MustParse("complex"))
	settings.Dim, settings.Epochs = 16, 2
	return g, must(autoblm.Train(context.Background(), g, settings))
}

// Write the embeddings for gensim.
func ExampleExport() {
	_, model := small()
	dir := must(os.MkdirTemp("", "vectors"))
	defer os.RemoveAll(dir)
	for _, file := range must(autoblm.Export(model, 0, exchange.Word2Vec, dir)) {
		fmt.Println(filepath.Base(file))
	}
	// Output:
	// entities.txt
	// relations.txt
}

// Read a model of PyKEEN and use it like any other.
func ExampleImport() {
	model := must(autoblm.Import(exchange.ImportOptions{
		File: "kge/exchange/testdata/pykeen/complex-4", From: "pykeen",
	}))
	query := autoblm.Query{Head: "New York", Relation: "located in"}
	for _, a := range must(model.Predict(nil, query, autoblm.PredictOptions{Top: 1})) {
		fmt.Printf("%s %.3f\n", a.Entity, a.Score)
	}
	// Output:
	// 東京 2.212
}

// List the entities with the most similar embeddings.
func ExampleNeighbors() {
	_, model := small()
	for _, n := range must(autoblm.Neighbors(model, "Portugal", 3)) {
		fmt.Println(n.Similarity <= 1)
	}
	for _, n := range must(autoblm.RelationNeighbors(model, "borders", 1)) {
		fmt.Println(n.Similarity <= 1)
	}
	// Output:
	// true
	// true
	// true
	// true
}

// Draw a map of the entities as a web page.
func ExampleMapOf() {
	g, model := small()
	placed := autoblm.MapOf(model, g, 100)
	fmt.Println(len(placed.Places), "entities")
	file := must(os.Create(filepath.Join(os.TempDir(), "map.html")))
	defer os.Remove(file.Name())
	check(report.NewMap("My map", []string{"ComplEx"}, placed).Write(file, ""))
	check(file.Close())
	// Output:
	// 100 entities
}

// TestExportOfNoMember names the members of a predictor that there are.
func TestExportOfNoMember(t *testing.T) {
	_, model := small()
	_, err := autoblm.Export(model, 1, exchange.TSV, t.TempDir())
	require.Error(t, err, "the predictor has 1, numbered from 0")
}
