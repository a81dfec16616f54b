package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/backend"
)

type flags struct {
	Data    string   `env:"AUTOBLM_DATA" help:"The folder that holds umls, wn18rr and fb15k-237, or some of them."`
	Backend string   `help:"Measure GoMLX on this backend, as xla:cuda, xla:/path/of/plugin.so or go; without it, the native engine."`
	Peer    string   `help:"The command of a peer to run in turns with ours; without it, ours runs alone."`
	Cases   []string `default:"step-*,rank-*" help:"What to measure, by name: * stands for anything. An unknown name shows all."`
	Repeat  int      `default:"5" help:"How often each is timed."`
	Threads int      `default:"0" help:"Threads of both; 0 for all cores."`
	Minutes float64  `default:"0" help:"Begin nothing new after so many minutes, and end a search; 0 never."`
	Study   string   `help:"The file that keeps a search; the same command goes on with it."`
	Out     string   `help:"Write the result into this file, as JSON, after each case."`
	Small   bool     `help:"Measure the smallest shapes, which tells nothing of speed."`

	Plan  bool   `help:"Print the commands that measure all of GoMLX on a GPU, each in less than ten minutes."`
	Smoke bool   `help:"Rehearse the commands of --plan in the smallest shapes on GoMLX's own backend."`
	To    string `default:"." help:"The folder for the files of --plan."`
}

func main() {
	var f flags
	parser := kong.Must(&f, kong.Name("bench"), kong.Description("Times training steps and filtered ranking, beside a peer; on a GPU also what precisions and a whole search come to."))
	_, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	switch {
	case f.Plan:
		f.plan(os.Stdout)
	case f.Smoke:
		err = f.rehearse(ctx, os.Stdout)
	default:
		err = f.measure(ctx, os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (f flags) measure(ctx context.Context, w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.Threads > 0 {
		runtime.GOMAXPROCS(f.Threads)
	}
	chosen, err := f.suite().choose(f.Cases)
	if err != nil {
		return err
	}
	if f.Peer == "" && len(chosen.timed) > 0 {
		fmt.Fprintln(os.Stderr, "bench: no --peer, so ours runs alone")
	}
	if len(chosen.searches) > 0 && f.Minutes > 0 && f.Study == "" {
		return errors.New("a search that --minutes ends is lost without --study, the file that keeps it")
	}
	return newSession(ctx, f, w).run(ctx, chosen)
}

// check says what is wrong with the flags of a measurement.
func (f flags) check() error {
	switch {
	case f.Data == "":
		return errors.New("no data: --data or AUTOBLM_DATA names the folder that holds umls, wn18rr and fb15k-237 (autoblm dataset fetch)")
	case f.Repeat < 1 || f.Threads < 0 || !(f.Minutes >= 0):
		return fmt.Errorf("repeat is %d, threads is %d and minutes is %v: at least 1, 0 and 0 are needed", f.Repeat, f.Threads, f.Minutes)
	case f.Backend == backend.Auto:
		return errors.New("--backend is auto: name the one to measure")
	}
	return backend.Check(f.Backend)
}

func (f flags) suite() suite {
	s := onCPU()
	if f.Backend != "" {
		s = onDevice()
	}
	if f.Small {
		s = s.small()
	}
	return s
}

// usualFlags are those of a command line without arguments, whatever the variables.
func usualFlags() flags {
	var f flags
	_, _ = kong.Must(&f).Parse(nil)
	f.Data = ""
	return f
}

// arguments are those of the command line that has these flags, as far as a
// measurement goes; what is as usual is left out.
func (f flags) arguments() []string {
	usual := usualFlags()
	var all []string
	add := func(name, value string, given bool) {
		if given {
			all = append(all, name, value)
		}
	}
	add("--backend", f.Backend, f.Backend != "")
	add("--data", f.Data, f.Data != "")
	add("--peer", f.Peer, f.Peer != "")
	add("--cases", strings.Join(f.Cases, ","), !slices.Equal(f.Cases, usual.Cases))
	add("--repeat", strconv.Itoa(f.Repeat), f.Repeat != usual.Repeat)
	add("--threads", strconv.Itoa(f.Threads), f.Threads != usual.Threads)
	add("--minutes", strconv.FormatFloat(f.Minutes, 'g', -1, 64), f.Minutes != usual.Minutes)
	add("--study", f.Study, f.Study != "")
	add("--out", f.Out, f.Out != "")
	if f.Small {
		all = append(all, "--small")
	}
	return all
}
