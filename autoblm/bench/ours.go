package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// run is what a program took for a case: seconds for a member, those for compiling
// beside them, and bytes on the GPU, or 0 where nothing tells.
type run struct {
	seconds, compiling float64
	memory             int64
	on                 string // what did the arithmetic
	// Of ours alone:
	gflop      float64 // the arithmetic for a member, in billions
	auto       string  // the precision that auto comes to
	fresh, mrr float64 // seconds for a model that was not trained, and the MRR of one that was
	notes      []string
}

// ours runs our Go benchmark of a case in a precision.
func (f flags) ours(ctx context.Context, c timed, precision string) (run, error) {
	arguments := []string{"-test.run", "^$", "-test.bench", "^Benchmark(Step|Rank|Epoch)$/^" + c.ID + "$", "-test.benchtime", "1x",
		"-backend", f.Backend, "-precision", precision, "-models", f.models}
	if f.Small {
		arguments = append(arguments, "-small")
	}
	program := exec.CommandContext(ctx, f.Ours, arguments...)
	program.Env = append(os.Environ(), "AUTOBLM_DATA="+f.Data, "GOMAXPROCS="+strconv.Itoa(f.threads()))
	output, err := program.Output()
	if err != nil {
		return run{}, fmt.Errorf("our benchmark failed: %w%s%s", err, lastWords(err), cause(string(output)))
	}
	return readOurs(string(output))
}

var failure = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+(: .*)$`)

// cause is what a Go benchmark says of its failure, as the end of a sentence.
func cause(output string) string {
	if found := failure.FindStringSubmatch(output); found != nil {
		return found[1]
	}
	return "\n" + output
}

func (f flags) threads() int { return cmp.Or(f.Threads, runtime.GOMAXPROCS(0)) }

// The units of our Go benchmarks.
const (
	unitOfTime, unitOfFresh = "s/member", "s-fresh/member"
	unitOfCompiling         = "s-compiling"
	unitOfWork, unitOfMRR   = "GFLOP/member", "MRR"
)

// readOurs reads the text of a Go benchmark: values before their units, and lines of
// names with values.
func readOurs(output string) (r run, err error) {
	units := map[string]*float64{unitOfTime: &r.seconds, unitOfFresh: &r.fresh, unitOfCompiling: &r.compiling, unitOfWork: &r.gflop, unitOfMRR: &r.mrr}
	for line := range strings.Lines(output) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "backend":
			r.on = value
		case "auto":
			r.auto = value
		case "note":
			r.notes = append(r.notes, value)
		}
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			if to := units[words[i]]; to != nil {
				*to, _ = strconv.ParseFloat(words[i-1], 64)
			}
		}
	}
	if !(r.seconds > 0) {
		err = errors.New("our benchmark says nothing of its time")
	}
	return r, err
}
