package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestArgumentsThatBeginWithAMinus(t *testing.T) {
	given := strings.Split("structure|check|-1,0;2,-1|--seed|-1|-1model|-5.tsv|--structure|-1,2", "|")
	want := strings.Split("structure|check| -1,0;2,-1|--seed=-1|-1model|-5.tsv|--structure| -1,2", "|")
	if got := readable(given); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHelpWord checks that the word help before a command is the flag --help after it, and that it
// is the default.
func TestHelpWord(t *testing.T) {
	for line, with := range map[string]string{
		"": "--help", "help": "--help", "help train": "train --help",
		"help query predict": "query predict --help",
	} {
		got, _ := succeed(t, line)
		want, _ := succeed(t, with)
		contains(t, want, "Usage: autoblm")
		if got != want {
			t.Errorf("%q prints %q", line, got)
		}
	}
}

// TestErrorsNameTheHelpOfTheCommand checks that errors in the arguments are plain and refer to the
// help of their command.
func TestErrorsNameTheHelpOfTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		"trian":                         `unexpected argument trian, did you mean "train"? (see autoblm --help)`,
		"query trian":                   `did you mean "train"? (see autoblm query --help)`,
		"train --epochs":                "--epochs needs a value (see autoblm train --help)",
		"train --epoch 3":               `did you mean "--epochs"? (see autoblm train --help)`,
		"train world":                   `unexpected argument world, did you mean --dataset world? (see`,
		"train --epochs 1e3":            `--epochs is "1e3": it must be a whole number (see`,
		"predict m":                     "did you mean --model m? (see",
		"report s":                      "did you mean --study s? (see",
		"search world":                  "did you mean --dataset world? (see",
		"eval --model m x":              "did you mean --dataset x? (see",
		"study resume s x":              "unexpected argument x (see",
		"search --minutes abc":          `--minutes is "abc": it must be a number (see`,
		"query train":                   "missing flags: --dataset=NAME|DIR (see autoblm query train --help)",
		"train --dataset w --dim 0":     "(see autoblm train --help)",
		"serve --model m --timeout 0s":  "timeout is 0s: it must be at least 1ms",
		"serve --model a/m --model b/m": "as in --model NAME=b/m",
		"predict --model m --head a --relation r --top -1": "top is -1: it must be from 0 to 1000000000",
		"predict --model m --relation r":                   "(see autoblm predict --help)",
		"dataset import facts.tsv":                         "(see autoblm dataset import --help)",
		"structure check 1,2;3":                            "(see autoblm structure check --help)",
		"search --nkey k --out " + t.TempDir():             "keys and certificates are for a cluster: add --cluster",
		"search --round-size 256":                          "round-size is 256: a round of autoblm+ trains at most candidates = 128 structures",
	} {
		fail(t, cli.Misuse, want, line)
	}
}

// TestMessagesOutsideATerminal checks that each message is one line.
func TestMessagesOutsideATerminal(t *testing.T) {
	name := "a-folder-with-a-name-so-long-that-its-message-would-not-fit-into-one-line-of-80-columns"
	refuse(t, []refusal{{cli.Failed, "there is no such folder",
		"predict --model " + name + " --head a --relation b"}})
}
