package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// completed are command lines, and the words that their last one may become.
var completed = map[string]string{
	"autoblm tr":                             "train",
	"autoblm en":                             "ensemble",
	"autoblm ensemble a b --dataset kin":     "kinship",
	"autoblm dataset ":                       "list info fetch import",
	"autoblm train --structure c":            "cp complex",
	"autoblm structure show an":              "analogy",
	"autoblm train --model ro":               "rotate",
	"autoblm train --dataset kin":            "kinship",
	"autoblm train --dataset wor":            "world",
	"autoblm train --dataset a":              "",
	"autoblm classify train --dataset a":     "aifb am",
	"autoblm query train --dataset chains":   "chains-of-mine",
	"autoblm search --dataset m":             "mutag",
	"autoblm train --backend xla:c":          "xla:cpu xla:cuda",
	"autoblm train --engine ":                "auto cpu gomlx",
	"autoblm train --optimizer ":             "adagrad adam",
	"autoblm train --recipe du":              "dura dura-cp",
	"autoblm classify train --recipe ba":     "basic",
	"autoblm recipe show du":                 "dura dura-cp",
	"autoblm recipe show n3 u":               "umls",
	"autoblm search --task c":                "completion classify",
	"autoblm search --algorithm t":           "tpe",
	"autoblm classify train --encoder rgcn-": "rgcn-block",
	"autoblm completion z":                   "zsh",
	"autoblm train --struc":                  "--structure",
	"autoblm comple":                         "completion",
	"autoblm ablate shar":                    "sharing",
}

// needData has a data folder with queries.
func needData(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	writeFile(t, "", data, "chains-of-mine", "train-1p.txt")
}

func TestComplete(t *testing.T) {
	needData(t)
	for line, want := range completed {
		words := strings.Split(line, " ")
		words[0] = "--"
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), append([]string{"complete"}, words...), &stdout, &stderr)
		var got []string
		for text := range strings.Lines(stdout.String()) {
			word, _, _ := strings.Cut(text, "\t")
			got = append(got, word)
		}
		if status != 0 || stderr.Len() > 0 || strings.Join(got, " ") != want {
			t.Errorf("%q: status %d, %q, %v, want %q", line, status, &stderr, got, want)
		}
	}
	script := object(t, "completion fish")
	has(t, script, fields{"shell": "fish"})
	contains(t, script["script"].(string), "__autoblm_suggest")
}

// TestShellsComplete: the scripts work in bash, zsh and fish and suggest what the program suggests.
func TestShellsComplete(t *testing.T) {
	needData(t)
	bin := t.TempDir()
	must(t, os.Symlink(os.Args[0], filepath.Join(bin, name)))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(asProgram, "1")
	for shell, ask := range map[string]struct {
		arguments []string
		files     string // what stands for files
		suggests  func(want string) string
	}{
		// Bash takes words apart at = and : too, and completes what comes after.
		"bash": {[]string{"--norc", "-c",
			`source <(autoblm completion bash) || exit; COMP_LINE=$1 COMP_POINT=${#1}; _autoblm autoblm; echo ${COMPREPLY[*]:-files}`, "bash"}, "files", func(want string) string {
			var words []string
			for _, w := range strings.Fields(want) {
				words = append(words, w[strings.LastIndexAny(w, ":=")+1:])
			}
			return strings.Join(words, " ")
		}},
		// Of zsh's own system there is what the script calls, as that works on a terminal only.
		"zsh": {[]string{"-f", "-c", `compdef() { : }; _files() { echo files }
_describe() { for s in ${(P)2}; do print -r -- ${${s%:*}//\\:/:}; done }
source <(autoblm completion zsh) || exit; words=("${(@s: :)1}") CURRENT=$#words; _autoblm`, "zsh"}, "files", nil},
		"fish": {[]string{"--no-config", "-c", `autoblm completion fish | source; complete -C $argv[1]`},
			name, nil},
	} {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("there is no %s here", shell)
			}
			for line, want := range completed {
				command := exec.Command(program, append(ask.arguments[:len(ask.arguments):len(ask.arguments)],
					line)...)
				command.Dir = bin
				out, err := command.CombinedOutput()
				got := map[string]bool{}
				for text := range strings.Lines(string(out)) {
					word, _, _ := strings.Cut(strings.TrimRight(text, "\n"), "\t")
					for _, w := range strings.Fields(word) {
						got[w] = true
					}
				}
				if ask.suggests != nil {
					want = ask.suggests(want)
				}
				if want == "" {
					want = ask.files
				}
				right := err == nil && len(got) == len(strings.Fields(want))
				for _, w := range strings.Fields(want) {
					right = right && got[w]
				}
				if !right {
					t.Errorf("%q: %v, %q, want %q", line, err, out, want)
				}
			}
		})
	}
}
