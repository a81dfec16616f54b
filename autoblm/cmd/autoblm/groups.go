package main

type queryCommands struct {
	Train   queryTrainCommand   `cmd:"" help:"Train a model for multi-hop queries, and rank valid and test."`
	Eval    queryEvalCommand    `cmd:"" help:"Rank the answers of queries with a trained model."`
	Predict queryPredictCommand `cmd:"" help:"Answer a query: the entities at the end of a path."`
	Sample  querySampleCommand  `cmd:"" help:"Sample queries from a graph, with easy and hard answers."`
}

type modelCommands struct {
	Export    modelExportCommand    `cmd:"" help:"Write the embeddings in a format of other programs."`
	Import    modelImportCommand    `cmd:"" help:"Read a model of PyKEEN or LibKGE."`
	Neighbors modelNeighborsCommand `cmd:"" help:"List the entities with the most similar embeddings."`
	Map       modelMapCommand       `cmd:"" help:"Draw a map of the entities as a web page."`
}

type classifyCommands struct {
	Train   classifyTrainCommand   `cmd:"" help:"Train an encoder on a graph, cross-validate and test it."`
	Eval    classifyEvalCommand    `cmd:"" help:"Measure the accuracy of a trained model."`
	Predict classifyPredictCommand `cmd:"" help:"Classify a node with a trained model."`
}
