package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// searchLine is the command whose search is about the same. exact is false when
// a program made settings that the command line does not have.
func searchLine(about study.About, compute computeFlags) (line string, exact bool, err error) {
	about.Task = cmp.Or(about.Task, usualTask())
	always := []string{"dataset", "algorithm", "seed"}
	if p := about.Settings.Planned; p == nil || !p.Structures { // one that is given is not planned
		always = append(always, "budget")
	}
	if about.Task != usualTask() {
		always = append(always, "task")
	}
	usual := []string{"search", "--task", about.Task}
	if k := about.Settings.K; k != search.DefaultSettings().K { // by which what is usual is divided
		usual, always = append(usual, "--k", fmt.Sprint(k)), append(always, "k")
	}
	switch s := about.Settings; {
	case s.Planned != nil:
		usual, always = append(usual, "--minutes", fmt.Sprint(s.TimeLimit.Minutes())), append(always, "minutes")
	case s.RetrainSeeds == 0 && s.Halving == 0 && !s.WarmStart && (s.Tune == nil || s.Tune.Space == nil):
		usual, always = append(usual, "--recipe", plainRecipe), append(always, "recipe")
	}
	if !slices.Contains(always, "recipe") { // else the size of a graph decides these where they are not given
		always = append(always, "n3", "batch")
	}
	words, err := searchWords(usual, func(c *searchCommand) error {
		c.computeFlags = compute
		return c.take(about)
	}, always...)
	if err != nil {
		return "", false, err
	}
	made, _, err := parsedSearch(words)
	if err != nil {
		return "", false, err
	}
	settings, err := made.searchSettings()
	wanted := about.Settings
	if wanted.Planned == nil {
		wanted.TimeLimit = 0
	}
	exact = err == nil && reflect.DeepEqual(settings.Settings, wanted) && made.own.same(about)
	return commandOf(words), exact, nil
}

// recipeLine is the command that trains on a graph by a recipe, or searches by one that comes
// without a structure.
func recipeLine(r recipe.Recipe, dataset string) (string, error) {
	if r.Searches() {
		words, err := searchWords([]string{"search"}, func(c *searchCommand) error {
			c.Dataset = dataset
			c.takeRecipe(r)
			return nil
		})
		return commandOf(words), err
	}
	c := struct{ trainingFlags }{usualTraining()}
	parser, err := newParser(&c)
	if err == nil {
		_, err = parser.Parse(nil)
	}
	if err != nil {
		return "", err
	}
	model := []string{"--structure", r.Structure.Short()}
	if r.Form != form.Bilinear {
		model = []string{"--model", r.Form.String()}
		c.take(recipe.ForGraph(nil, r.Form))
	}
	usual := flags.Of(parser, "")
	c.take(r)
	words := append([]string{"train", "--dataset", dataset}, model...)
	return commandOf(append(words, flags.Unlike(usual, flags.Of(parser, ""), "n3")...)), nil // whose default is the graph's
}

// searchWords are the arguments of a search that is as usual, but for a change.
func searchWords(usual []string, change func(c *searchCommand) error, always ...string) ([]string, error) {
	c, parser, err := parsedSearch(usual)
	if err != nil {
		return nil, err
	}
	before := flags.Of(parser, "search")
	if err := change(c); err != nil {
		return nil, err
	}
	return append([]string{"search"}, flags.Unlike(before, flags.Of(parser, "search"), always...)...), nil
}

// parsedSearch is what a search is by its arguments.
func parsedSearch(arguments []string) (*searchCommand, *kong.Kong, error) {
	line := struct {
		Search searchCommand `cmd:""`
	}{usualSearch()}
	parser, err := newParser(&line)
	if err == nil {
		_, err = parser.Parse(shieldMinus(arguments))
	}
	return &line.Search, parser, err
}

// take is the other way of searchSettings.
func (c *searchCommand) take(about study.About) error {
	s := about.Settings
	c.Task = about.Task
	c.Dataset, c.Algorithm = about.Source, about.Algorithm
	switch {
	case s.Predictor == nil:
		c.Predictor = "none"
	case s.Predictor.Features == predictor.OneHot:
		c.Predictor = "one-hot"
	default:
		c.Predictor = "srf"
	}
	c.rungs = true
	c.use(s)
	if s.Final != nil {
		c.Final, c.FinalDims, c.FinalEpochs = s.Final.Trials, slices.Clone(s.Final.Ranges.Dims), s.Final.Epochs
	}
	return c.own.take(about)
}

// engineOf are the flags for the engine that trained the trials. Which that is
// without flags depends on the machine.
func engineOf(trials []task.Trial) computeFlags {
	flags := computeFlags{Compute: autoblm.Compute{Engine: "auto", Backend: "auto"}}
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

// commandOf is the command with these arguments, as a shell takes it.
func commandOf(arguments []string) string {
	command := name
	if strings.Contains(os.Args[0], "go-build") { // where go run puts its programs
		command = "go run ./autoblm/cmd/autoblm"
	}
	return strings.TrimSpace(command + " " + record.CommandLine(arguments...))
}
