package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize"
)

func printHeader(w io.Writer) {
	fmt.Fprintf(w, "%-36s %12s %12s %8s %6s %9s %9s %10s %10s\n", "", "ours", "peer", "ratio", "goal", "GFLOP/s", "compile", "ours takes", "peer takes")
}

func (t timing) print(w io.Writer) {
	peer, ratio, compile := missing, missing, missing
	if len(t.Peer) > 0 {
		peer, ratio = fmt.Sprintf("%.2f ms", 1e3*median(t.Peer)), fmt.Sprintf("%.3f", t.Ratio)
	}
	if t.Compile > 0 {
		compile = fmt.Sprintf("%.1f s", t.Compile)
	}
	fmt.Fprintf(w, "%-36s %9.2f ms %12s %8s %6.2f %9.1f %9s %10s %10s\n", t.Name, 1e3*median(t.Ours), peer, ratio, t.Goal, t.GFLOPS, compile, memory(t.OurMemory), memory(t.PeerMemory))
}

// missing stands for what was not measured.
const missing = "–"

func memory(bytes int64) string {
	if bytes == 0 {
		return missing
	}
	return humanize.IBytes(uint64(bytes))
}

func (c compared) print(w io.Writer) {
	fmt.Fprintf(w, "%s, d %d, %d epochs, %d seeds\n", c.Dataset, c.Dim, c.Epochs, c.Members)
	for _, o := range c.Outcomes {
		fmt.Fprintf(w, "  %-9s %9.2f ms a step, valid MRR %s, test MRR %s\n", o.Scores, 1e3*o.PerStep, spread(o.Valid), spread(o.Test))
	}
}

// spread is the mean and from where to where the numbers go.
func spread(x []float64) string {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	return fmt.Sprintf("%.4f (%.4f to %.4f)", mean, slices.Min(x), slices.Max(x))
}

func (r searched) print(w io.Writer) {
	fmt.Fprintf(w, "search on %s: %d of %d structures in %.0f s so far (goal: all in %.0f s), ended by: %s\n", r.Dataset, r.Trained, r.Budget, r.Seconds+r.Overhead, r.Within, r.Stopped)
	for _, f := range []*found{r.Best, r.Named} {
		if f != nil {
			fmt.Fprintf(w, "  %s, %s: valid MRR %.4f, test MRR %.4f\n", cmp.Or(f.Name, "found"), f.Structure, f.ValidMRR, f.TestMRR)
		}
	}
}
