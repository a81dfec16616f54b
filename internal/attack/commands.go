//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// commandLines are those that are mutated, with the folder or file that they read.
var commandLines = []struct{ line, reads string }{
	{"structure check 1,0;0,-2", ""},
	{"structure show quate", ""},
	{"structure count --k 3", ""},
	{"structure list --k 2 --nonzeros 3", ""},
	{"dataset list", ""},
	{"dataset info small", "small"},
	{"dataset split triples.txt --out out --valid 0.1 --test 0.1 --seed 2", "triples.txt"},
	{"train --dataset small --structure complex --dim 8 --epochs 2 --batch 32 --lr 0.1 --n3 0.01 --out out", "small"},
	{"train --dataset small --model transe --dim 8 --epochs 2 --members 2 --seed 3 --decay 0.9", "small"},
	{"eval --model m --dataset small --by relation --ties realistic --split valid", "m"},
	{"predict --model m --dataset small --head e10 --relation near --top 5 --known drop", "m"},
	{"eval --model transe --dataset small", "transe"},
	{"predict --model reverses --dataset small --tail e10 --relation near", "reverses"},
	{"ensemble m seeds/seed-1 seeds/seed-2 --dataset small --size 2 --folds 3 --out out", "m"},
	{"eval --model t --dataset small", "t"},
	{"predict --model t --dataset small --head e10 --relation near --top 5", "t"},
	{"query predict --model qm --dataset q --anchor e10 --path near_reverse", "qm"},
	{"search --recipe basic --dataset small --budget 3 --dim 8 --epochs 1 --batch 64 --n 8 --p 2 --i 2 --out out", "small"},
	{"search --recipe basic --task query --dataset q --hops 2 --with 1 --k 2 --budget 3 --dim 8 --epochs 1 --n 8 --p 2 --i 2 --out out", "q"},
	{"search --recipe basic --task classify --dataset kinds --k 2 --budget 3 --dim 4 --layers 1 --epochs 2 --runs 1 --n 8 --p 2 --i 2 --out out", "kinds"},
	{"recipe list", ""},
	{"recipe show n3 wn18rr", ""},
	{"reproduce umls --stage final --structure simple --dim 8 --epochs 2 --out out", "umls"},
	{"query sample --dataset small --hops 2,3 --split train,test --count 20 --seed 4 --out out", "small"},
	{"query train --dataset q --structure complex --dim 8 --epochs 2 --batch 16 --negatives 4 --margin 1 --out out", "q"},
	{"query eval --model qm --dataset q --hops 2", "qm"},
	{"query predict --model qm --dataset q --anchor e10 --path near,next_reverse --top 5 --known keep", "qm"},
	{"classify train --dataset kinds --encoder rgcn --dim 4 --layers 1 --epochs 3 --runs 1 --parts 2 --out out", "kinds"},
	{"classify train --dataset kinds --structure complex --dim 4 --epochs 3 --repeats 2 --tune 1 --dropout 0.2 --norm relation", "kinds"},
	{"classify eval --model cm --dataset kinds", "cm"},
	{"classify predict --model cm --dataset kinds --node x:1", "cm"},
	{"study list .", "s.db"},
	{"study show s.db", "s.db"},
	{"study export s.db --csv --out trials.csv", "s.db"},
	{"study best s.db --out out", "s.db"},
	{"study resume s.db --budget 7 --out out", "s.db"},
	{"report --study s.db --out page.html", "s.db"},
	{"ablate filter --dataset small --seeds 1 --budget 2 --dim 8 --epochs 1 --out out", "small"},
	{"backend list", ""},
}

const (
	// long is how long a command may go on, at most, before it is asked to end: what it
	// was told to do may well take years.
	long = 1500 * time.Millisecond
	// mostResident is the memory that a command may have, of data of some kilobytes.
	mostResident = 3 << 30
)

// invoke runs a mutated command line, or a command on mutated files, or both.
func (h *harness) invoke(ctx context.Context, number int) (int, error) {
	rng := h.rng("commands", number)
	base := commandLines[number%len(commandLines)]
	arguments := strings.Fields(base.line)
	// The first are as they stand, which must work.
	plain := number < len(commandLines)
	how := rng.IntN(5)
	files, line := !plain && how <= 1 && base.reads != "", !plain && (how >= 1 || base.reads == "")
	if line {
		arguments = mutateArguments(rng, arguments, h.base.flags[arguments0(base.line)])
	}
	if slices.ContainsFunc(arguments, func(a string) bool { return a == "fetch" || a == "install" }) {
		return 1, nil // nothing here downloads
	}
	folder, err := h.folder()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	c := &attackCase{h: h, part: "commands", number: number, scenario: scenario{name: arguments0(base.line)}, folder: folder}
	if files {
		file, err := mutateFile(rng, filepath.Join(folder, base.reads))
		if err != nil {
			return 0, err
		}
		c.log = append(c.log, "mutated: "+file)
	}
	t := trial{folder: folder, arguments: arguments, after: long/8 + time.Duration(rng.Int64N(int64(long))), signal: syscall.SIGTERM, memory: mostMemory}
	if plain {
		t.after = time.Minute
	}
	e, err := h.program.run(ctx, t)
	if err != nil {
		return 0, err
	}
	c.log = append(c.log, fmt.Sprintf("%q", arguments), e.String())
	wrong := e.misbehaviour()
	switch {
	case wrong != "":
	case plain && e.status != cli.Done:
		wrong = "it should work: " + e.String()
	case e.signal != 0 && !e.killed():
		wrong = fmt.Sprintf("it ended by a signal, %v: %s", e.signal, e)
	case e.status == cli.Misuse && len(e.stdout) > 0:
		wrong = "a misuse, and something printed: " + e.String()
	case e.memory > mostResident:
		wrong = fmt.Sprintf("it had %d MB of memory: %s", e.memory>>20, e)
	}
	c.finds(wrong)
	return 1, c.err
}

// arguments0 is what tells the commands apart: their first words.
func arguments0(line string) string {
	words := strings.Fields(line)
	n := 1
	if slices.Contains([]string{"structure", "dataset", "query", "classify", "study", "recipe", "backend"}, words[0]) {
		n = 2
	}
	return strings.Join(words[:n], "-")
}

// flagOf is a flag in the help of a command.
var flagOf = regexp.MustCompile(`--(?:\[no-\])?([a-z][-a-z0-9]+)`)

// readFlags asks each command for its flags.
func readFlags(ctx context.Context, p attacked, folder string) (map[string][]string, error) {
	flags := map[string][]string{}
	for _, each := range commandLines {
		name := arguments0(each.line)
		if flags[name] != nil {
			continue
		}
		e, err := p.run(ctx, trial{folder: folder, arguments: append(strings.Split(name, "-"), "--help-all")})
		if err != nil {
			return nil, err
		}
		for _, match := range flagOf.FindAllSubmatch(e.stdout, -1) {
			flags[name] = append(flags[name], "--"+string(match[1]))
		}
		if len(flags[name]) == 0 {
			return nil, fmt.Errorf("the help of %s names no flags: %s", name, e)
		}
	}
	return flags, nil
}

// numbers is how many of the values are numbers.
const numbers = 21

// values are such that a flag may take them, and may not.
var values = []string{
	"0", "1", "2", "3", "5", "7", "-1", "64", "1000", "100000", "2147483647", "2147483648", "9223372036854775807", "0.5", "0.1", "-0.5", "1e-300", "1e30", "1e308", "NaN", "Inf",
	"", "true", "1,2", "8,16", "1,2,3,4,5,6,7,8", "1s", "valid", "test", "complex", "rotate", "1,0;0,2", "go", "m", "q", "small", "kinds", "s.db", "out", "e10", "near", "relation",
	"autoblm", "random", "tpe", "reinforce", "none", "one-hot", "linear", "paper", "adam", "adagrad", "gomlx", "cpu", "xavier", "gcn", "compgcn-corr", "relation-root", "q2b", "transe", "n3", "pattern",
}

// mutateArguments changes some words of a command line, most often values of flags.
func mutateArguments(rng *rand.Rand, arguments, flags []string) []string {
	out := slices.Clone(arguments)
	value := func() string {
		switch rng.IntN(10) {
		case 0:
			return odd[rng.IntN(len(odd))]
		case 1, 2, 3, 4:
			return values[rng.IntN(len(values))]
		}
		return values[rng.IntN(numbers)]
	}
	for range 1 + rng.IntN(2) {
		at := rng.IntN(len(out))
		switch rng.IntN(20) {
		default: // a flag more
			if len(flags) > 0 {
				out = append(out, flags[rng.IntN(len(flags))]+"="+value())
			}
		case 0, 1, 2, 3, 4, 5, 6: // another value
			for i := range out {
				if j := (at + i) % len(out); j > 0 && strings.HasPrefix(out[j-1], "--") {
					out[j] = value()
					break
				}
			}
		case 7:
			if len(flags) > 0 {
				out = append(out, flags[rng.IntN(len(flags))])
			}
		case 8:
			out[at] = string(mutate(rng, []byte(out[at])))
		case 9:
			out = slices.Insert(out, at, out[rng.IntN(len(out))])
		case 10:
			if len(out) > 1 {
				out = slices.Delete(out, at, at+1)
			}
		case 11:
			other := rng.IntN(len(out))
			out[at], out[other] = out[other], out[at]
		}
	}
	for i := range out {
		out[i] = harmless(out[i])
	}
	return out
}

// harmless keeps a word from leading out of the folder of the case, wherever it is used.
func harmless(word string) string {
	word = strings.ReplaceAll(word, "\x00", "\x01") // which no program can be given
	for {
		tamed := word
		for from, to := range map[string]string{"..": ".", "//": "/", "=/": "=", "@/": "@", ",/": ",", ":/": ":", "~": ""} {
			tamed = strings.ReplaceAll(tamed, from, to)
		}
		if tamed = strings.TrimPrefix(tamed, "/"); tamed == word {
			return word
		}
		word = tamed
	}
}

// mutateFile mutates a file, or one of the files of a folder, and says which.
func mutateFile(rng *rand.Rand, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		files, err := os.ReadDir(path)
		if err != nil {
			return "", err
		}
		files = slices.DeleteFunc(files, func(e os.DirEntry) bool { return !e.Type().IsRegular() })
		path = filepath.Join(path, files[rng.IntN(len(files))].Name())
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, mutate(rng, content), 0o644)
}
