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
	Data     string   `env:"AUTOBLM_DATA" help:"Folder with the graphs, or some of them."`
	Suite    suite    `default:"speed" enum:"speed,engines,trainings,time-to-mrr,serve,cluster" help:"Benchmarks: speed (training steps, rankings, epochs of paths), engines (GoMLX next to the native engine), trainings (whole ones), time-to-mrr (our defaults until they have the validation MRR of a peer), serve (a load on autoblm serve) or cluster (searches on simulated and real workers)."`
	Backend  string   `help:"Measure GoMLX on this backend, such as xla:cuda, xla:/path/of/plugin.so or go, in sizes for a GPU."`
	Backends []string `default:"go,xla:cpu" help:"Backends of GoMLX for --suite engines."`
	Peer     []string `sep:"none" placeholder:"NAME: COMMAND" help:"Peer to compare with; repeat the flag for several."`
	StepPeer []string `sep:"none" placeholder:"NAME: COMMAND" help:"Peer for training steps only."`
	Cases    string   `default:"." help:"Regular expression for the names of cases. One without a match lists all."`
	Repeat   int      `default:"5" help:"Number of timings of each case."`
	Fastest  int      `default:"0" help:"Time only this number of peers again, the fastest of the first round; 0 for all."`
	Patience float64  `default:"120" help:"Drop a peer whose run takes more than this number of seconds; 0 for no limit."`
	Threads  int      `default:"0" help:"Threads of each program; 0 for all cores."`
	Minutes  float64  `default:"0" help:"Begin no case after this number of minutes; 0 for no limit. For --suite serve, the time of the load."`
	Limit    float64  `default:"2570" help:"Peak GFLOP/s of a core for bfloat16 products, to compute our share of it. The default is 1024 per cycle of AMX at 2.5 GHz; 0 for none."`
	Out      string   `help:"Write the results into this JSON file after each case. Its other cases are kept."`
	Model    string   `help:"Model of wn18rr for --suite serve; the default is trained."`
	Trials   string   `default:"notebooks/results/cluster-trials.json" help:"File with the seconds of trials, for the simulations of --suite cluster."`
	Mean     float64  `default:"1" help:"Mean of the simulated trainings in seconds; the recorded ones are scaled."`
	Sleepers int      `hidden:"" help:"Only run a queue in --to with this number of simulated workers."`
	Small    bool     `help:"Use the smallest shapes, to test the program."`
	Ours     string   `help:"Program with our Go benchmarks, or autoblm for --suite time-to-mrr, serve and cluster; default bench.test or autoblm next to this program, or built."`

	Plan  bool   `help:"Print the commands that measure GoMLX on a GPU, each in less than ten minutes."`
	Smoke bool   `help:"Rehearse the commands of --plan in the smallest shapes on GoMLX's own backend."`
	To    string `default:"." help:"Folder for the files of --plan."`

	temporary string // folder of programs and of trained models to rank
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"),
		kong.Description("Times training, ranking and epochs of our engines and of peers."))
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
	if f.Sleepers > 0 {
		return f.sleepers(ctx, w)
	}
	if f.Backend != "" && f.Suite == speedSuite {
		f.Suite = deviceSuite
	}
	if err := f.check(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	f.temporary = folder
	if f.Ours == "" {
		if f.Ours, err = f.findOurs(ctx); err != nil {
			return err
		}
	}
	if f.Smoke {
		return f.rehearse(ctx, w)
	}
	command := []string{"go", "run", "./autoblm/bench"}
	if !strings.Contains(os.Args[0], "go-build") { // not by go run
		command = os.Args[:1]
	}
	command = slices.Concat(command, os.Args[1:])
	if f.Suite == serveSuite {
		return f.serve(ctx, command, w)
	}
	if f.Suite == clusterSuite {
		return f.cluster(ctx, command, w)
	}
	return f.measure(ctx, command, w)
}

// cases returns the benchmarks of the suite.
func (f flags) cases() []benchCase {
	if f.Small {
		return small(f.Suite.cases())
	}
	return f.Suite.cases()
}

// check validates the flags.
func (f flags) check() error {
	switch {
	case f.Data == "" && !f.Smoke:
		return errors.New("no data: set --data or AUTOBLM_DATA to the folder with umls, wn18rr, " +
			"fb15k-237 and so on (autoblm dataset fetch)")
	case f.Repeat < 1 || f.Threads < 0 || f.Fastest < 0:
		return fmt.Errorf("--repeat %d, --threads %d, --fastest %d: use at least 1, 0 and 0",
			f.Repeat, f.Threads, f.Fastest)
	case f.Suite == clusterSuite && !(f.Mean > 0):
		return fmt.Errorf("--mean %v: use a positive number", f.Mean)
	case !(f.Minutes >= 0) || !(f.Patience >= 0) || !(f.Limit >= 0):
		return fmt.Errorf("--minutes %v, --patience %v, --limit %v: use at least 0",
			f.Minutes, f.Patience, f.Limit)
	case f.Backend != "" && f.Suite != deviceSuite:
		return fmt.Errorf("--backend is not for --suite %s: leave out one of them", f.Suite)
	}
	for _, name := range append(slices.Clone(f.Backends), f.Backend) {
		if name == backend.Auto {
			return errors.New("the backend is auto: name a backend")
		}
		if err := backend.Check(name); err != nil {
			return err
		}
	}
	_, err := f.peers()
	return err
}
