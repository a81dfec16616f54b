package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestPopularityOfSearch: a search warns about a kept model below the baseline.
func TestPopularityOfSearch(t *testing.T) {
	for epochs, warns := range map[string]bool{"1": true, "10": false} {
		dir := t.TempDir()
		_, stderr := succeed(t, "search --recipe basic --model transe --dataset world --dim 32 --budget 1",
			"--epochs", epochs, "--out", dir)
		if strings.Contains(stderr, "warning: test MRR 0.") != warns ||
			strings.Contains(stderr, "larger --budget") != warns {
			t.Errorf("%s epochs: %q, want a warning: %v", epochs, stderr, warns)
		}
	}
}

// TestPopularityAtDeadline: the advice after a training that its deadline ended is more time.
func TestPopularityAtDeadline(t *testing.T) {
	_, stderr := succeed(t, "train --dataset world --structure simple --dim 32 --minutes 0.000001 --out",
		t.TempDir())
	contains(t, stderr, "warning: test MRR 0.", "use more --minutes, or a smaller --dim than 32\n")
}

// TestPopularity: train and eval show the baseline, and warn about a model below it.
func TestPopularity(t *testing.T) {
	const graph = "world"
	g := datasets.World()
	ranks, err := completion.Popularity(t.Context(), g, g.Test)
	must(t, err)
	want := completion.Summarize(ranks, eval.Realistic)
	train := "train --recipe basic --structure complex --dim 32 --dataset " + graph
	for flags, warns := range map[string]bool{"--epochs 1": true, "--epochs 10": false} {
		dir := t.TempDir()
		stdout, warning := succeed(t, train, flags, "--out", dir)
		contains(t, stdout, "\n  popularity  ")
		o := object(t, train, flags, "--out", dir)
		same(t, "popularity on test", get(o, "popularity.test"), want)
		rank := "eval --dataset " + graph + " --model " + dir
		_, again := succeed(t, rank)
		for _, stderr := range []string{warning, again} {
			if strings.Contains(stderr, "warning: test MRR 0.") != warns {
				t.Errorf("%s: %q, want a warning: %v", flags, stderr, warns)
			}
		}
		same(t, "popularity in eval", object(t, rank)["popularity"], map[string]any{"test": want})
		o = object(t, rank, "--by degree --split valid")
		heads, tails := 0.0, 0.0
		for _, part := range get(o, "by_degree").([]any) {
			heads += number(t, part, "head_queries")
			tails += number(t, part, "tail_queries")
		}
		if n := float64(len(g.Valid)); heads != n || tails != n || get(o, "popularity.test") != nil {
			t.Errorf("%v and %v queries of %v triples: %v", heads, tails, n, o)
		}
		stdout, _ = succeed(t, rank, "--by degree")
		contains(t, stdout, "degree  tail queries  tail MRR  head queries  head MRR\n")
	}
}
