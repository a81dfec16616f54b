package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/require"
)

func TestStructureCountJSON(t *testing.T) {
	has(t, object(t, "structure count --k 2 --group paper"),
		fields{"total": "59", "by_nonzeros.#": 5, "k": 2, "group": "paper"})
}

// TestSavedModelRanksTheSame: a loaded model ranks as at the end of its training.
func TestSavedModelRanksTheSame(t *testing.T) {
	graph, model := smallGraph(t), t.TempDir()+"/model"
	trained := object(t, "train --structure -1,0,0,2;0,3,0,0;0,0,4,0;-2,0,0,1 --dim 16 --epochs 20",
		"--batch 32 --dataset", graph, "--out", model)
	for name, seconds := range trained["seconds"].(map[string]any) {
		if name == "epochs" {
			seconds = seconds.([]any)[0]
		}
		if name != "compile" && seconds.(float64) <= 0 { // what the native engine does not
			t.Errorf("%s takes %v seconds", name, seconds)
		}
	}
	for _, split := range []string{"valid", "test"} {
		ranked := object(t, "eval --model", model, "--dataset", graph, "--split", split)
		same(t, split, ranked[split], trained[split])
	}
}

func TestTrainMembersAreSingleRuns(t *testing.T) {
	train := "train --structure simple --dim 8 --epochs 3 --batch 32 --dataset " + smallGraph(t)
	together := object(t, train, "--members 3 --seed 5")
	has(t, together, fields{"members.#": 3})
	for i := range 3 {
		alone := object(t, train, "--seed", fmt.Sprint(5+i))
		same(t, "alone", alone["test"], get(together, fmt.Sprintf("members.%d.test", i)))
	}
}

// TestUnvalidatedTrainingNeedsNoPatience: --validate-every 0 implies no patience.
func TestUnvalidatedTrainingNeedsNoPatience(t *testing.T) {
	train := "train --dataset world --validate-every 0 --out " + t.TempDir() + quick
	succeed(t, train)
	fail(t, cli.Misuse, "patience is 2", train, "--patience 2")
}

// TestTrainWithoutValidAndTest: a graph of training triples alone trains every model by its recipe.
func TestTrainWithoutValidAndTest(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, "\ufeffa\tr\tb\r\nb\tr\tc\r\n\r\n", dir, "train.tsv")
	for _, model := range []string{"--model rotate", "--model tucker", "--recipe transh", "--model conve-2-4-2 --backend go",
		"--structure simple --recipe dense"} {
		succeed(t, "train --dim 8 --epochs 1", model, "--dataset", dir)
		fail(t, cli.Failed, "no validation data", "train --validate-every 1", model, "--dataset", dir)
	}
	o := object(t, "train --structure 1,-2;2,1 --dim 4 --epochs 1 --batch 1 --max-steps 2 --no-eval",
		"--dataset", dir)
	has(t, o, fields{"valid": nil, "test": nil})
	if number(t, o, "seconds.per_step") <= 0 {
		t.Errorf("%v", o)
	}
	search := "search --recipe basic --dim 4 --epochs 1 --dataset " + dir + " --out " + t.TempDir()
	has(t, object(t, search), fields{
		"stopped": "no validation", "kept.from": "baseline", "kept.dim": 4, "kept.valid_mrr": nil,
	})
}

func TestSearchJSON(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	search := searchIn(dir, graph)
	first := object(t, search)
	has(t, first, fields{"trained": 10, "resumed": 0, "stopped": "budget", "baselines.#": 5})
	for _, file := range []string{"best.png", "best.svg", "structures.png", "structures.svg",
		"search.png", "search.svg", "model/model.json"} {
		if readFile(t, dir, "out", file) == "" {
			t.Errorf("%s is empty", file)
		}
	}
	ranked := object(t, "eval --model", dir+"/out/model", "--dataset", graph)
	has(t, ranked, fields{"test.both.mrr": get(first, "best.0.test_mrr")})

	second := object(t, search)
	has(t, second, fields{"resumed": 10})
	second["resumed"] = first["resumed"]
	same(t, "the second run of a finished search", second, first)

	fail(t, cli.Failed, ": repeat autoblm search ", searchIn(dir, "world"))
	text, _ := succeed(t, search, "--verbose")
	contains(t, text, "QuatE", "┌", "alidation MRR")
}

func TestSearchOfTwoChunks(t *testing.T) {
	o := object(t, searchIn(t.TempDir(), smallGraph(t)), "--k 2 --budget 30")
	has(t, o, fields{"stopped": "space exhausted", "trained": 20, "baselines.#": 3})
	o = object(t, searchIn(t.TempDir(), smallGraph(t)), "--k 3 --dim 9 --budget 1")
	has(t, o, fields{"baselines.#": 0})
	contains(t, o["note"].(string), "without baselines")
}

// TestDimensionOfComparison: the comparison of numbers of chunks has a dimension of its own.
func TestDimensionOfComparison(t *testing.T) {
	line := "ablate k --seeds 1 --budget 1 --round-size 1 --candidates 4 --epochs 1 --out"
	has(t, object(t, line, t.TempDir()+"/compared", "--dataset", smallGraph(t)), fields{"dim": 60})
}

func TestInterruptedSearchSaysHowToGoOn(t *testing.T) {
	search := searchIn(t.TempDir(), smallGraph(t))
	status, stdout, stderr := invoke(cancelled(t), search, "--json")
	contains(t, stdout, `"stopped":"interrupted"`)
	contains(t, stderr, "resume with: ", " search --recipe basic --dataset ")
	if status != cli.Failed || strings.Count(stderr, " --study ") != 1 ||
		strings.Count(stderr, " --out ") != 1 {
		t.Errorf("status %d, or the command says twice, or not, where the search is: %q", status, stderr)
	}
	has(t, object(t, search), fields{"stopped": "budget"})
}

// TestRefusals: wrong usage exits with 2, other failures with 1, each with a one-line error.
func TestRefusals(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	broken := filepath.Dir(writeFile(t, "a\tr\tb\nno tabs here\n", dir, "broken", "train.txt"))
	empty := filepath.Dir(writeFile(t, "", dir, "empty", "train.txt"))
	train := "train --structure complex --dim 8 --epochs 1 --dataset " + graph
	split := "dataset import " + graph + "/train.txt --out "
	refuse(t, []refusal{
		{cli.Misuse, "conjure", "conjure"},
		{cli.Misuse, "--nope", train + " --nope"},
		{cli.Misuse, "row 2", "structure check 1,2;3"},
		{cli.Misuse, "9", "structure check 9,0;0,1"},
		{cli.Misuse, "nowhere.txt", "structure check @nowhere.txt"},
		{cli.Misuse, "99", "structure count --k 99"},
		{cli.Misuse, "multiple of the 4 chunks", train + " --dim 10"},
		{cli.Misuse, "lr is NaN", train + " --lr NaN"},
		{cli.Misuse, "engine", train + " --engine torch"},
		{cli.Misuse, "unknown backend", train + " --backend abacus"},
		{cli.Failed, "xla:/nowhere/cuda.so", train + " --backend xla:/nowhere/cuda.so"},
		{cli.Failed, "cpu", train + " --engine cpu --backend go"},
		{cli.Failed, "diverged", train + " --lr 1e38 --epochs 3"},
		{cli.Misuse, "--seed", train + " --seed -1"},
		{cli.Failed, "nowhere", "dataset info nowhere"},
		{cli.Failed, "nowhere", "dataset fetch nowhere"},
		{cli.Failed, filepath.Join(broken, "train.txt") + ":2", "dataset info " + broken},
		{cli.Failed, "train", "dataset info " + empty},
		{cli.Failed, "it is a data set", "eval --model " + broken + " --dataset " + graph},
		{cli.Misuse, "--head", "predict --relation r --model " + broken},
		{cli.Misuse, "--model is given twice", "predict --relation r --head h --model m --model " + broken},
		{cli.Misuse, "--translate", train + " --model translated"},
		{cli.Misuse, "translate", "search --model translated"},
		{cli.Misuse, "budget", "search --budget 0"},
		{cli.Misuse, "lr is NaN", "search --lr NaN"},
		{cli.Misuse, "", split + empty + "/new --valid 2"},
		{cli.Failed, "already holds", split + graph},
	})
}

// TestSplitIntoAFolderNamedLikeAPattern: the name of a folder is not a pattern.
func TestSplitIntoAFolderNamedLikeAPattern(t *testing.T) {
	split := "dataset import " + smallGraph(t) + "/train.txt --out "
	t.Chdir(t.TempDir())
	for _, out := range []string{"ab", "my[graph]", "a*"} {
		object(t, split, out)
		fail(t, cli.Failed, fmt.Sprintf("%s already holds a data set (%s): use another --out", out,
			strings.Join([]string{out + "/test.txt", out + "/train.txt", out + "/valid.txt"}, ", ")), split, out)
	}
}

// TestImportReplacesNothing: a folder with a part of a graph is refused.
func TestImportReplacesNothing(t *testing.T) {
	out := t.TempDir()
	writeFile(t, "a\tr\tb\n", out, "facts.tsv")
	for _, name := range []string{"valid.txt", "weights.txt", "entity2type.txt", "test_neg.txt"} {
		writeFile(t, "mine\n", out, name)
		fail(t, cli.Failed, name+"): use another --out", "dataset import", out+"/facts.tsv", "--out", out)
		require.NoError(t, os.Remove(filepath.Join(out, name)))
	}
	succeed(t, "dataset import", out+"/facts.tsv", "--out", out)
}

// TestUnwritableFolders: commands check their folders first. A search whose pictures cannot be
// written still prints its result.
func TestUnwritableFolders(t *testing.T) {
	graph := smallGraph(t)
	fail(t, cli.Failed, "folder", "train --dataset", graph, quick, "--out", graph+"/train.txt/model")
	fail(t, cli.Failed, "folder", "search --recipe basic --dataset", graph, "--out",
		graph+"/train.txt/out")
	dir := t.TempDir()
	writeFile(t, "", dir, "out")
	fail(t, cli.Failed, "folder", searchIn(dir, graph))
	dir = t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "out", "best.png", "in the way"), 0o755))
	status, stdout, stderr := invoke(t.Context(), searchIn(dir, graph))
	contains(t, stderr, "best.png is a folder")
	if status != cli.Failed || !strings.Contains(stdout, "baseline") {
		t.Errorf("search: status %d, %q, %q", status, stderr, stdout)
	}
}

func TestInterruptedTrainingKeepsItsModel(t *testing.T) {
	graph, model := smallGraph(t), t.TempDir()+"/model"
	interruptEarly(t, "train --structure simple --dim 4 --epochs 100000000 --patience 0 --dataset",
		graph, "--out", model)
	object(t, "eval --model", model, "--dataset", graph)
}

// interruptEarly interrupts a training after its first epoch.
func interruptEarly(t *testing.T, line ...string) {
	t.Helper()
	for limit := 20 * time.Millisecond; ; limit *= 2 { // until there is time for an epoch
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		status, _, stderr := invoke(ctx, line...)
		cancel()
		isEarly := strings.Contains(stderr, "before the first ") ||
			strings.Contains(stderr, context.DeadlineExceeded.Error()) // while reading
		if status == cli.Failed && isEarly && limit < time.Minute {
			continue
		}
		if status != cli.Failed || !strings.Contains(stderr, "interrupted after epoch") {
			t.Fatalf("status %d, %q", status, stderr)
		}
		return
	}
}

func TestPredictKnown(t *testing.T) {
	graph, model := smallGraph(t), t.TempDir()+"/model"
	object(t, "train --dataset", graph, quick, "--out", model)
	model += " --any"
	for known, want := range map[string][2]int{"mark": {37, 2}, "drop": {35, 0}, "keep": {37, 0}} {
		o := object(t, "predict --head e10 --relation near --top 0 --model", model, "--known", known)
		marked := 0
		for _, a := range o["answers"].([]any) {
			if get(a, "known") == true { // e10 is near e08 and e12
				marked++
			}
		}
		if number(t, o, "answers.#") != float64(want[0]) || marked != want[1] {
			t.Errorf("--known %s: %v answers, %d known, want %v", known, get(o, "answers.#"), marked, want)
		}
	}
}

func TestVersion(t *testing.T) {
	built := object(t, "version")
	stdout, _ := succeed(t, "version")
	lines := strings.Split(stdout, "\n")
	if len(lines) != 4 || lines[0] != "autoblm "+built["version"].(string) ||
		!strings.HasPrefix(lines[1], "commit ") ||
		lines[2] != runtime.Version()+" on "+runtime.GOOS+"/"+runtime.GOARCH ||
		built["go"] != runtime.Version() || built["commit"] == nil {
		t.Errorf("%q, in JSON %v", stdout, built)
	}
}

func TestDatasetListJSON(t *testing.T) {
	t.Setenv("AUTOBLM_DATA", t.TempDir())
	listed := map[any]any{}
	for _, o := range object(t, "dataset list")["datasets"].([]any) {
		listed[get(o, "name")] = o
	}
	has(t, listed["world"], fields{
		"available": true, "entities": 844, "folder": "", "licence": "ODbL 1.0", "relations": 6,
		"test": 243, "train": 1868, "valid": 243,
	})
	has(t, listed["fb15k-237"], fields{
		"available": false, "entities": 14541, "folder": "", "relations": 237, "test": 20466,
		"train": 272115, "valid": 17535,
		"licence": "unstated in the source (Freebase content was published under CC BY)",
	})
}

func TestDatasetInfoShowsRelations(t *testing.T) {
	o := object(t, "dataset info world")
	has(t, o, fields{"each_relation.#": 6})
	has(t, get(o, "each_relation.0"), fields{
		"example.head": "Afghanistan", "example.relation": "borders", "example.tail": "Iran",
		"pattern": "symmetric", "relation": "borders", "test": 86, "train": 478, "valid": 86,
	})
	has(t, object(t, "dataset info world --top 2"), fields{"each_relation.#": 2})
	stdout, _ := succeed(t, "dataset info world --top 1")
	contains(t, stdout, "for example", "borders     478     86    86  symmetric  Afghanistan → Iran",
		"(the most frequent of 6; --top 0 lists all)")
}
