package main

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// searchAgain is the command whose search is about the same. exact is false when
// a program made settings that the command line does not have.
func searchAgain(about study.About, compute computeFlags) (line string, exact bool, err error) {
	grammar, err := newSearchGrammar()
	if err != nil {
		return "", false, err
	}
	usual := grammar.flags()
	grammar.command.take(about)
	grammar.command.computeFlags = compute
	words := []string{program(), "search"}
	for i, flag := range grammar.flags() {
		if flag != usual[i] || slices.Contains([]string{"dataset", "algorithm", "budget", "seed"}, flag.name) {
			words = append(words, "--"+flag.name, quoted(flag.value))
		}
	}
	settings, err := grammar.command.searchSettings()
	wanted := about.Settings
	wanted.TimeLimit = 0
	return strings.Join(words, " "), err == nil && reflect.DeepEqual(settings.Settings, wanted), nil
}

// take is the other way of searchSettings.
func (c *searchCommand) take(about study.About) {
	s := about.Settings
	c.Dataset, c.Algorithm, c.Budget = about.Source, about.Algorithm, s.Budget
	c.K, c.N, c.P, c.I, c.B0, c.Pm = s.K, s.N, s.P, s.I, s.B0, s.Pm
	c.Filter, c.Seed = s.Filter, s.Seed
	switch {
	case s.Predictor == nil:
		c.Predictor = "none"
	case s.Predictor.Features == predictor.OneHot:
		c.Predictor = "one-hot"
	default:
		c.Predictor = "srf"
	}
	c.Dim, c.Epochs, c.Batch = s.Training.Dim, s.Training.Epochs, s.Training.Batch
	c.Optimizer, c.Decay = s.Training.Optimizer, s.Training.Decay
	c.ValidateEvery, c.Patience = s.Training.ValidateEvery, s.Training.Patience
	c.LR, c.L2, c.N3 = s.LearningRate, s.L2, s.N3
	if s.Tune != nil {
		c.Tune = s.Tune.Trials
	}
	if s.Final != nil {
		c.Final, c.FinalDims, c.FinalEpochs = s.Final.Trials, s.Final.Ranges.Dims, s.Final.Epochs
	}
}

// searchGrammar is the command search, with its defaults.
type searchGrammar struct {
	command *searchCommand
	parser  *kong.Kong
}

func newSearchGrammar() (*searchGrammar, error) {
	var c struct {
		Search searchCommand `cmd:""`
	}
	parser, err := kong.New(&c, kong.Vars(defaults()))
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse([]string{"search"}); err != nil {
		return nil, err
	}
	return &searchGrammar{&c.Search, parser}, nil
}

type flagText struct{ name, value string }

// flags are those of the command with their present values.
func (g *searchGrammar) flags() []flagText {
	var all []flagText
	for _, flag := range g.parser.Model.Children[0].Flags {
		all = append(all, flagText{flag.Name, flagValue(flag.Target)})
	}
	return all
}

// flagValue is a value as the parser reads it.
func flagValue(v reflect.Value) string {
	if marshaler, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := marshaler.MarshalText(); err == nil {
			return string(text)
		}
	}
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	words := make([]string, v.Len())
	for i := range words {
		words[i] = flagValue(v.Index(i))
	}
	return strings.Join(words, ",")
}

// engineOf are the flags for the engine that trained the trials.
func engineOf(trials []search.Trial) computeFlags {
	flags := computeFlags{Engine: "auto", Backend: "auto"}
	for _, t := range trials {
		if t.Engine != "" && t.Engine != "cpu" {
			flags.Engine, flags.Backend = t.Engine, t.Backend
		}
	}
	return flags
}
