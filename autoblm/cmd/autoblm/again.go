package main

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// searchAgain is the command whose search is about the same. exact is false when
// a program made settings that the command line does not have.
func searchAgain(about study.About, compute computeFlags) (line string, exact bool, err error) {
	var c struct {
		Search searchCommand `cmd:""`
	}
	task := cmp.Or(about.Task, completionTaskName)
	grammar, err := newGrammar(&c, "search", "--task", task)
	if err != nil {
		return "", false, err
	}
	usual, always := grammar.flags(), []string{"dataset", "algorithm", "budget", "seed"}
	if task != completionTaskName {
		always = append(always, "task")
	}
	takeErr := c.Search.take(about)
	c.Search.computeFlags = compute
	words := append([]string{program(), "search"}, otherThan(usual, grammar.flags(), always...)...)
	settings, err := c.Search.searchSettings()
	wanted := about.Settings
	wanted.TimeLimit = 0
	return strings.Join(words, " "), err == nil && takeErr == nil && reflect.DeepEqual(settings.Settings, wanted), nil
}

// recipeAgain is the command that trains by a recipe, or searches by one that comes
// without a structure.
func recipeAgain(r recipe.Recipe) (line string, err error) {
	usual, here, err := recipeFlags(r)
	if err != nil {
		return "", err
	}
	words := []string{program(), "train", "--dataset", r.Dataset, "--structure"}
	if r.Structure.K() > 0 {
		return strings.Join(append(append(words, quoted(shortest(r.Structure))), otherThan(usual, here)...), " "), nil
	}
	var c struct {
		Search searchCommand `cmd:""`
	}
	grammar, err := newGrammar(&c, "search")
	if err != nil {
		return "", err
	}
	usual = grammar.flags()
	c.Search.Dataset = r.Dataset
	c.Search.learningFlags.take(r.Training, r.LearningRate, r.Weights)
	return strings.Join(append([]string{program(), "search"}, otherThan(usual, grammar.flags())...), " "), nil
}

// shortest is the name of the named model that s is, or its rows.
func shortest(s structure.Structure) string {
	for _, named := range structure.HumanDesigned() {
		if named.Structure == s {
			return named.Name
		}
	}
	return s.String()
}

// otherThan are the arguments for flags that are not as usual, and for those named.
func otherThan(usual, flags []flagText, always ...string) []string {
	var words []string
	for i, flag := range flags {
		if flag != usual[i] || slices.Contains(always, flag.name) {
			words = append(words, flag.words()...)
		}
	}
	return words
}

// take is the other way of searchSettings.
func (c *searchCommand) take(about study.About) error {
	s := about.Settings
	c.Task = cmp.Or(about.Task, completionTaskName)
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
	c.learningFlags.take(s.Training, s.LearningRate, s.Weights)
	if s.Tune != nil {
		c.Tune = s.Tune.Trials
	}
	if s.Final != nil {
		c.Final, c.FinalDims, c.FinalEpochs = s.Final.Trials, s.Final.Ranges.Dims, s.Final.Epochs
	}
	return c.taskFlags.take(about)
}

// grammar is that of a command line.
type grammar struct{ parser *kong.Kong }

// newGrammar parses what there must be, so that c has its defaults.
func newGrammar(c any, arguments ...string) (grammar, error) {
	parser, err := kong.New(c, defaults())
	if err == nil {
		_, err = parser.Parse(arguments)
	}
	return grammar{parser}, err
}

type flagText struct{ name, value string }

// words are the arguments that give the flag its value.
func (f flagText) words() []string {
	if f.value == "true" || f.value == "false" { // which no flag but a switch has
		return []string{"--" + f.name + "=" + f.value}
	}
	return []string{"--" + f.name, quoted(f.value)}
}

// flags are those of the only command, or of a line without commands, with their
// present values.
func (g grammar) flags() []flagText {
	node := g.parser.Model.Node
	if len(node.Children) > 0 {
		node = node.Children[0]
	}
	var all []flagText
	for _, flag := range node.Flags {
		all = append(all, flagText{flag.Name, flagValue(flag.Target)})
	}
	return all
}

// flagValue is a value as the parser reads it.
func flagValue(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "" // not given
		}
		v = v.Elem()
	}
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

// engineOf are the flags for the engine that trained the trials. Which that is
// without flags depends on the machine.
func engineOf(trials []task.Trial) computeFlags {
	flags := computeFlags{Engine: "auto", Backend: "auto"}
	for _, t := range trials {
		switch t.Engine {
		case "":
		case "cpu":
			flags.Engine, flags.Backend = "cpu", "auto"
		default:
			flags.Engine, flags.Backend = t.Engine, t.Backend
		}
	}
	return flags
}
