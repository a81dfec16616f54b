// Package autoblm searches, trains and uses the bilinear scoring function that best completes a
// knowledge graph.
//
//	g, err := autoblm.Load("world")
//	found, err := autoblm.Search(ctx, g, autoblm.DefaultSearch())
//	fmt.Println(found.Best[0].Structure.Draw(false))
//	query := autoblm.Query{Head: "Portugal", Relation: "borders"}
//	answers, err := autoblm.Predict(found.Model, g, query, 3)
//
// A scoring function is a structure: a K×K matrix that says which chunks of the head, relation and
// tail embeddings are multiplied (package structure). The functions here are short wrappers of the
// packages datasets, kge, completion and search.
package autoblm
