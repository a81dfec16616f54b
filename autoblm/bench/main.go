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
	Data       string   `env:"AUTOBLM_DATA" help:"The folder that holds umls, wn18rr, fb15k-237 and query2box-fb15k-237, or some of them."`
	Backend    string   `help:"Measure GoMLX on this backend, as xla:cuda, xla:/path/of/plugin.so or go; without it, the native engine."`
	Peer       []string `sep:"none" placeholder:"NAME: COMMAND" help:"A peer to run in turns with ours, as \"NAME: COMMAND\"; once for each. Without, ours runs alone."`
	StepPeer   []string `sep:"none" placeholder:"NAME: COMMAND" help:"A peer for training steps alone, whose ranking is that of another."`
	Cases      string   `default:"." help:"What to measure: a regular expression for names. One that no name matches shows all."`
	Precisions []string `help:"The precisions of ours: float32 and bfloat16, or float32 with --backend, when left out."`
	Repeat     int      `default:"5" help:"How often each is timed."`
	Fastest    int      `default:"0" help:"So many peers, the fastest of the first round, are timed again; 0 for all."`
	Patience   float64  `default:"120" help:"Seconds that a run of a peer may take, or it is dropped; 0 for any."`
	Threads    int      `default:"0" help:"Threads of each; 0 for all cores."`
	Minutes    float64  `default:"0" help:"Begin nothing new after so many minutes; 0 never."`
	Limit      float64  `default:"2570" help:"Billions of operations a second that a core could do in bfloat16 products, for our share of it: ${default} are 1024 a cycle of AMX at 2.5 GHz, as measured in registers; 0 for none."`
	Out        string   `help:"Write the result into this file, as JSON, after each case. What it has of other cases stays."`
	Small      bool     `help:"Measure the smallest shapes, which tells nothing of speed."`
	Ours       string   `help:"The program of our Go benchmarks; bench.test beside this program, or built, when left out."`

	Peers   string  `placeholder:"FOLDER" help:"Compare whole trainings with PyKEEN, and with the peers of --peer: their epochs, rankings, memory, and the MRR after equal epochs and after equal seconds. PyKEEN's virtual environment is in this folder, or is made there."`
	Who     string  `default:"." help:"With --peers, who trains: a regular expression for names. One that no name matches shows all."`
	Seconds float64 `default:"0" help:"With --peers, the equal seconds in which all train; those of each case when 0."`
	Python  string  `default:"python3" help:"The Python that makes the environment of --peers."`
	Keep    string  `default:"env MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000" help:"What comes before the command of PyKEEN: by default, that it keeps large blocks of memory rather than give them back to the system after each product, which is up to twice as fast."`

	Plan  bool   `help:"Print the commands that measure GoMLX on a GPU, each in less than ten minutes."`
	Smoke bool   `help:"Rehearse the commands of --plan in the smallest shapes on GoMLX's own backend."`
	To    string `default:"." help:"The folder for the files of --plan."`

	models string // the folder of trained models to rank
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Times training steps, filtered ranking and epochs of paths, beside peers."))
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
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	f.models = folder
	if f.Ours == "" {
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
	command = slices.Concat(command, os.Args[1:])
	if f.Peers == "" {
		return f.measure(ctx, command, w)
	}
	if err := (environment{f.Peers}).ready(ctx, f.Python); err != nil {
		return err
	}
	return f.compare(ctx, command, w)
}

// check says what is wrong with the flags.
func (f flags) check() error {
	switch {
	case f.Data == "" && !f.Smoke:
		return errors.New("no data: --data or AUTOBLM_DATA names the folder that holds umls, wn18rr, fb15k-237 and query2box-fb15k-237 (autoblm dataset fetch)")
	case f.Repeat < 1 || f.Threads < 0 || f.Fastest < 0:
		return fmt.Errorf("repeat is %d, threads is %d and fastest is %d: at least 1, 0 and 0 are needed", f.Repeat, f.Threads, f.Fastest)
	case !(f.Minutes >= 0) || !(f.Patience >= 0) || !(f.Limit >= 0) || !(f.Seconds >= 0):
		return fmt.Errorf("minutes is %v, patience is %v, limit is %v and seconds is %v: none may be below 0", f.Minutes, f.Patience, f.Limit, f.Seconds)
	case f.Backend == backend.Auto:
		return errors.New("--backend is auto: name the one to measure")
	}
	if f.Peers != "" && (f.Backend != "" || f.Small || len(f.StepPeer) > 0 || len(f.Precisions) > 0) {
		return errors.New("--peers compares the native engine in its own precisions with whole trainings: leave out --backend, --small, --step-peer and --precisions")
	}
	for _, precision := range f.Precisions {
		if precision != float32s && precision != bfloat16s {
			return fmt.Errorf("unknown precision %q: there are %s and %s", precision, float32s, bfloat16s)
		}
	}
	if _, err := f.peers(); err != nil {
		return err
	}
	return backend.Check(f.Backend)
}
