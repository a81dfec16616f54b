package main

import (
	"fmt"
	"strings"
	"testing"
)

// writeAncestry writes the facts of above and its inverse below, the odd ones of below to test.
func writeAncestry(t *testing.T) {
	t.Helper()
	var train, test, all strings.Builder
	for i := range 40 {
		above := fmt.Sprintf("p%d\tabove\tp%d\n", i, (i*7+3)%40)
		below := fmt.Sprintf("p%d\tbelow\tp%d\n", (i*7+3)%40, i)
		train.WriteString(above)
		if i%4 == 1 {
			test.WriteString(below)
		} else {
			train.WriteString(below)
		}
		all.WriteString(above + below)
	}
	writeFile(t, train.String(), "ancestry", "train.txt")
	writeFile(t, test.String(), "ancestry", "test.txt")
	writeFile(t, all.String(), "all.txt")
}

// TestRelatedRelations: dataset info names inverse relations and the leaked share of test, and
// dataset import keeps their facts together.
func TestRelatedRelations(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAncestry(t)
	stdout, _ := succeed(t, "dataset info ancestry")
	contains(t, stdout, "inverse", "100.0 %",
		"train implies 10 of the 10 test triples by these relations (100.0 %)")
	for flag, leaks := range map[string]bool{"--seed=1": false, "--allow-leakage": true} {
		succeed(t, "dataset import all.txt --valid .2 --test .2 --out split"+flag, flag)
		o := object(t, "dataset info split"+flag)
		if got := o["leaked_percent"].(float64) > 0; got != leaks {
			t.Errorf("%q: %v percent of test leak", flag, o["leaked_percent"])
		}
	}
}
