package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// repeats runs a training, and again with its configuration, and compares the results without
// times and folders. It returns the configuration.
func repeats(t *testing.T, command string, line ...string) string {
	t.Helper()
	dir := t.TempDir()
	first := object(t, command, strings.Join(line, " "), "--out", dir+"/first")
	config := dir + "/first/" + configName
	second := object(t, command, "--config", config, "--out", dir+"/second")
	for _, result := range []map[string]any{first, second} {
		for _, differs := range []string{"out", "study", "seconds", "overhead"} {
			delete(result, differs)
		}
		for _, list := range []string{"best", "baselines", "retrained", "tuned", "members"} {
			trials, _ := result[list].([]any)
			for _, trial := range trials {
				delete(trial.(map[string]any), "seconds")
				delete(trial.(map[string]any), "out")
			}
		}
	}
	same(t, command+" "+strings.Join(line, " "), second, first)
	return readFile(t, config)
}

// TestConfigRepeatsATraining to the bit: its losses, validations and metrics.
func TestConfigRepeatsATraining(t *testing.T) {
	data := " --dataset " + smallGraph(t)
	config := repeats(t, "train", data, "--dim 8 --epochs 3 --lr 0.03 --structure -1,0;2,-1")
	contains(t, config, " train --config FOLDER/config.yaml repeats this run.\n", "\ndim: 8\n", "\nlr: 0.03\n", "\nn3: 0.02\n",
		"\nstructure: -1,0;2,-1\n", "\nengine: cpu\n")
	if strings.Contains(config, "\nout:") || strings.Contains(config, "precision: auto") {
		t.Errorf("the configuration has a folder or no precision:\n%s", config)
	}
	repeats(t, "train", data, "--epochs 2 --dim 8 --recipe rescal --members 2 --no-eval")
	repeats(t, "train", data, "--epochs 2 --dim 8 --model rotate --validate-every 1 --seed 9")
	repeats(t, "train", data, "--epochs 2 --dura 0.1 --minutes 5")
	rotate := " --model rotate --epochs 2 --dim 8 --negatives 2"
	config = repeats(t, "train", data, rotate, "--no-subsampling --adversarial-temperature 0")
	contains(t, config, "\nsubsampling: false\n", "\nadversarial-temperature: 0\n")
	repeats(t, "query train", data, "--epochs 2 --dim 8 --structure simple --hops 2 --with 1")
	repeats(t, "query train", data, "--epochs 2 --dim 8 --model q2b --negatives 4 --hops 2 --with 1")
	nodes := " --dataset " + kinds(t, nil)
	config = repeats(t, "classify train", nodes, "--epochs 2 --layers 1 --runs 1 --tune 2 --dim 12 --l2 0")
	contains(t, config, "\ndim: 12\n", "\nl2: 0\n", "\n# lr: ", "\n# norm: ")
	if strings.Contains(config, "# lr: 0.01\n") {
		t.Errorf("the configuration has the default in place of the learning rate of the training:\n%s", config)
	}
}

// TestConfigRepeatsASearch with the same trials.
func TestConfigRepeatsASearch(t *testing.T) {
	data := " --dataset " + smallGraph(t)
	repeats(t, "search", data, "--recipe basic --budget 4 --seed 3"+quickSearch)
	config := repeats(t, "search", data, "--tune 2 --retrain-dims 8,16 --retrain-epochs 2"+
		" --retrain-seeds 1 --halving 0"+quickSearch)
	contains(t, config, "\nretrain-dims: [8, 16]\n", "\ntask: completion\n")
	if strings.Contains(config, "\nhops") || strings.Contains(config, "study") {
		t.Errorf("the configuration has flags of another task, or the study:\n%s", config)
	}
}

// TestConfigOfATimedSearch leaves open what the search plans and what its default model trains
// with.
func TestConfigOfATimedSearch(t *testing.T) {
	c, line, err := parse("search --minutes 5 --lr 0.2 --halving 0")
	must(t, err)
	_, err = c.Search.settings(line, task.Size{Entities: 900, Examples: 2000, Validation: 200})
	must(t, err)
	planned := search.Settings(c.Search.Settings)
	planned.Training.Dim, planned.Budget = 32, 17
	content, err := c.Search.config(line, planned)
	must(t, err)
	contains(t, string(content), "\n# dim: 32\n", "\n# budget: 17\n", "\n# n3: ", "\nlr: 0.2\n",
		"\nhalving: 0\n", "\nminutes: 5\n", "\nseed: 1\n")
}

// TestConfigLayers: a recipe in a file acts as --recipe does, settings in it override the recipe,
// and the command line overrides the file.
func TestConfigLayers(t *testing.T) {
	file := writeFile(t, `# settings of a project
recipe: n3
dataset: wn18rr
dim: 16
reciprocal: false
lr: 1e-2
`, t.TempDir(), "run.yaml")
	n3 := namedRecipe(t, "n3", "wn18rr")
	for more, dim := range map[string]int{"": 16, " --dim 8": 8, " --dim=8 --no-reciprocal": 8} {
		c := resolveTrain(t, "--config "+file+more, nil)
		want := withAutoPrecision(n3.Recipe)
		want.Training.Dim, want.Training.Reciprocal, want.LearningRate = dim, false, 0.01
		if c.Settings != want || c.Dataset != "wn18rr" {
			t.Errorf("%s: %+v, want %+v", more, c.Settings, want)
		}
	}
	help, _ := succeed(t, "train --config", file, "--help")
	contains(t, help, "Training (recipe n3)", "--dim=16", "--lr=0.01", "relations (off)")
	query := writeFile(t, "hops: [3]\nwith: [1, 2]\nstructure: complex\ndataset: g", t.TempDir(), "q")
	c, line, err := parse("query train --config " + query)
	must(t, err)
	must(t, c.Query.Train.resolve(line))
	same(t, "paths", c.Query.Train.Paths.TrainingHops(), []int{1, 2, 3})
}

func TestInvalidConfigs(t *testing.T) {
	for content, want := range map[string]string{
		"dim: 8\nepoch: 3":   "line 2: autoblm train has no flag --epoch; did you mean epochs?",
		"zzzz: 3":            "line 1: autoblm train has no flag --zzzz; see autoblm train --help-all",
		"json: true":         "has no flag --json",
		"config: other.yaml": "has no flag --config",
		"dim: 0":             "dim is 0: it must be",
		"dim: many":          `--dim is "many": it must be a whole number`,
		"dim: 8\ndim: 9":     "line 2: dim is given twice",
		"dim:":               "line 1: dim: it must have one value",
		"dim: {a: 1}":        "dim: it must have one value",
		"- dim":              "it does not map flags to values",
		"dim: 8\n---\nn3: 1": "second document",
		"dim: [":             "yaml",
	} {
		file := writeFile(t, content, t.TempDir(), "run.yaml")
		fail(t, cli.Misuse, want, "train --dataset world --config", file)
	}
	fail(t, cli.Misuse, "nowhere.yaml", "train --dataset world --config nowhere.yaml")
	fail(t, cli.Misuse, "is a folder", "train --dataset world --config", t.TempDir())
	fail(t, cli.Misuse, "--dataset", "train --config", writeFile(t, "", t.TempDir(), "empty.yaml"))
}
