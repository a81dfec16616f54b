package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// modelNames has models without a structure, with limits on dimensions or recipes of their own.
var modelNames = []string{
	"core-3", "core-5", "block-3", "gqe", "transe", "conve-7-8-3", "rsn", "interstellar-wn18rr",
}

// checkTrain checks that a training with the settings that are not given is legal.
func checkTrain(t *testing.T, flags string) {
	t.Helper()
	c, line, err := parse("train " + strings.ReplaceAll(flags, "'", ""))
	must(t, err)
	if err := c.Train.resolve(line, nil); err != nil {
		t.Errorf("train %s: %v", flags, err)
	}
	if _, err := c.Train.members(); err != nil {
		t.Errorf("train %s: %v", flags, err)
	}
}

// TestDefaultsTrainEachModel checks that the settings that are not given are legal for each model, with
// each encoder, also in the examples of its help.
func TestDefaultsTrainEachModel(t *testing.T) {
	var all []string
	for _, name := range modelNames {
		all = append(all, "--model "+name)
	}
	for _, name := range []string{"core-3", "rsn", "conve-7-8-3", "interstellar-wn18rr"} {
		for _, encoder := range []string{"rgcn", "compgcn-sub", "blm --message quate"} {
			all = append(all, "--model "+name+" --encoder "+encoder)
		}
	}
	for _, flags := range append(all, "--structure 1,0,0;0,2,0;0,0,3", "--structure bique --translate",
		"--encoder blm --message 1,0,0;0,2,0;0,0,3 --structure complex", "--recipe compgcn --model rsn",
		"--recipe rsn --model diag", "--recipe compgcn --model core-3", "--recipe basic --model core-3",
		"--model interstellar") {
		c, line, err := parse("train --dataset world " + flags)
		must(t, err)
		if _, err := c.Train.ResolveDefaults(line); err != nil {
			t.Errorf("train %s: %v", flags, err)
		}
		if flags != "--model interstellar" { // whose help names a cell
			checkTrain(t, "--dataset world "+flags)
		}
		for _, example := range c.Train.Selection(line).Examples {
			checkTrain(t, strings.TrimPrefix(example, "train "))
		}
	}
}

// TestDefaultsSearchEachModel does so for searches, whose first trial with a deadline is the model that
// train gives.
func TestDefaultsSearchEachModel(t *testing.T) {
	for _, flags := range []string{
		"--k 3", "--recipe compgcn --k 3", "--encoder rgcn", "--encoder blm", "--encoder compgcn-sub --k 6",
		"--recipe compgcn --model rsn", "--recipe basic --model core-3", "--task query --model core-3",
		"--model interstellar",
	} {
		checkSearch(t, flags)
	}
	for _, name := range modelNames {
		checkSearch(t, "--model "+name)
	}
}

// checkSearch checks that the settings of a search and its default model are legal.
func checkSearch(t *testing.T, flags string) {
	t.Helper()
	c, s, err := resolveSearch(flags)
	if err != nil {
		t.Errorf("search %s: %v", flags, err)
		return
	}
	if c.Task != completion.TaskName {
		return
	}
	first := defaultModel(t, flags+" --minutes 5")
	f := s.FirstForm()
	model := recipe.Recipe{Form: f, Recipe: first.Settings.Recipe}
	if f == form.Bilinear {
		return // its dimension follows the chunks of ComplEx
	}
	if err := model.Training.ValidateFor(model.Member(model.Structure, 1)); err != nil {
		t.Errorf("search %s begins with an illegal model: %v", flags, err)
	}
}

// defaultModel returns a search after it has resolved the recipe of the default model.
func defaultModel(t *testing.T, flags string) *searchCommand {
	t.Helper()
	c, line, err := parse("search " + flags)
	must(t, err)
	graph := &datasets.Graph{Entities: make([]string, 1000), Valid: make([]datasets.Triple, 1)}
	_, err = c.Search.defaultRecipe(line, &completion.Task{Graph: graph})
	must(t, err)
	return &c.Search
}

// TestSearchBeginsWithRecipeOfEncoder: a search with an encoder has the settings that train has, also
// for the default model of a search for the settings of a model.
func TestSearchBeginsWithRecipeOfEncoder(t *testing.T) {
	for _, flags := range []string{
		"--encoder rgcn", "--encoder blm", "--encoder compgcn-mult --lr 0.5", "--encoder rgcn --model transe",
		"--encoder compgcn-sub --model rsn",
	} {
		want := resolveTrain(t, "--dataset mine "+flags, nil).Settings
		if got := defaultModel(t, flags+" --minutes 5").Settings.Recipe; got != want {
			t.Errorf("search %s begins with %+v, train has %+v", flags, got, want)
		}
		_, s, err := resolveSearch(flags)
		must(t, err)
		if s.Model == form.Bilinear && s.Recipe != want { // others begin with their space
			t.Errorf("search %s has %+v, train has %+v", flags, s.Recipe, want)
		}
	}
}

// TestQuerySearchHasThePathsOfTrain: a search for queries learns the paths that query train learns, so
// that it compares with it; the basic recipe learns those of two hops alone.
func TestQuerySearchHasThePathsOfTrain(t *testing.T) {
	trained, _ := query.Default(form.Bilinear)
	for flags, want := range map[string]query.Paths{
		"": trained.Paths, "--minutes 1": trained.Paths, "--recipe basic": query.BasicSettings().Paths,
		"--model q2b": query.BasicSettings().Paths, "--hops 3 --with=": {Hops: []int{3}, AnswerPower: 0.5},
	} {
		c, line, err := parse("search --task query --dataset none " + flags)
		must(t, err)
		must(t, c.Search.resolve(line, task.Size{}))
		encoded, err := c.Search.taskFlags.encode("query", search.Settings(c.Search.Settings))
		must(t, err)
		s, err := task.DecodeSettings[query.TaskSettings](encoded)
		must(t, err)
		if !slices.Equal(s.Hops, want.Hops) || !slices.Equal(s.With, want.With) || s.AnswerPower != want.AnswerPower {
			t.Errorf("search %s learns %+v, want %+v", flags, s.Paths, want)
		}
	}
}
