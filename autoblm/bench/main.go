package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/backend"
)

type flags struct {
	Data    string  `env:"AUTOBLM_DATA" help:"The folder that holds umls, wn18rr and fb15k-237, or some of them."`
	Backend string  `help:"Measure GoMLX on this backend, as xla:cuda, xla:/path/of/plugin.so or go; without it, the native engine."`
	Peer    string  `help:"The command of a peer to run in turns with ours; without it, ours runs alone."`
	Cases   string  `default:"." help:"What to measure: a regular expression for names. One that no name matches shows all."`
	Repeat  int     `default:"5" help:"How often each is timed."`
	Threads int     `default:"0" help:"Threads of both; 0 for all cores."`
	Minutes float64 `default:"0" help:"Begin nothing new after so many minutes; 0 never."`
	Out     string  `help:"Write the result into this file, as JSON, after each case."`
	Small   bool    `help:"Measure the smallest shapes, which tells nothing of speed."`
	Ours    string  `help:"The program of our Go benchmarks; bench.test beside this program, or built, when left out."`

	Plan  bool   `help:"Print the commands that measure GoMLX on a GPU, each in less than ten minutes."`
	Smoke bool   `help:"Rehearse the commands of --plan in the smallest shapes on GoMLX's own backend."`
	To    string `default:"." help:"The folder for the files of --plan."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Times training steps and filtered ranking, beside a peer."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := f.run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (f flags) run(ctx context.Context, w io.Writer) error {
	if f.Plan {
		f.plan(w)
		return nil
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.Ours == "" {
		folder, err := os.MkdirTemp("", "bench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		if f.Ours, err = find(ctx, folder, "bench.test", "test -c", "./autoblm/bench"); err != nil {
			return err
		}
	}
	if f.Smoke {
		return f.rehearse(ctx, w)
	}
	command := []string{"go", "run", "./autoblm/bench"}
	if !strings.Contains(os.Args[0], "go-build") { // where go run puts its programs
		command = os.Args[:1]
	}
	return f.measure(ctx, slices.Concat(command, os.Args[1:]), w)
}

// check says what is wrong with the flags.
func (f flags) check() error {
	switch {
	case f.Data == "" && !f.Smoke:
		return errors.New("no data: --data or AUTOBLM_DATA names the folder that holds umls, wn18rr and fb15k-237 (autoblm dataset fetch)")
	case f.Repeat < 1 || f.Threads < 0 || !(f.Minutes >= 0):
		return fmt.Errorf("repeat is %d, threads is %d and minutes is %v: at least 1, 0 and 0 are needed", f.Repeat, f.Threads, f.Minutes)
	case f.Backend == backend.Auto:
		return errors.New("--backend is auto: name the one to measure")
	}
	return backend.Check(f.Backend)
}
