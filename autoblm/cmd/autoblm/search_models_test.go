package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchForSettings searches for the settings of each kind of model, and ranks with the kept one.
func TestSearchForSettings(t *testing.T) {
	withoutGPU(t)
	graph, dir := smallGraph(t), t.TempDir()
	names := []string{"conve-2-4-2", "core-2", "block-4"}
	for _, f := range form.All()[1:] {
		if f != form.Translated && f.Partitions() == 0 && f.BlockSize() == 0 {
			names = append(names, f.String())
		}
	}
	for _, name := range names {
		out := dir + "/" + name
		search := "search --dim 8 --epochs 2 --dataset " + graph + " --out " + out + " --model " + name
		has(t, object(t, search, "--budget 2"), fields{"trained": 2, "failed": 0})
		o := object(t, search, "--budget 3")
		has(t, o, fields{"trained": 3, "resumed": 2, "failed": 0, "best.#": 3, "best.0.dim": 8})
		has(t, object(t, "eval --model", out, "--dataset", graph),
			fields{"test.both.mrr": get(o, "best.0.test_mrr")})
	}
	has(t, object(t, "study show", dir+"/rotate"), fields{
		"settings.space.margins.0": 3, "settings.space.dims": nil, "best.#": 3,
	})
	text, _ := succeed(t, "study show --verbose", dir+"/rotate")
	contains(t, text, "study finished · small · rotate · 3 recipes", "round_size", "space margins")
	for _, absent := range []string{"autoblm+", "\nk ", "mutation_rate", "predictor"} {
		if strings.Contains(text, absent) {
			t.Errorf("a study of settings shows %q, which structures have:\n%s", absent, text)
		}
	}
	fail(t, 1, "budget is 2, but the study "+dir+"/rotate/study.db has 3 recipes already: "+
		"raise it, or keep 3", "study resume --budget 2", dir+"/rotate")
	has(t, object(t, "study show", dir+"/rotate"), fields{"budget": 3})
}

// TestSearchForSettingsByConfig checks that the configuration of a search for settings repeats it, with
// the same values to try and the given flags.
func TestSearchForSettingsByConfig(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	for name, given := range map[string]string{
		"rotate": "--dim 8 --negatives 8 --margin 3", "gqe": "--dim 8", "transe": "--dim 8 --margin 9",
		"diag": "--dim 8 --entity-l2 0.1",
	} {
		first := object(t, "search --epochs 1 --budget 12 --model", name, given, "--dataset", graph,
			"--out", dir+"/first-"+name)
		again := object(t, "search --config", dir+"/first-"+name+"/config.yaml --out", dir+"/again-"+name)
		if asText(t, first["best"]) != asText(t, again["best"]) || len(first["best"].([]any)) < 8 {
			t.Errorf("%s: the configuration gives %v, not %v", name, again["best"], first["best"])
		}
	}
}

// TestGivenSampling checks that a search that varies the number of negatives begins with some if a setting
// that needs them is given.
func TestGivenSampling(t *testing.T) {
	for given, want := range map[string]kge.Sampling{
		"":                             {},
		"--margin 9":                   {Negatives: 64, Margin: 9},
		"--negatives 8 --margin 9":     {Negatives: 8, Margin: 9},
		"--no-subsampling --margin 20": {Negatives: 64, Margin: 20},
	} {
		_, s, err := resolveSearch("--model rotate " + given)
		must(t, err)
		if s.Training.Sampling != want {
			t.Errorf("%q: %+v, want %+v", given, s.Training.Sampling, want)
		}
		if strings.Contains(given, "margin") && len(s.Space.Margins) > 0 {
			t.Errorf("%q: it tries the margins %v", given, s.Space.Margins)
		}
	}
	_, s, err := resolveSearch("--model rotate --adversarial-temperature 0.25")
	must(t, err)
	if s.Training.Negatives != 64 || s.Training.AdversarialTemperature != .25 || s.Training.Margin <= 0 {
		t.Errorf("with a temperature: %+v, %+v", s.Training.Sampling, s.Training.SelfAdversarial)
	}
}

// TestSearchForACell searches for a cell of Interstellar, resumes, and ranks with the kept model.
func TestSearchForACell(t *testing.T) {
	withoutGPU(t)
	graph, dir := smallGraph(t), t.TempDir()
	search := "search --model interstellar --dim 8 --epochs 1 --walk-hops 2 --dataset " + graph +
		" --out " + dir
	object(t, search, "--budget 3")
	o := object(t, search, "--budget 5")
	has(t, o, fields{"trained": 5, "resumed": 3, "failed": 0})
	cells := map[string]bool{}
	for _, b := range o["best"].([]any) {
		cells[asText(t, get(b, "model"))] = true
	}
	if len(cells) < 3 {
		t.Errorf("cells %v", cells)
	}
	has(t, object(t, "study resume --budget 6", dir), fields{"trained": 6, "resumed": 5})
	has(t, object(t, "eval --model", dir, "--dataset", graph),
		fields{"model": get(object(t, "study show", dir), "best.0.model")})
	text, _ := succeed(t, "study show --verbose", dir)
	contains(t, text, "Best settings", "settings of 1: ", "interstellar-")
	refuse(t, []refusal{
		{cli.Misuse, "interstellar has no cell", "train --model interstellar --dataset " + graph},
		{cli.Misuse, "queries do not train with", "search --task query --model interstellar"},
	})
}

// TestSearchSpaceHelp checks that help lists the values that are tried, without a given flag.
func TestSearchSpaceHelp(t *testing.T) {
	help, _ := succeed(t, "search --model rotate --margin 9 --negatives 64 --help")
	contains(t, help, "Values to try for rotate", "init-scale", "adversarial-temperature")
	for _, absent := range []string{", 24", "negatives  "} {
		if strings.Contains(help, absent) {
			t.Errorf("help with a margin has %q", absent)
		}
	}
	help, _ = succeed(t, "search --model interstellar --help")
	contains(t, help, "cell", "walk-hops")
	help, _ = succeed(t, "search --task query --model rsn --help")
	contains(t, help, "queries do not train with rsn")
	if strings.Contains(help, "\n  --walk-hops ") || strings.Contains(help, "\n  --batch ") {
		t.Errorf("help with a model that the task does not train has values to try:\n%s", help)
	}
	help, _ = succeed(t, "search --task query --model block-4 --help")
	contains(t, help, "Values to try for block-4", "init-scale")
	for _, line := range strings.Split(help[strings.Index(help, "Values to try"):], "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "--relation-prediction ") {
			t.Errorf("help for queries has %q", line)
		}
	}
	if help, _ = succeed(t, "search --help"); strings.Contains(help, "Values to try") {
		t.Error("help without a model has values to try")
	}
}

// TestSearchForSettingsRefuses checks that flags without an effect on a search for settings are refused.
func TestSearchForSettingsRefuses(t *testing.T) {
	for _, flag := range []string{"k 4", "algorithm random", "predictor none", "no-warm-start"} {
		name := strings.TrimPrefix(strings.Fields(flag)[0], "no-")
		fail(t, cli.Misuse, "transe has no structure to search for: leave "+name+" out",
			"search --model transe --"+flag)
	}
	_, _, err := resolveSearch("--k 4 --algorithm random --predictor none --no-warm-start")
	must(t, err)
}

// TestSearchForSettingsCountsRecipes checks that errors of a search for settings count recipes.
func TestSearchForSettingsCountsRecipes(t *testing.T) {
	for model, want := range map[form.Form]string{form.TransE: " recipes", form.Bilinear: " structures"} {
		s := searchRun{settings: autoblm.SearchSettings{Settings: search.BasicSettings()}}
		s.settings.Model = model
		for _, stopped := range []search.Stop{search.Interrupted, search.BudgetSpent} {
			contains(t, s.failure(&search.Result{Stopped: stopped, Trained: 2}).Error(), want)
		}
	}
}
