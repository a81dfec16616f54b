package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// ranked is a complete trial of a stage with a test MRR and H@10, measured on a number of triples.
func ranked(t *testing.T, stage task.Stage, name string, seed uint64, mrr, hits10 float64,
	triples int) task.Trial {
	t.Helper()
	e := completion.Evaluation{Triples: triples,
		Both: eval.Metrics{MRR: mrr, Hits10: hits10, MeanRank: 2}}
	details, err := completion.Evaluations{Valid: &e, Test: &e}.Details()
	must(t, err)
	trial := task.Trial{Stage: stage, Name: name, State: task.Complete, Score: &mrr, TestScore: &mrr,
		Details: details, Structure: structure.MustParse("0,1,0,0;2,0,0,0;0,0,0,3;0,0,4,1")}
	if name != "" {
		trial.Structure = structure.MustParse(name)
	}
	if trial.Recipe.Seed = seed; stage == task.Searching && name == "" {
		trial.Round = 1
	}
	return trial
}

// TestSearchBlock compares the final output of searches with files. -update writes them.
func TestSearchBlock(t *testing.T) {
	program := os.Args[0]
	os.Args[0] = "/usr/bin/autoblm" // commands name this program
	t.Cleanup(func() { os.Args[0] = program })
	kept := func(trial task.Trial) task.Trial {
		trial.Kept = true
		return trial
	}
	run := func(stage task.Stage, name string, seed uint64, mrr float64, triples int) task.Trial {
		return ranked(t, stage, name, seed, mrr, mrr+0.2, triples)
	}
	const few, many = 200, 1_000_000
	members := &task.Selection{Candidates: []int{1, 3}, Members: []int{3, 1}}
	for name, c := range map[string]struct {
		trials   []task.Trial
		plan     *search.Plan
		stopped  search.Stop
		limit    time.Duration // without a plan
		model    form.Form
		noTest   bool
		noChoice bool
	}{
		"structure": {stopped: search.BudgetSpent, trials: []task.Trial{
			run(task.Default, "complex", 1, 0.40, many),
			run(task.Searching, "", 1, 0.38, many),
			kept(run(task.Retraining, "", 1, 0.45, many)),
		}},
		"structure-seeds": {stopped: search.BudgetSpent, trials: []task.Trial{
			run(task.Searching, "", 1, 0.38, few),
			run(task.Retraining, "complex", 1, 0.41, few), run(task.Retraining, "complex", 2, 0.43, few),
			run(task.Retraining, "", 1, 0.46, few), kept(run(task.Retraining, "", 2, 0.4801, few)),
		}},
		"ensemble": {stopped: search.TimeLimitReached, plan: &search.Plan{Limit: time.Minute},
			trials: []task.Trial{
				run(task.Default, "complex", 1, 0.404, few),
				run(task.Searching, "", 1, 0.38, few),
				run(task.Retraining, "", 1, 0.391, few),
				func() task.Trial {
					ensemble := kept(run(task.EnsembleSelection, "", 1, 0.412, few))
					ensemble.Ensemble, ensemble.Structure = members, structure.Structure{}
					return ensemble
				}(),
			}},
		"baseline": {stopped: search.TimeLimitReached, plan: &search.Plan{Limit: time.Minute},
			trials: []task.Trial{
				kept(run(task.Default, "complex", 1, 0.41, few)),
				run(task.Searching, "", 1, 0.34, few),
				run(task.Retraining, "", 1, 0.381, few),
			}},
		"nothing-searched": {stopped: search.TimeLimitReached,
			plan: &search.Plan{Limit: time.Minute, NoSearch: true}, trials: []task.Trial{
				run(task.Default, "complex", 1, 0.40, few),
				kept(run(task.Retraining, "distmult", 1, 0.50, many)),
			}},
		"recipes": {stopped: search.TimeLimitReached, limit: time.Minute, model: form.TransE,
			trials: []task.Trial{func() task.Trial {
				trial := kept(run(task.Default, "", 1, 0.40, few))
				trial.Form, trial.Structure = form.TransE, structure.Structure{}
				return trial
			}()},
		},
		"interrupted": {stopped: search.Interrupted, trials: []task.Trial{
			run(task.Searching, "distmult", 1, 0.30, few),
			kept(run(task.Searching, "", 1, 0.31, few)),
		}},
		"cannot-select": {stopped: search.CannotSelect, noChoice: true, trials: []task.Trial{
			kept(run(task.Default, "complex", 1, 0.40, few)),
		}},
		"no-test": {stopped: search.SpaceExhausted, noTest: true, trials: []task.Trial{
			kept(run(task.Default, "complex", 1, 0.40, few)),
			run(task.Searching, "", 1, 0.34, few),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			settings := search.BasicSettings()
			settings.Budget, settings.TimeLimit, settings.Model = 56, c.limit, c.model
			g := enginetest.Graph()
			if c.noChoice {
				g.Valid = nil
			}
			for i := range c.trials {
				c.trials[i].Number, c.trials[i].Seconds = i+1, 7
				if c.noTest {
					c.trials[i].TestScore = nil
				}
			}
			r := search.Summarize(settings, c.trials, nil)
			r.Stopped, r.Plan, r.Artifact = c.stopped, c.plan, task.Files{}
			s := searchRun{out: "o", problem: problem{
				OpenTask: &tasks.OpenTask{Task: &completion.Task{Graph: g}},
				identity: task.Identity{Dataset: "world"}}}
			s.settings.Settings, s.settings.Study = settings, "o/study.db"
			var text strings.Builder
			o := &output{Stdout: &cli.SafeWriter{W: &text}}
			o.Show(s.block(r))
			checkLines(t, text.String(), 15)
			checkGolden(t, filepath.Join("testdata", "blocks", name+".txt"), text.String())
		})
	}
}

// checkLines checks that a text has at most a number of lines, and no line above 80 columns.
func checkLines(t *testing.T, text string, most int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > most {
		t.Errorf("%d lines, at most %d are allowed:\n%s", len(lines), most, text)
	}
	for _, line := range lines {
		if n := format.Width(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// checkGolden compares a text with a file, or writes the file with -update.
func checkGolden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		writeFile(t, text, file)
		return
	}
	if want := readFile(t, file); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
