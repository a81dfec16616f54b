package main

import "testing"

// TestSearchDeadline: the same command and study resume give the same result; more minutes
// continue.
func TestSearchDeadline(t *testing.T) {
	folder := t.TempDir()
	search := "search --minutes 0.03 --dataset " + smallGraph(t) + " --out " + folder
	first := object(t, search)
	resume := "study resume " + folder
	for _, again := range []string{search, resume, resume + " --minutes 0.02"} {
		o := object(t, again)
		has(t, o, fields{"resumed": first["trained"]})
		o["resumed"], o["study"] = first["resumed"], first["study"]
		same(t, again, o, first)
	}
	has(t, object(t, "study show", folder), fields{"state": "finished"})
	for _, best := range first["best"].([]any) {
		number(t, best, "rung")
	}
	_, stderr := succeed(t, resume, "--minutes 0.06")
	contains(t, stderr, "plan")
}

// TestSearchWithoutTime keeps a baseline.
func TestSearchWithoutTime(t *testing.T) {
	folder := t.TempDir()
	has(t, object(t, "search --minutes 0.0001 --dataset", smallGraph(t), "--out", folder),
		fields{"trained": 0, "kept.from": "baseline"})
	object(t, "predict --head e10 --relation near --model", folder)
}
