// Package autoblm searches, trains and uses the bilinear scoring function that best completes a
// knowledge graph. This searches for ten minutes, predicts, and saves what it found:
//
//	g, err := autoblm.Load("world") // or a folder with train, valid and test files
//	found, err := autoblm.SearchWithin(ctx, g, 10*time.Minute)
//	query := autoblm.Query{Head: "Portugal", Relation: "borders"}
//	answers, err := found.Predict(g, query, autoblm.PredictOptions{Top: 5})
//	for _, a := range answers {
//		fmt.Println(a.Entity, a.Score)
//	}
//	err = found.Save("model")
//	model, err := autoblm.LoadModel("model")
//	result, err := model.Evaluate(ctx, g, "test", autoblm.Compute{})
//
// A [Predictor] is a model or an ensemble of models; [Search] keeps either. Each model has a
// structure: a K×K matrix that says which chunks of the head, relation and tail embeddings are
// multiplied (package structure). [Train] trains one structure without a search.
//
// The functions here are short wrappers of the packages datasets, kge, completion and search.
// [SearchFor] searches on other tasks, such as those of the packages query and classify.
//
// A test of a search with -race also needs -gcflags='github.com/gomlx/...=-d=checkptr=0': the
// predictor runs on GoMLX, whose kernels compute addresses past the end of their arrays.
package autoblm
