package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSampledRanking trains with validation by a sample and ranks a sample of the test triples. The
// sample has its own metrics and a standard error.
func TestSampledRanking(t *testing.T) {
	out := filepath.Join(t.TempDir(), "model")
	flags := "--dataset world --structure complex --dim 8 --epochs 2 --validate-every 1 " +
		"--validate-sample 10 --out " + out
	o := object(t, "train", flags)
	for _, v := range o["validations"].([]any) {
		if e, _ := v.(map[string]any)["mrr_error"].(float64); e <= 0 || e > 0.2 {
			t.Errorf("validation %v", v)
		}
	}
	if o["validated_by"] != 10.0 || o["valid"].(map[string]any)["of"] != nil {
		t.Errorf("validated by %v, in the end by %v", o["validated_by"], o["valid"])
	}
	whole := object(t, "eval --dataset world --model", out)["test"].(map[string]any)
	all := whole["triples"].(float64)
	same := object(t, "eval --dataset world --sample 100000 --model", out)["test"]
	if d := cmp.Diff(whole, same); d != "" {
		t.Errorf("a sample of all:\n%s", d)
	}
	part := object(t, "eval --dataset world --sample 5 --model", out)["test"].(map[string]any)
	if e, _ := part["mrr_error"].(float64); part["triples"] != 5.0 || part["of"] != all || e <= 0 {
		t.Errorf("a sample of 5 of %v: %v", all, part)
	}
}

// TestNoEval checks that --no-eval validates only if that is asked for.
func TestNoEval(t *testing.T) {
	for _, c := range []struct {
		flags string
		want  int
	}{{"", 0}, {"--validate-every 1", 2}, {"--recipe default", 0}} {
		o := object(t, "train --dataset world --structure complex --dim 8 --epochs 2 --no-eval",
			c.flags, "--out", t.TempDir())
		if got := o["validations"].([]any); len(got) != c.want || o["valid"] != nil {
			t.Errorf("%s: %v, %v", c.flags, got, o["valid"])
		}
	}
	model := t.TempDir()
	train := "train --dataset world --epochs 2 --out "
	succeed(t, train+model, "--structure complex --dim 8 --validate-every 1 --plateau-patience 1")
	succeed(t, train+t.TempDir(), "--no-eval --from", model)
}
