package main

import (
	"reflect"
	"testing"
)

func TestReadOurs(t *testing.T) {
	got, err := readOurs("backend: go\nnote: in parts\nauto: bfloat16\ngoos: linux\n" +
		"BenchmarkRank/rank-umls-64-2 \t  1\t 16758865 ns/op\t  1.5 GFLOP/member\t  0.25 MRR\t" +
		"  7.5 s-compiling\t  0.5 s-fresh/member\t  0.0002654 s/member\nPASS\n")
	want := run{
		seconds: 0.0002654, compiling: 7.5, on: "go", gflop: 1.5, auto: bfloat16s,
		fresh: 0.5, mrr: 0.25, notes: []string{"in parts"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, output := range []string{"", "PASS\n", "BenchmarkStep/step-umls-64-2 1 16758865 ns/op\n"} {
		if _, err := readOurs(output); err == nil {
			t.Errorf("%q has a time", output)
		}
	}
}

func TestFailureMessage(t *testing.T) {
	for output, want := range map[string]string{
		"backend: avx512\n--- FAIL: BenchmarkStep/x\n    ours_test.go:126: no bfloat16\nFAIL\n": ": no bfloat16",
		"panic: 3\n": "\npanic: 3\n",
	} {
		if got := failureMessage(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
