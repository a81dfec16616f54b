package main

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
)

type queryCommands struct {
	Train   queryTrainCommand   `cmd:"" help:"Train a model of multi-hop queries, and rank valid and test by it."`
	Eval    queryEvalCommand    `cmd:"" help:"Rank the answers of queries with a trained model."`
	Predict queryPredictCommand `cmd:"" help:"Answer a query by names with a trained model: what is at the end of a path."`
	Sample  querySampleCommand  `cmd:"" help:"Draw queries from a graph, with easy and hard answers."`
}

// threadsFlag is the choice that the native engine leaves.
type threadsFlag struct {
	Threads int `default:"0" min:"0" max:"1024" help:"Threads; 0 for all that GOMAXPROCS allows."`
}

func (f threadsFlag) engine() kge.Engine { return cpu.New(f.Threads) }
