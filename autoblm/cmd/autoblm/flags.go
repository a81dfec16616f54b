package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// structureFlag is a structure in any of its text forms, a file's too.
type structureFlag struct{ structure.Structure }

// UnmarshalText implements encoding.TextUnmarshaler for the parser.
func (f *structureFlag) UnmarshalText(text []byte) (err error) {
	f.Structure, err = structure.Parse(string(text))
	return err
}

// computeFlags choose what does the arithmetic.
type computeFlags struct {
	Engine  string `default:"auto" enum:"auto,cpu,gomlx" help:"What does the arithmetic: auto, cpu (native) or gomlx."`
	Backend string `default:"auto" help:"What gomlx runs on: auto, go, xla:cpu, xla:cuda or xla:/path/of/plugin.so."`
	Threads int    `default:"0" help:"Threads of the engine cpu; 0 for all that GOMAXPROCS allows."`
}

func (f computeFlags) compute() (autoblm.Compute, error) {
	if f.Backend != "auto" && f.Backend != "go" && !strings.HasPrefix(f.Backend, "xla:") {
		return autoblm.Compute{}, usage(fmt.Errorf("unknown backend %q: use auto, go, xla:cpu, xla:cuda or xla:/path/of/plugin.so", f.Backend))
	}
	return autoblm.Compute{Engine: f.Engine, Backend: f.Backend, Threads: f.Threads}, nil
}

func (f computeFlags) open() (completion.Engine, error) {
	c, err := f.compute()
	if err != nil {
		return nil, err
	}
	return c.Open()
}

// learningFlags are shared by train and search, whose other defaults differ.
type learningFlags struct {
	Batch         int                  `default:"${batch}" help:"Triples in a step."`
	LR            float64              `name:"lr" default:"${lr}" help:"Learning rate."`
	L2            float64              `name:"l2" default:"0" help:"Weight of the squared norms of head, relation and tail."`
	Decay         float64              `default:"1" help:"Factor on the learning rate after each epoch."`
	Optimizer     completion.Optimizer `default:"adagrad" help:"adagrad or adam."`
	ValidateEvery int                  `default:"0" help:"Rank the validation triples after every so many epochs and keep the best epoch; 0 keeps the last."`
	Patience      int                  `default:"0" help:"Stop after so many validations without a better one; 0 never."`
}

func (f learningFlags) settings(dim, epochs int) completion.Settings {
	s := completion.DefaultSettings()
	s.Dim, s.Epochs, s.Batch = dim, epochs, f.Batch
	s.Optimizer, s.Decay = f.Optimizer, f.Decay
	s.ValidateEvery, s.Patience = f.ValidateEvery, f.Patience
	return s
}

// defaults are the library's, so that they stand in one place.
func defaults() kong.Vars {
	training := completion.DefaultSettings()
	member := completion.DefaultMember(structure.Structure{})
	s := search.DefaultSettings()
	return kong.Vars{
		"dim": text(training.Dim), "epochs": text(training.Epochs), "batch": text(training.Batch), "lr": text(member.LearningRate),
		"n3": text(member.N3), "search_dim": text(s.Training.Dim), "search_epochs": text(s.Training.Epochs), "search_n3": text(s.N3),
		"final_dims": strings.Trim(strings.Join(strings.Fields(fmt.Sprint(search.DefaultFinal().Ranges.Dims)), ","), "[]"), "final_epochs": text(search.DefaultFinal().Epochs),
		"budget": text(s.Budget), "k": text(s.K), "n": text(s.N), "p": text(s.P), "i": text(s.I),
		"algorithm": autoblm.DefaultSearch().Algorithm, "algorithms": algorithms(),
	}
}

// algorithms are the names of all strategies, for enum.
func algorithms() string {
	var names []string
	for _, strategy := range search.Strategies() {
		names = append(names, strategy.Name())
	}
	return strings.Join(names, ",")
}

func text(value any) string { return fmt.Sprint(value) }

// orEmpty makes a nil slice an empty JSON array.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
