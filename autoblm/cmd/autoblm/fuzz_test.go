package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// fuzzedCommands are complete command lines on the test data of the frozen runs.
var fuzzedCommands = []string{
	"structure check 1,0;0,-2",
	"structure count --k 3",
	"structure list --k 2 --nonzeros 3",
	"dataset info small",
	"train --dataset small --structure complex --dim 8 --epochs 2 --batch 32 --out out",
	"train --dataset small --model transe --dim 8 --epochs 2 --members 2",
	"search --recipe basic --dataset small --budget 3 --dim 8 --epochs 1 --batch 64 --out out",
	"recipe list",
	"recipe show n3 wn18rr",
	"query sample --dataset small --hops 2,3 --split train,test --count 20 --out out",
	"classify train --dataset kinds --encoder rgcn --dim 4 --layers 1 --epochs 3 --runs 1",
	"ablate filter --dataset small --seeds 1 --budget 2 --dim 8 --epochs 1 --out out",
	"study list .",
	"backend list",
}

// fuzzedValues are values that some flags take and others refuse.
var fuzzedValues = []string{
	"", "0", "1", "-1", "64", "2147483648", "9223372036854775807", "0.5", "1e308", "NaN", "true",
	"1,2", "1s", "valid", "complex", "rotate", "1,0;0,2", "small", "tpe", "gomlx", "\n", "\x1b[31m",
}

// FuzzFlags adds a flag with any value to a command. The command ends soon, with status 0, 1 or 2
// and a one-line error.
func FuzzFlags(f *testing.F) {
	data, err := filepath.Abs(filepath.Join("testdata", "frozen", "data"))
	if err != nil {
		f.Fatal(err)
	}
	f.Setenv("AUTOBLM_DATA", data)
	f.Setenv("XDG_CACHE_HOME", f.TempDir())
	flags := commandFlags(f)
	for command, line := range fuzzedCommands {
		all := flags[line]
		for i := range fuzzedValues {
			if at := i*len(fuzzedCommands) + command; at < len(all) {
				f.Add(uint(command), uint(at), fuzzedValues[i])
			}
		}
	}
	f.Fuzz(func(t *testing.T, command, flag uint, value string) {
		line := fuzzedCommands[command%uint(len(fuzzedCommands))]
		all := flags[line]
		name := all[flag%uint(len(all))]
		if strings.ContainsAny(value, "/\\\x00") || strings.Contains(value, "..") {
			t.Skip("the value might name a file outside the test's folder")
		}
		t.Chdir(t.TempDir())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		hung := time.AfterFunc(30*time.Second, func() { panic(line + " --" + name + "=" + value) })
		defer hung.Stop()
		var stdout, stderr bytes.Buffer
		status := run(ctx, append(strings.Fields(line), "--"+name+"="+value), &stdout, &stderr)
		message := strings.TrimSuffix(stderr.String(), "\n")
		last := message[strings.LastIndexByte(message, '\n')+1:]
		switch {
		case !slices.Contains([]int{cli.Done, cli.Failed, cli.Misuse}, status):
			t.Errorf("exit status %d", status)
		case status != cli.Done && !strings.HasPrefix(last, "autoblm: "):
			t.Errorf("exit status %d, and the last line is no error: %q", status, message)
		case status == cli.Misuse && stdout.Len() > 0:
			t.Errorf("wrong usage, and output %q", &stdout)
		case strings.ContainsRune(message, '\x1b'):
			t.Errorf("an escape sequence in %q", message)
		}
	})
}

// commandFlags returns the names of the flags of each command line.
func commandFlags(f *testing.F) map[string][]string {
	f.Helper()
	flags := map[string][]string{}
	for _, line := range fuzzedCommands {
		parsed, err := emptyParser(f).Parse(strings.Fields(line))
		if err != nil {
			f.Fatalf("%s: %v", line, err)
		}
		for _, flag := range slices.Concat(parsed.Selected().AllFlags(true)...) {
			flags[line] = append(flags[line], flag.Name)
		}
	}
	return flags
}
