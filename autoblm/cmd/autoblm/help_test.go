package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// emptyParser returns a parser of all commands.
func emptyParser(t testing.TB) *kong.Kong {
	t.Helper()
	parser, err := newParser(newCommands(), kong.Vars{"version": ""}, kong.Exit(func(int) {}))
	must(t, err)
	return parser
}

// TestHelpFits: --help fits on a screen with 80 columns and has the common flags; --help-all has
// all. Each command and each flag has help in sentences.
func TestHelpFits(t *testing.T) {
	mustHave := map[string]string{
		"":               "--help-all --json search",
		"ablate":         "<name> --seeds --budget --dim",
		"search":         "--dataset --minutes --budget --study --out --dim --lr",
		"train":          "--structure --model --recipe --dim --epochs --lr --out",
		"reproduce":      "<dataset> --minutes --recipe --seed",
		"query train":    "--structure --hops --with --lr",
		"classify train": "--encoder --seen-by --tune",
		"study resume":   "--budget --dataset",
	}
	var walk func(node *kong.Node, command string)
	walk = func(node *kong.Node, command string) {
		for _, child := range node.Children {
			if !strings.HasSuffix(child.Help, ".") {
				t.Errorf("%s: the help is %q", child.FullPath(), child.Help)
			}
			walk(child, strings.TrimSpace(command+" "+child.Name))
		}
		if node.Hidden {
			return
		}
		short, _ := succeed(t, command, "--help")
		lines := strings.Split(strings.TrimSuffix(short, "\n"), "\n")
		if len(lines) > flags.Screen {
			t.Errorf("%s: %d lines\n%s", command, len(lines), short)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: longer than 80 columns: %s", command, line)
			}
		}
		tokens := strings.FieldsFunc(short, func(r rune) bool { return strings.ContainsRune(" =\n", r) })
		for _, want := range strings.Fields(mustHave[command]) {
			if !slices.Contains(tokens, want) {
				t.Errorf("%s: the help leaves out %s:\n%s", command, want, short)
			}
		}
		all, _ := succeed(t, command, "--help-all")
		if strings.Contains(short+all, "${") {
			t.Errorf("%s: the help has a variable without its value:\n%s", command, short)
		}
		for _, flag := range slices.Concat(node.AllFlags(true)...) {
			whole := "--" + flag.Name
			if flag.Tag.Negatable != "" {
				whole = "--[no-]" + flag.Name
			}
			if !regexp.MustCompile(`\s` + regexp.QuoteMeta(whole) + `[=\s]`).MatchString(all) {
				t.Errorf("%s: --help-all leaves out %s", command, whole)
			}
			for _, help := range []string{flag.Help, flag.Tag.Get("brief")} {
				if help != "" && !strings.HasSuffix(help, ".") || flag.Help == "" {
					t.Errorf("%s: the help of --%s is %q", command, flag.Name, help)
				}
			}
		}
	}
	walk(emptyParser(t).Model.Node, "")
}

// TestExamples: each command has two or three examples, which the parser accepts.
func TestExamples(t *testing.T) {
	used := map[string]bool{}
	var walk func(node *kong.Node, command string)
	walk = func(node *kong.Node, command string) {
		for _, child := range node.Children {
			walk(child, strings.TrimSpace(command+" "+child.Name))
		}
		if node.Hidden || len(node.Children) > 0 && command != "" {
			return
		}
		used[command] = true
		if n := len(examples[command]); n < 2 || n > 3 {
			t.Errorf("%q has %d examples in examples.go, not 2 or 3", command, n)
		}
		for _, example := range examples[command] {
			if !strings.HasPrefix(example+" ", strings.TrimSpace(command+" ")) {
				t.Errorf("%q is an example of %q", example, command)
			}
			_, parsed, err := parse(strings.ReplaceAll(example, "'", ""))
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			target := parsed.Selected().Target.Addr().Interface()
			if resolver, ok := target.(flags.Resolver); ok {
				if _, err := resolver.ResolveDefaults(parsed); err != nil {
					t.Errorf("%s: %v", example, err)
				}
			}
		}
	}
	walk(emptyParser(t).Model.Node, "")
	for command := range examples {
		if !used[command] {
			t.Errorf("examples.go has the unknown command %q", command)
		}
	}
}

// TestHelpHasTheDefaultsOfTheCall: help shows the settings of a run with the same flags, also if
// some of them are wrong.
func TestHelpHasTheDefaultsOfTheCall(t *testing.T) {
	graph := smallGraph(t)
	n3 := namedRecipe(t, "n3", "wn18rr")
	for line, want := range map[string][]string{
		"train":                                     {"--dim=512", "--n3=0.1 ", "--dataset=NAME|DIR"},
		"train --dataset " + graph:                  {"(recipe default-small)", "--n3=0.02 "},
		"train --recipe basic --lr 0.7":             {"--dim=64", "--lr=0.7", "reverse relations (off)."},
		"train --recipe n3 --dataset wn18rr":        {"(recipe n3)", "--dim=" + fmt.Sprint(n3.Training.Dim)},
		"train --recipe none":                       {"--recipe=none", "--dim=512"},
		"search --recipe basic":                     {"(recipe basic)", "--epochs=20"},
		"query train --model transe --recipe basic": {"(recipe basic)"},
		"reproduce umls":                            {"recipe small", "--dim=256"},
	} {
		for _, help := range []string{line + " --help", "--help " + line} {
			stdout, _ := succeed(t, help)
			contains(t, stdout, want...)
		}
	}
}

// TestHelpOfModels checks that brief help for each model fits on a screen with the flags that training
// it needs, that its title names the recipe of the model, and that no flag is for other models.
func TestHelpOfModels(t *testing.T) {
	for model, want := range map[string]struct{ source, own, absent string }{
		"--structure complex": {"default", "", "walk-hops feature-dropout batch-norm orthogonality"},
		"--model transe": {"transe", "negatives margin adversarial-temperature",
			"structure dropout products dura translate from-ensemble temperature walk-hops"},
		"--model transh":  {"transh", "negatives margin", "structure dropout walk-hops"},
		"--model rotate":  {"rotate", "negatives margin subsampling", "dropout feature-dropout"},
		"--model pairre":  {"pairre", "negatives margin", "dropout n3-block"},
		"--model gqe":     {"basic", "", "ivr translate batch-norm walk-hops"},
		"--model diag":    {"basic", "", "batch-norm walk-hops"},
		"--model block-4": {"basic", "", "ivr batch-norm orthogonality"},
		"--model tucker": {"tucker", "batch-norm orthogonality dropout input-dropout loss",
			"translate walk-hops feature-dropout"},
		"--model core-3": {"tucker", "batch-norm orthogonality", "translate walk-hops"},
		"--model conve": {"conve", "loss label-smoothing dropout input-dropout feature-dropout",
			"structure products dura tables from-ensemble walk-hops batch-norm"},
		"--model interstellar-fb15k-237": {"interstellar", "walk-hops dropout max-norm",
			"structure products buckets feature-dropout translate"},
		"--model interstellar": {"interstellar", "walk-hops dropout max-norm",
			"structure products buckets feature-dropout translate batch-norm orthogonality"},
		"--model rsn --encoder rgcn": {"rgcn", "encoder-bases walk-hops", "structure message"},
		"--model rsn":                {"rsn", "walk-hops dropout", "structure input-dropout feature-dropout products"},
		"--encoder compgcn-sub": {"compgcn", "encoder-layers edge-dropout encoder-dropout",
			"encoder-bases message max-norm buckets tables walk-hops"},
		"--encoder blm":  {"compgcn", "message encoder-layers", "encoder-bases"},
		"--encoder rgcn": {"rgcn", "encoder-bases edge-dropout", "message"},
		"--model transe --encoder compgcn-sub": {"compgcn", "encoder-layers",
			"structure dropout encoder-bases"},
	} {
		short, _ := succeed(t, "train --help", model)
		or := ")"
		if want.source == "default" {
			or = ", or another one"
		}
		all, _ := succeed(t, "train --help-all", model)
		contains(t, short, "(recipe "+want.source+or, " train "+model[:len("--model")], " more flags: ",
			"--out=DIR")
		if n := strings.Count(short, "\n"); n > flags.Screen {
			t.Errorf("%s: %d lines\n%s", model, n, short)
		}
		for name := range strings.FieldsSeq("dataset dim lr epochs recipe " + want.own) {
			if !hasFlag(short, name) {
				t.Errorf("%s: the help leaves out --%s:\n%s", model, name, short)
			}
		}
		for name := range strings.FieldsSeq(want.absent) {
			if hasFlag(short, name) || hasFlag(all, name) {
				t.Errorf("%s: the help has --%s, which is not for the model", model, name)
			}
		}
	}
}

// TestHelpOfTunedModels checks that brief help for a search for the settings of each model fits on a
// screen, and has the flags of training and of its example.
func TestHelpOfTunedModels(t *testing.T) {
	for _, name := range append(form.Names(), form.AnyCell.String()) {
		var f form.Form
		name = strings.NewReplacer("block-C", "block-4", "core-K", "core-3").Replace(name)
		if f.UnmarshalText([]byte(name)) != nil || f.HasStructure() {
			continue
		}
		help, _ := succeed(t, "search --help --model", name)
		if n := strings.Count(help, "\n"); n > flags.Screen {
			t.Errorf("%s: %d lines\n%s", name, n, help)
		}
		for flag := range strings.FieldsSeq("dataset minutes budget recipe dim lr batch epochs study out") {
			if !hasFlag(help, flag) {
				t.Errorf("%s: the help leaves out --%s:\n%s", name, flag, help)
			}
		}
		if strings.Count(help, "\n  --dim") != 1 || hasFlag(help, "n3") && strings.Contains(help, "--loss=bce") {
			t.Errorf("%s: the help has --dim twice, or --n3 with binary cross entropy:\n%s", name, help)
		}
	}
	help, _ := succeed(t, "search --help --model tucker")
	contains(t, help, "core-1 (TuckER)")
}

// hasFlag reports whether help lists a flag.
func hasFlag(help, name string) bool {
	return regexp.MustCompile(`\n  --(\[no-\])?` + name + `[=\s]`).MatchString(help)
}

// TestHelpOfGivenStructure checks that help names a structure as it is given, within 80 columns.
func TestHelpOfGivenStructure(t *testing.T) {
	const rows = "1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2"
	for given, want := range map[string]string{
		"--structure hole": "train --structure hole --help-all",
		"--structure " + rows + " --encoder compgcn-sub":            "--structure '" + rows + "'",
		"--encoder blm --message complex --structure [[1,0],[0,2]]": "--structure '[[1,0],[0,2]]'",
	} {
		help, _ := succeed(t, "train "+given+" --help")
		contains(t, help, want)
		if n := strings.Count(help, "\n"); n > flags.Screen {
			t.Errorf("%s: %d lines\n%s", given, n, help)
		}
		for line := range strings.Lines(help) {
			if utf8.RuneCountInString(line) > 81 {
				t.Errorf("%s: longer than 80 columns: %s", given, line)
			}
		}
	}
}

// TestHelpOfSearchedModels checks that help for a search has the flags of the chosen encoder or model
// and none without an effect on it.
func TestHelpOfSearchedModels(t *testing.T) {
	for model, want := range map[string]struct{ own, absent string }{
		"--encoder blm":                        {"message encoder-layers encoder-dropout dim out", "encoder-bases walk-hops buckets"},
		"--encoder rgcn":                       {"encoder-bases edge-dropout out", "message walk-hops"},
		"--encoder compgcn-sub":                {"encoder-layers encoder-dropout", "encoder-bases message"},
		"--model transe --encoder compgcn-sub": {"budget", "k predictor warm-start encoder-bases"},
		"--model rotate":                       {"budget", "k algorithm walk-hops batch-norm"},
		"--model interstellar":                 {"budget", "k feature-dropout batch-norm"},
	} {
		short, _ := succeed(t, "search --help", model)
		all, _ := succeed(t, "search --help-all", model)
		contains(t, short, " search "+model+" --help-all", "search --dataset world "+model)
		if n := strings.Count(short, "\n"); n > flags.Screen {
			t.Errorf("%s: %d lines\n%s", model, n, short)
		}
		for name := range strings.FieldsSeq(want.own) {
			if !hasFlag(short, name) {
				t.Errorf("%s: the help leaves out --%s:\n%s", model, name, short)
			}
		}
		for name := range strings.FieldsSeq(want.absent) {
			if hasFlag(short, name) || hasFlag(all, name) {
				t.Errorf("%s: the help has --%s, which is not for the search", model, name)
			}
		}
	}
}

func cliDocument(t *testing.T) []byte {
	t.Helper()
	document, err := examples.Markdown(emptyParser(t))
	must(t, err)
	return document
}

// TestCommandLineDocument: docs/cli.md is what the commands say. go test -run
// TestCommandLineDocument -update writes it.
func TestCommandLineDocument(t *testing.T) {
	const file = "../../../docs/cli.md"
	document := append([]byte("<!-- Generated: go test ./autoblm/cmd/autoblm -run "+
		"TestCommandLineDocument -update -->\n\n"), cliDocument(t)...)
	if *update {
		must(t, os.WriteFile(file, document, 0o644))
	}
	if readFile(t, file) != string(document) {
		t.Errorf("%s is not current: go test -run TestCommandLineDocument -update writes it", file)
	}
	for i, line := range strings.Split(string(document), "\n") {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("line %d has more than 100 columns: %s", i+1, line)
		}
	}
}
