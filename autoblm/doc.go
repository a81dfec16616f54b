// Package autoblm is the front door: find, train and use the bilinear scoring
// function that completes a knowledge graph best.
//
//	g, err := autoblm.Load("world")
//	found, err := autoblm.Search(ctx, g, autoblm.DefaultSearch())
//	fmt.Println(found.Best[0].Structure.Draw(false))
//	answers, err := autoblm.Predict(found.Model, g, autoblm.Query{Head: "Portugal", Relation: "borders"}, 3)
//
// A scoring function is a structure: a K×K matrix that says which chunks of the
// head, relation and tail embeddings multiply (package structure). The calls
// here are thin over the packages below: datasets, kge, completion, search.
package autoblm
