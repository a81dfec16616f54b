package main

import (
	"errors"
	"fmt"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/query/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

type queryCommands struct {
	Train   queryTrainCommand   `cmd:"" help:"Train a model of multi-hop queries, and rank valid and test by it."`
	Eval    queryEvalCommand    `cmd:"" help:"Rank the answers of queries with a trained model."`
	Predict queryPredictCommand `cmd:"" help:"Answer a query by names with a trained model: what is at the end of a path."`
	Sample  querySampleCommand  `cmd:"" help:"Draw queries from a graph, with easy and hard answers."`
}

// queryDefaults are the library's.
func queryDefaults() kong.Vars {
	s := query.DefaultSettings()
	return kong.Vars{
		"hops": text(s.Hops[0]), "query_batch": text(s.Batch), "query_reciprocal": text(s.Reciprocal), "answer_power": text(s.AnswerPower),
		"query_epochs": text(s.Epochs), "query_lr": text(query.DefaultMember(query.Bilinear).LearningRate),
	}
}

// pathFlags say what paths a model is for and how it learns them.
type pathFlags struct {
	Hops        int      `default:"${hops}" help:"Length of the paths to train on and to rank."`
	With        []int    `help:"Lengths of further paths to train on, separated by commas."`
	AnswerPower float64  `default:"${answer_power}" help:"A query with n answers counts n to this power as much as one with one; 0 to 1."`
	Negatives   *int     `help:"Learn from so many drawn entities that are no answer, as 128, rather than from all; 0, which is usual, from all."`
	Margin      *float64 `help:"What is added to scores where there are negatives; for the models of distances 24 for 400 coordinates and less for fewer, if nothing is said; else 0."`
}

// set puts what the flags say into settings for a kind of model.
func (f pathFlags) set(s *query.Settings, kind query.Kind) {
	s.Hops, s.With, s.AnswerPower = []int{f.Hops}, f.With, f.AnswerPower
	override(&s.Negatives, f.Negatives)
	if s.Negatives > 0 {
		_, s.Margin = query.UsualNegatives(kind, s.Dim)
	}
	override(&s.Margin, f.Margin)
}

// modelFlags choose a structure or a baseline.
type modelFlags struct {
	Structure *structureFlag `help:"A bilinear model with this structure, as for structure check."`
	Model     *query.Kind    `help:"A baseline instead: transe, diag, gqe or q2b."`
}

func (f modelFlags) kind() (query.Kind, structure.Structure, error) {
	switch {
	case f.Structure != nil && (f.Model == nil || *f.Model == query.Bilinear):
		return query.Bilinear, f.Structure.Structure, nil
	case f.Structure == nil && f.Model != nil && *f.Model != query.Bilinear:
		return *f.Model, structure.Structure{}, nil
	}
	return 0, structure.Structure{}, errors.New("give either --structure or --model with the name of a baseline")
}

// threadsFlag is the choice that the native engine leaves.
type threadsFlag struct {
	Threads int `default:"0" help:"Threads; 0 for all that GOMAXPROCS allows."`
}

func (f threadsFlag) engine() (query.Engine, error) {
	if f.Threads < 0 {
		return nil, usage(fmt.Errorf("threads is %d: it must be 0, for all, or more", f.Threads))
	}
	return cpu.New(f.Threads), nil
}

func kindName(kind query.Kind, a *structure.Structure) string {
	if a != nil {
		return shortName(*a)
	}
	return kind.String()
}

// answersTable is one of the metrics of queries.
func answersTable(what string) table {
	return table{header: []string{what, "queries", "answers", "MRR", "H@1", "H@3", "H@10"}}
}

func addAnswers(t *table, name string, e *query.Evaluation) {
	if e != nil {
		t.add(name, count(e.Queries), count(e.Answers), number(e.MRR), number(e.Hits1), number(e.Hits3), number(e.Hits10))
	}
}
