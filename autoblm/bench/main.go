package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/datasets"
)

type flags struct {
	Data    string `required:"" help:"The folder that holds umls, wn18rr and fb15k-237."`
	Peer    string `help:"The command of a peer to run in turns with ours; without it, ours runs alone."`
	Repeat  int    `default:"5" help:"How often each is timed."`
	Threads int    `default:"2" help:"Threads of both."`
	Out     string `help:"Write the result into this file, as JSON."`
}

// result is what was measured.
type result struct {
	Date    string   `json:"date"`
	Machine string   `json:"machine"`
	Threads int      `json:"threads"`
	Engine  string   `json:"engine"`
	Backend string   `json:"backend"`
	Cases   []timing `json:"cases"`
}

type timing struct {
	timed
	// Ours and Peer are seconds, in the order they were taken.
	Ours []float64 `json:"ours"`
	Peer []float64 `json:"peer,omitempty"`
	// Ratio is that of the medians.
	Ratio float64 `json:"ratio,omitempty"`
	// GFLOPS is our arithmetic a second, in billions.
	GFLOPS float64 `json:"gflops"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Description("Times training steps and filtered ranking, beside a peer."))
	if err := f.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (f flags) run(ctx context.Context) error {
	runtime.GOMAXPROCS(f.Threads)
	engine, err := autoblm.Compute{Engine: "cpu", Threads: f.Threads}.Open()
	if err != nil {
		return err
	}
	if f.Peer == "" {
		fmt.Fprintln(os.Stderr, "bench: no --peer, so ours runs alone")
	}
	r := result{
		Date: time.Now().Format(time.DateOnly), Machine: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Threads: f.Threads, Engine: engine.Name(), Backend: engine.Backend(),
	}
	fmt.Printf("%-36s %12s %12s %8s %6s %9s\n", "", "ours", "peer", "ratio", "goal", "GFLOP/s")
	for _, c := range cases {
		folder := filepath.Join(f.Data, c.Dataset)
		if _, err := os.Stat(folder); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s is left out: %v\n", c.Name, err)
			continue
		}
		t, err := f.time(ctx, engine, folder, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		r.Cases = append(r.Cases, t)
		t.print()
	}
	if f.Out == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(f.Out, append(text, '\n'), 0o644)
}

// time runs ours and the peer in turns.
func (f flags) time(ctx context.Context, engine completion.Engine, folder string, c timed) (timing, error) {
	t := timing{timed: c}
	g, err := datasets.ReadFolder(folder)
	if err != nil {
		return t, err
	}
	for range f.Repeat {
		seconds, err := ours(ctx, engine, g, c)
		if err != nil {
			return t, err
		}
		t.Ours = append(t.Ours, seconds)
		if f.Peer == "" {
			continue
		}
		if seconds, err = peer(ctx, f.Peer, folder, f.Threads, c); err != nil {
			return t, err
		}
		t.Peer = append(t.Peer, seconds)
	}
	t.GFLOPS = c.flops(len(g.Entities), len(g.Test)) / median(t.Ours) / 1e9
	if f.Peer != "" {
		t.Ratio = median(t.Ours) / median(t.Peer)
	}
	return t, nil
}

func (t timing) print() {
	peer, ratio := "–", "–"
	if len(t.Peer) > 0 {
		peer, ratio = fmt.Sprintf("%.2f ms", 1e3*median(t.Peer)), fmt.Sprintf("%.3f", t.Ratio)
	}
	fmt.Printf("%-36s %9.2f ms %12s %8s %6.2f %9.1f\n", t.Name, 1e3*median(t.Ours), peer, ratio, t.Goal, t.GFLOPS)
}
