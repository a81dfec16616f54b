package main

import (
	"slices"
	"testing"
)

func TestReadOurs(t *testing.T) {
	run, err := readOurs(
		"backend: go\nnote: in parts\nauto: bfloat16\ngoos: linux\nBenchmarkRank/rank-umls-64-2 \t  1\t 16758865 ns/op\t  1.5 GFLOP/member\t  0.25 MRR\t  7.5 s-compiling\t  0.5 s-fresh/member\t  0.0002654 s/member\nPASS\n",
	)
	if err != nil || run.seconds != 0.0002654 || run.fresh != 0.5 || run.mrr != 0.25 ||
		run.gflop != 1.5 ||
		run.compiling != 7.5 ||
		run.on != "go" ||
		run.auto != bfloat16s ||
		!slices.Equal(run.notes, []string{"in parts"}) {
		t.Errorf("%+v, %v", run, err)
	}
	for _, output := range []string{"", "PASS\n", "BenchmarkStep/step-umls-64-2 1 16758865 ns/op\n"} {
		if _, err := readOurs(output); err == nil {
			t.Errorf("%q has a time", output)
		}
	}
}

func TestCause(t *testing.T) {
	for output, want := range map[string]string{
		"backend: avx512\n--- FAIL: BenchmarkStep/x\n    ours_test.go:126: no bfloat16: use float32\nFAIL\n": ": no bfloat16: use float32",
		"panic: 3\n": "\npanic: 3\n",
	} {
		if got := failureMessage(output); got != want {
			t.Errorf("%q is because of %q, want %q", output, got, want)
		}
	}
}
