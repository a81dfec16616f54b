package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// invoke runs the program as a shell would.
func invoke(ctx context.Context, arguments ...string) (status int, stdout, stderr string) {
	var out, messages bytes.Buffer
	status = run(ctx, arguments, &out, &messages)
	return status, out.String(), messages.String()
}

// object runs the program with --json and returns the one object it prints.
func object(t *testing.T, arguments ...string) map[string]any {
	t.Helper()
	status, stdout, stderr := invoke(t.Context(), append(arguments, "--json")...)
	if status != cli.Done {
		t.Fatalf("%v: exit status %d: %s", arguments, status, stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	var o map[string]any
	if err := decoder.Decode(&o); err != nil {
		t.Fatalf("%v: %v in %q", arguments, err, stdout)
	}
	if decoder.More() {
		t.Fatalf("%v: more than one JSON value: %q", arguments, stdout)
	}
	return o
}

// smallGraph writes a small graph into a folder.
func smallGraph(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	if err := datasets.WriteFolder(enginetest.Graph(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestStructureCountJSON(t *testing.T) {
	o := object(t, "structure", "count", "--k", "2", "--group", "paper")
	if o["total"] != "59" || len(o["by_nonzeros"].([]any)) != 5 || o["k"] != 2.0 ||
		o["group"] != "paper" {
		t.Errorf("count: %v", o)
	}
}

// TestSavedModelRanksTheSame: a loaded model ranks as at the end of its training.
func TestSavedModelRanksTheSame(t *testing.T) {
	graph, model := smallGraph(t), filepath.Join(t.TempDir(), "model")
	trained := object(t, "train", "--dataset", graph, "--structure",
		"-1,0,0,2;0,3,0,0;0,0,4,0;-2,0,0,1", "--dim", "16", "--epochs", "20", "--batch", "32", "--out",
		model)
	for name, seconds := range trained["seconds"].(map[string]any) {
		if name != "compile" && seconds.(float64) <= 0 { // what the native engine does not
			t.Errorf("%s takes %v seconds", name, seconds)
		}
	}
	for _, split := range []string{"valid", "test"} {
		ranked := object(t, "eval", "--model", model, "--dataset", graph, "--split", split)
		if got, want := asText(t, ranked[split]), asText(t, trained[split]); got != want {
			t.Errorf("%s: eval of the saved model has %s, train had %s", split, got, want)
		}
	}
}

func TestTrainMembersAreSingleRuns(t *testing.T) {
	graph := smallGraph(t)
	base := []string{"train", "--dataset", graph, "--structure", "simple", "--dim", "8", "--epochs",
		"3", "--batch", "32"}
	together := object(t, append(base, "--members", "3", "--seed", "5")...)
	members := together["members"].([]any)
	if len(members) != 3 {
		t.Fatalf("%d members, want 3", len(members))
	}
	for i, seed := range []string{"5", "6", "7"} {
		alone := object(t, append(base, "--seed", seed)...)
		a := alone["test"].(map[string]any)["both"].(map[string]any)["mrr"].(float64)
		b := members[i].(map[string]any)["test"].(map[string]any)["both"].(map[string]any)["mrr"].(float64)
		if a-b > 1e-6 || b-a > 1e-6 {
			t.Errorf("seed %s: test MRR %v alone, %v among members", seed, a, b)
		}
	}
}

// TestUnvalidatedTrainingNeedsNoPatience: --validate-every 0 implies no patience.
func TestUnvalidatedTrainingNeedsNoPatience(t *testing.T) {
	train := []string{"train", "--dataset", "world", "--structure", "complex", "--dim", "8",
		"--epochs", "1", "--validate-every", "0", "--out", t.TempDir()}
	if status, _, stderr := invoke(t.Context(), train...); status != 0 {
		t.Errorf("status %d, %q", status, stderr)
	}
	if status, _, stderr := invoke(t.Context(),
		append(train, "--patience", "2")...); status != cli.Misuse ||
		!strings.Contains(stderr, "patience is 2") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestTrainWithoutValidAndTest(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "train.tsv"), []byte("\ufeffa\tr\tb\r\nb\tr\tc\r\n\r\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	o := object(t, "train", "--dataset", dir, "--structure", "1,-2;2,1", "--dim", "4", "--epochs", "1",
		"--batch", "1", "--max-steps", "2", "--no-eval")
	if o["valid"] != nil || o["test"] != nil ||
		o["seconds"].(map[string]any)["per_step"].(float64) <= 0 {
		t.Errorf("%v", o)
	}
	if status, _, stderr := invoke(t.Context(), "search", "--recipe", "basic", "--dataset", dir,
		"--out", t.TempDir()); status != cli.Failed || !strings.Contains(stderr, "validation") {
		t.Errorf("a search without validation triples: status %d, %q", status, stderr)
	}
}

func searchArguments(graph, dir string, more ...string) []string {
	return append([]string{"search", "--recipe", "basic", "--dataset", graph, "--study",
		filepath.Join(dir, "study.db"), "--out", filepath.Join(dir, "out"),
		"--budget", "10", "--dim", "8", "--epochs", "2", "--batch", "64", "--candidates", "16",
		"--round-size", "4"}, more...)
}

func TestSearchJSON(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	first := object(t, searchArguments(graph, dir)...)
	if first["trained"] != 10.0 || first["resumed"] != 0.0 || first["stopped"] != "budget" ||
		len(first["baselines"].([]any)) != 5 {
		t.Errorf("search: %v", first)
	}
	for _, file := range []string{"best.png", "best.svg", "structures.png", "structures.svg",
		"search.png", "search.svg", "model/model.json"} {
		if info, err := os.Stat(filepath.Join(dir, "out", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", file, err)
		}
	}
	ranked := object(t, "eval", "--model", filepath.Join(dir, "out", "model"), "--dataset", graph)
	if got, want := ranked["test"].(map[string]any)["both"].(map[string]any)["mrr"],
		first["best"].([]any)[0].(map[string]any)["test_mrr"]; got != want {
		t.Errorf("the saved model has test MRR %v, the search says %v", got, want)
	}

	second := object(t, searchArguments(graph, dir)...)
	if second["resumed"] != 10.0 {
		t.Errorf("the second run resumed %v trials, want 10", second["resumed"])
	}
	second["resumed"] = first["resumed"]
	if a, b := asText(t, first), asText(t, second); a != b {
		t.Errorf("the second run of a finished search prints\n%s\nthe first printed\n%s", b, a)
	}

	status, _, stderr := invoke(t.Context(), searchArguments("world", dir)...)
	if status != cli.Failed || !strings.Contains(stderr, "another search") {
		t.Errorf("the study of other data: status %d, %q", status, stderr)
	}
	status, text, stderr := invoke(t.Context(), searchArguments(graph, dir)...)
	if status != cli.Done || !strings.Contains(text, "QuatE") || !strings.Contains(text, "┌") ||
		!strings.Contains(text, "alidation MRR") {
		t.Errorf("the text of a search: status %d, %q, %q", status, text, stderr)
	}
}

func asText(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSearchOfTwoChunks(t *testing.T) {
	o := object(t, searchArguments(smallGraph(t), t.TempDir(), "--k", "2", "--budget", "30")...)
	if o["stopped"] != "space exhausted" || o["trained"] != 20.0 || len(o["baselines"].([]any)) != 0 ||
		!strings.Contains(o["note"].(string), "without baselines") {
		t.Errorf("%v", o)
	}
}

func TestInterruptedSearchSaysHowToGoOn(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	arguments := searchArguments(graph, dir)
	status, stdout, stderr := invoke(ctx, append(arguments, "--json")...)
	if status != cli.Failed || !strings.Contains(stdout, `"stopped":"interrupted"`) ||
		!strings.Contains(stderr, "resume with: ") ||
		!strings.Contains(stderr, " search --recipe basic --dataset ") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	if strings.Count(stderr, " --study ") != 1 || strings.Count(stderr, " --out ") != 1 {
		t.Errorf("the command that goes on says twice, or not, where the search is: %q", stderr)
	}
	if o := object(t, arguments...); o["stopped"] != "budget" {
		t.Errorf("the same command went on to %v", o)
	}
}

// TestRefusals: wrong usage exits with 2, other failures with 1, each with a one-line error.
func TestRefusals(t *testing.T) {
	graph := smallGraph(t)
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "train.txt"), []byte("a\tr\tb\nno tabs here\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "train.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(broken, "train.txt")
	train := func(more ...string) []string {
		return append([]string{"train", "--dataset", graph, "--structure", "complex", "--dim", "8",
			"--epochs", "1"}, more...)
	}
	for name, c := range map[string]struct {
		status    int
		says      string
		arguments []string
	}{
		"unknown command":     {cli.Misuse, "conjure", []string{"conjure"}},
		"unknown flag":        {cli.Misuse, "--nope", train("--nope")},
		"missing flag":        {cli.Misuse, "--structure", []string{"train", "--dataset", graph}},
		"malformed structure": {cli.Misuse, "row 2", []string{"structure", "check", "1,2;3"}},
		"value above K":       {cli.Misuse, "9", []string{"structure", "check", "9,0;0,1"}},
		"missing structure file": {cli.Misuse, "nowhere.txt",
			[]string{"structure", "check", "@nowhere.txt"}},
		"too many chunks":      {cli.Misuse, "99", []string{"structure", "count", "--k", "99"}},
		"d not divisible by K": {cli.Misuse, "multiple of the 4 chunks", train("--dim", "10")},
		"learning rate NaN":    {cli.Misuse, "learning-rate", train("--lr", "NaN")},
		"learning rate 0":      {cli.Misuse, "learning-rate", train("--lr", "0")},
		"no members":           {cli.Misuse, "members", train("--members", "0")},
		"unknown engine":       {cli.Misuse, "engine", train("--engine", "torch")},
		"unknown backend":      {cli.Misuse, "unknown backend", train("--backend", "abacus")},
		"plugin that is not there": {cli.Failed, "xla:/nowhere/cuda.so",
			train("--backend", "xla:/nowhere/cuda.so")},
		"unknown data set":           {cli.Failed, "nowhere", []string{"dataset", "info", "nowhere"}},
		"unknown benchmark to fetch": {cli.Failed, "nowhere", []string{"dataset", "fetch", "nowhere"}},
		"malformed line":             {cli.Failed, file + ":2", []string{"dataset", "info", broken}},
		"empty train":                {cli.Failed, "train", []string{"dataset", "info", empty}},
		"no model folder": {cli.Failed, "model.json",
			[]string{"eval", "--model", broken, "--dataset", graph}},
		"neither head nor tail": {cli.Misuse, "--head",
			[]string{"predict", "--model", broken, "--relation", "r"}},
		"diverged": {cli.Failed, "diverged", train("--lr", "1e38", "--epochs", "3")},
		"budget 0": {cli.Misuse, "budget", []string{"search", "--budget", "0"}},
		"shares of a split": {cli.Misuse, "",
			[]string{"dataset", "split", filepath.Join(graph, "train.txt"), "--out", empty + "/new",
				"--valid", "2"}},
		"split into its own folder": {cli.Failed, "already holds",
			[]string{"dataset", "split", filepath.Join(graph, "train.txt"), "--out", graph}},
		"too many members":          {cli.Misuse, "members", train("--members", "1000000000")},
		"negative seed":             {cli.Misuse, "--seed", train("--seed", "-1")},
		"learning rate NaN, search": {cli.Misuse, "learning-rate", []string{"search", "--lr", "NaN"}},
		"minutes without end":       {cli.Misuse, "minutes", []string{"search", "--minutes", "inf"}},
		"threads below 0":           {cli.Misuse, "threads", train("--threads=-1")},
		"a backend for cpu":         {cli.Failed, "cpu", train("--engine", "cpu", "--backend", "go")},
	} {
		status, stdout, stderr := invoke(t.Context(), c.arguments...)
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 ||
			stdout != "" {
			t.Errorf("%s: status %d, want %d; stderr %q, which should say %q in one line; stdout %q", name,
				status, c.status, stderr, c.says, stdout)
		}
	}
}

// TestSplitIntoAFolderNamedLikeAPattern: the name of a folder is not a pattern.
func TestSplitIntoAFolderNamedLikeAPattern(t *testing.T) {
	file := filepath.Join(smallGraph(t), "train.txt")
	t.Chdir(t.TempDir())
	for _, out := range []string{"ab", "my[graph]", "a*"} {
		split := []string{"dataset", "split", file, "--out", out}
		object(t, split...)
		status, _, stderr := invoke(t.Context(), split...)
		if want := out + " already holds a data set (" + filepath.Join(out, "train.txt") +
			"): use another --out"; status != cli.Failed || !strings.Contains(stderr, want) {
			t.Errorf("%s, again: status %d, %q, which should say %q", out, status, stderr, want)
		}
	}
}

// TestUnwritableFolders: commands check their folders first. A search whose pictures cannot be
// written still prints its result.
func TestUnwritableFolders(t *testing.T) {
	graph := smallGraph(t)
	file := filepath.Join(graph, "train.txt")
	status, stdout, stderr := invoke(t.Context(), "train", "--dataset", graph, "--structure", "simple",
		"--dim", "4", "--epochs", "1", "--out", filepath.Join(file, "model"))
	if status != cli.Failed || !strings.Contains(stderr, "folder") || stdout != "" {
		t.Errorf("train: status %d, %q, %q", status, stderr, stdout)
	}
	status, _, stderr = invoke(t.Context(), "search", "--recipe", "basic", "--dataset", graph, "--out",
		filepath.Join(file, "out"))
	if status != cli.Failed || !strings.Contains(stderr, "folder") {
		t.Errorf("search without room for a study: status %d, %q", status, stderr)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "out"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr = invoke(t.Context(), searchArguments(graph, dir)...)
	if status != cli.Failed || !strings.Contains(stderr, "folder") || stdout != "" {
		t.Errorf("search: status %d, %q, %q", status, stderr, stdout)
	}
	dir = t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "out", "best.png", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr = invoke(t.Context(), searchArguments(graph, dir)...)
	if status != cli.Failed || !strings.Contains(stderr, "best.png is a folder") ||
		!strings.Contains(stdout, "QuatE") {
		t.Errorf("search: status %d, %q, %q", status, stderr, stdout)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, arguments := range [][]string{{"structure", "check", "complex"},
		{"dataset", "list", "--json"}} {
		var messages bytes.Buffer
		if status := run(t.Context(), arguments, brokenPipe{}, &messages); status != cli.Failed ||
			!strings.Contains(messages.String(), "cannot print") {
			t.Errorf("%v: status %d, %q", arguments, status, messages.String())
		}
	}
}

func TestArgumentsThatBeginWithAMinus(t *testing.T) {
	given := []string{"structure", "check", "-1,0;2,-1", "--seed", "-1", "-1model", "-5.tsv",
		"--structure", "-1,2"}
	want := []string{"structure", "check", " -1,0;2,-1", "--seed", "-1", "-1model", "-5.tsv",
		"--structure", " -1,2"}
	if got := shieldMinus(given); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInterruptedTrainingKeepsItsModel(t *testing.T) {
	graph, model := smallGraph(t), filepath.Join(t.TempDir(), "model")
	interruptEarly(t, "train", "--dataset", graph, "--structure", "simple", "--dim", "4", "--epochs",
		"100000000", "--patience", "0", "--out", model)
	object(t, "eval", "--model", model, "--dataset", graph)
}

// interruptEarly interrupts a training after its first epoch.
func interruptEarly(t *testing.T, arguments ...string) {
	t.Helper()
	for limit := time.Second / 3; ; limit *= 2 { // until there is time for an epoch
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		status, _, stderr := invoke(ctx, arguments...)
		cancel()
		if status == cli.Failed && strings.Contains(stderr, "before the first epoch") &&
			limit < time.Minute {
			continue
		}
		if status != cli.Failed || !strings.Contains(stderr, "interrupted after epoch") {
			t.Fatalf("status %d, %q", status, stderr)
		}
		return
	}
}

func TestPredictKnown(t *testing.T) {
	graph, model := smallGraph(t), filepath.Join(t.TempDir(), "model")
	object(t, "train", "--dataset", graph, "--structure", "simple", "--dim", "8", "--epochs", "2",
		"--out", model)
	for known, want := range map[string][2]int{"mark": {37, 2}, "drop": {35, 0}, "keep": {37, 0}} { // e10 is near e08 and e12
		answers := object(t, "predict", "--model", model, "--head", "e10", "--relation", "near", "--top",
			"0", "--known", known)["answers"].([]any)
		marked := 0
		for _, a := range answers {
			if a.(map[string]any)["known"] == true {
				marked++
			}
		}
		if len(answers) != want[0] || marked != want[1] {
			t.Errorf("--known %s: %d answers, %d known, want %v", known, len(answers), marked, want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arguments := range [][]string{nil, {"--help"}, {"search", "--help"},
		{"structure", "check", "--help"}} {
		status, stdout, _ := invoke(t.Context(), arguments...)
		if status != cli.Done || !strings.Contains(stdout, "Usage: autoblm") {
			t.Errorf("%v: status %d, %q", arguments, status, stdout)
		}
		command := slices.DeleteFunc(slices.Clone(arguments),
			func(a string) bool { return a == "--help" })
		for _, same := range [][]string{append([]string{"help"}, command...),
			append([]string{"--json", "help"}, command...)} {
			if again, text, stderr := invoke(t.Context(), same...); again != cli.Done || text != stdout {
				t.Errorf("%v: status %d, %q, %s; %v prints %q", same, again, text, stderr, arguments, stdout)
			}
		}
	}
	if status, _, stderr := invoke(t.Context(), "help", "trian"); status != cli.Misuse ||
		!strings.Contains(stderr, `did you mean "train"`) {
		t.Errorf("help for what is no command: status %d, %q", status, stderr)
	}
}

// TestHelpFits: --help fits on a screen with 80 columns and has the common flags; --help-all has
// all.
func TestHelpFits(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	mustHave := map[string]string{
		"":               "--help-all --json search",
		"search":         "--dataset --budget --out --dim --lr",
		"train":          "--structure --model --recipe --dim --epochs --lr --out",
		"reproduce":      "<dataset> --minutes --recipe --seed",
		"query train":    "--structure --hops --with --lr",
		"classify train": "--encoder --seen-by --tune",
		"study resume":   "--budget --dataset",
	}
	parser, err := newParser(newCommands(), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(node *kong.Node, words []string)
	walk = func(node *kong.Node, words []string) {
		if node.Hidden {
			return
		}
		command := strings.Join(words, " ")
		status, short, stderr := invoke(t.Context(), append(slices.Clone(words), "--help")...)
		lines := strings.Split(strings.TrimSuffix(short, "\n"), "\n")
		if status != cli.Done || len(lines) > flags.Screen {
			t.Errorf("%s: status %d, %d lines, %s\n%s", command, status, len(lines), stderr, short)
		}
		for _, line := range lines[1:] {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: longer than 80 columns: %s", command, line)
			}
		}
		for _, want := range strings.Fields(mustHave[command]) {
			if !slices.Contains(strings.FieldsFunc(short,
				func(r rune) bool { return strings.ContainsRune(" =\n", r) }), want) {
				t.Errorf("%s: the help leaves out %s:\n%s", command, want, short)
			}
		}
		_, all, _ := invoke(t.Context(), append(slices.Clone(words), "--help-all")...)
		if strings.Contains(short+all, "${") {
			t.Errorf("%s: the help has a variable without its value:\n%s", command, short)
		}
		if _, same, _ := invoke(t.Context(), slices.Concat([]string{"help"}, words,
			[]string{"--help-all"})...); same != all && command != "help" {
			t.Errorf("%s: help as a command prints %q, want %q", command, same, all)
		}
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				whole := "--" + flag.Name
				if flag.Tag.Negatable != "" {
					whole = "--[no-]" + flag.Name
				}
				if !regexp.MustCompile(`\s` + regexp.QuoteMeta(whole) + `[=\s]`).MatchString(all) {
					t.Errorf("%s: --help-all leaves out %s", command, whole)
				}
				if brief := flag.Tag.Get("brief"); brief != "" && !strings.HasSuffix(brief, ".") {
					t.Errorf("%s: of --%s is said in brief %q", command, flag.Name, brief)
				}
			}
		}
		for _, child := range node.Children {
			walk(child, append(slices.Clone(words), child.Name))
		}
	}
	walk(parser.Model.Node, nil)
}

func TestVersion(t *testing.T) {
	built := object(t, "version")
	status, stdout, _ := invoke(t.Context(), "version")
	lines := strings.Split(stdout, "\n")
	if status != cli.Done || len(lines) != 4 || lines[0] != "autoblm "+built["version"].(string) ||
		!strings.HasPrefix(lines[1], "commit ") ||
		lines[2] != runtime.Version()+" on "+runtime.GOOS+"/"+runtime.GOARCH ||
		built["go"] != runtime.Version() || built["from"] == "" {
		t.Errorf("status %d, %q, in JSON %v", status, stdout, built)
	}
}

// TestEverythingHasHelp checks each command and each flag.
func TestEverythingHasHelp(t *testing.T) {
	parser, err := newParser(newCommands(), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(node *kong.Node)
	walk = func(node *kong.Node) {
		for _, flag := range node.Flags {
			if !strings.HasSuffix(flag.Help, ".") {
				t.Errorf("%s: the help of --%s is %q", node.FullPath(), flag.Name, flag.Help)
			}
		}
		for _, child := range node.Children {
			if !strings.HasSuffix(child.Help, ".") {
				t.Errorf("%s: the help is %q", child.FullPath(), child.Help)
			}
			walk(child)
		}
	}
	walk(parser.Model.Node)
}

func TestDatasetListJSON(t *testing.T) {
	t.Setenv("AUTOBLM_DATA", t.TempDir())
	listed := map[any]string{}
	for _, o := range object(t, "dataset", "list")["datasets"].([]any) {
		listed[o.(map[string]any)["name"]] = asText(t, o)
	}
	for name, want := range map[string]string{
		"world":     `{"available":true,"entities":844,"folder":"","licence":"ODbL 1.0","name":"world","relations":6,"test":243,"train":1868,"valid":243}`,
		"fb15k-237": `{"available":false,"entities":14541,"folder":"","licence":"unstated in the source (Freebase content was published under CC BY)","name":"fb15k-237","relations":237,"test":20466,"train":272115,"valid":17535}`,
	} {
		if listed[name] != want {
			t.Errorf("%s, want %s", listed[name], want)
		}
	}
}

func TestDatasetInfoShowsRelations(t *testing.T) {
	each := object(t, "dataset", "info", "world")["each_relation"].([]any)
	if len(each) != 6 || asText(t,
		each[0]) != `{"example":{"head":"Afghanistan","relation":"borders","tail":"Iran"},"pattern":"symmetric","relation":"borders","test":86,"train":478,"valid":86}` {
		t.Errorf("%d relations, the first %s", len(each), asText(t, each[0]))
	}
	if each := object(t, "dataset", "info", "world", "--top",
		"2")["each_relation"].([]any); len(each) != 2 {
		t.Errorf("%d relations of two", len(each))
	}
	_, stdout, _ := invoke(t.Context(), "dataset", "info", "world", "--top", "1")
	for _, says := range []string{"for example",
		"borders     478     86    86  symmetric  Afghanistan → Iran",
		"(the most frequent of 6; --top 0 lists all)"} {
		if !strings.Contains(stdout, says) {
			t.Errorf("%q is missing in\n%s", says, stdout)
		}
	}
}
