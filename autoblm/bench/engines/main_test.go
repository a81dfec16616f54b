package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/record"
)

// scripted returns cases that take as many seconds as calls before, so that times show the order of
// the calls. It also returns the calls.
func scripted() ([]benchCase, *[]string) {
	calls := &[]string{}
	once := func(id string) benchCase {
		run := func(_ context.Context, folder string, on autoblm.Compute) (times, error) {
			call := fmt.Sprint(id, " ", on.Engine, on.Backend, " ", filepath.Base(folder))
			*calls = append(*calls, call)
			return times{float64(len(*calls)), 10 * float64(len(*calls))}, nil
		}
		return benchCase{id, "case " + id, "data", run}
	}
	return []benchCase{once("a"), once("b")}, calls
}

func folder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTurns(t *testing.T) {
	all, calls := scripted()
	f := flags{
		Data: folder(t), Backends: []string{"go"}, Cases: "b", Repeat: 3,
		Out: filepath.Join(t.TempDir(), "r.json"),
	}
	if err := f.run(t.Context(), all, io.Discard); err != nil {
		t.Fatal(err)
	}
	round := []string{"b cpu data", "b gomlxgo data"}
	if want := slices.Repeat(round, 3); !slices.Equal(*calls, want) {
		t.Errorf("calls %q, want %q", *calls, want)
	}
	f.Cases, f.Repeat = "a", 1
	if err := f.run(t.Context(), all, io.Discard); err != nil {
		t.Fatal(err)
	}
	d, err := record.Read[result](f.Out)
	if err != nil {
		t.Fatal(err)
	}
	cases := d.Result.Cases
	if len(cases) != 2 || cases[0].ID != "a" || cases[1].ID != "b" {
		t.Fatalf("the file has %+v", cases)
	}
	got := fmt.Sprint(cases[1].Seconds, cases[1].Compiling, cases[0].Seconds)
	const want = "map[go:[2 4 6] native:[1 3 5]] map[go:40 native:30] map[go:[8] native:[7]]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRefusals(t *testing.T) {
	all, calls := scripted()
	here := folder(t)
	for want, f := range map[string]flags{
		"AUTOBLM_DATA":      {Cases: ".", Repeat: 1},
		"at least 1":        {Data: here, Cases: "."},
		"auto":              {Data: here, Cases: ".", Repeat: 1, Backends: []string{"auto"}},
		"unknown backend":   {Data: here, Cases: ".", Repeat: 1, Backends: []string{"cpu"}},
		"use one of a, b":   {Data: here, Cases: "c", Repeat: 1},
		"--cases":           {Data: here, Cases: "(", Repeat: 1},
		"nothing to choose": {Data: t.TempDir(), Cases: ".", Repeat: 1},
	} {
		if err := f.run(t.Context(), all, io.Discard); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if len(*calls) > 0 {
		t.Errorf("%v were calls", *calls)
	}
}

// TestCases runs a case of each kind on both engines.
func TestCases(t *testing.T) {
	all := []benchCase{steps("umls", 8, 256, 2, 2), ranks("umls", 8, 8), epochs("mutag", 1)}
	for _, c := range all {
		folder := realdata.Folder(t, c.dataset)
		for _, on := range []autoblm.Compute{{Engine: "cpu"}, {Engine: "gomlx", Backend: "go"}} {
			once, err := c.run(t.Context(), folder, on)
			if err != nil || !(once.each > 0) {
				t.Errorf("%s on %s: %v, %v", c.name, on.Engine, once, err)
			}
		}
	}
}
