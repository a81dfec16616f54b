package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
)

// smallData is a folder that holds what deviceGraphs name.
func smallData(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := (flags{}).writeSmallData(folder, t.Logf); err != nil {
		t.Fatal(err)
	}
	return folder
}

// fakePeer is the command of a peer that prints the same each time.
func fakePeer(t *testing.T, script string) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to play the peer")
	}
	path := filepath.Join(t.TempDir(), "peer.sh")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return "sh " + path
}

// written runs the program small and returns what it wrote.
func written(t *testing.T, f flags) (document, error) {
	t.Helper()
	f.Small, f.Out = true, filepath.Join(t.TempDir(), "result.json")
	err := f.measure(t.Context(), &bytes.Buffer{})
	d, readError := measured.Read[result](f.Out)
	if readError != nil {
		t.Fatal(readError)
	}
	return d, err
}

func TestMeasure(t *testing.T) {
	f := usualFlags()
	f.Data, f.Backend, f.Repeat, f.Cases = smallData(t), "go", 2, []string{"*-wn18rr-64"}
	f.Peer = fakePeer(t, `echo '{"ms_per_step_per_member": [9, 4, 6], "test": {"seconds": 0.5}, "torch": "2.0", "device": "'$5'"}'`)
	d, err := written(t, f)
	if err != nil {
		t.Fatal(err)
	}
	chosen, _ := onDevice().small().choose(f.Cases)
	if err := lacks(d, chosen, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Result.Cases {
		if len(c.Ours) != 2 || fmt.Sprint(c.Peer) != map[bool]string{false: "[0.005 0.005]", true: "[0.5 0.5]"}[c.Rank] || c.Ratio != median(c.Ours)/median(c.Peer) || !(c.Compile > 0) {
			t.Errorf("%+v", c)
		}
	}
	if d.Versions["torch"] != "2.0 on cpu" || strings.Contains(d.Command, f.Data) || d.Result.Engine != "gomlx" || d.Result.Backend != "go" {
		t.Errorf("%+v", d)
	}
	if o := d.Result.Precisions[0].Outcomes; len(o) != 2 || o[0].Scores != "float32" || o[1].Scores != "bfloat16" {
		t.Errorf("precisions: %+v", o)
	}
}

// TestPeerFails: ours is kept, and the failure is no success.
func TestPeerFails(t *testing.T) {
	f := usualFlags()
	f.Data, f.Backend, f.Repeat, f.Cases = smallData(t), "go", 1, []string{"step-wn18rr-64"}
	f.Peer = fakePeer(t, "echo 'CUDA out of memory' >&2; exit 1")
	d, err := written(t, f)
	if err == nil || len(d.Result.LeftOut) != 1 || !strings.Contains(d.Result.LeftOut[0], "CUDA out of memory") {
		t.Errorf("%v, left out %q", err, d.Result.LeftOut)
	}
	if len(d.Result.Cases) != 1 || len(d.Result.Cases[0].Ours) != 1 || d.Result.Cases[0].Ratio != 0 {
		t.Errorf("%+v", d.Result.Cases)
	}
}

// TestLeftOut: what the minutes or the data do not allow is left out and said.
func TestLeftOut(t *testing.T) {
	f := usualFlags()
	f.Data, f.Backend, f.Repeat, f.Minutes, f.Cases = smallData(t), "go", 1, 1e-6, []string{"step-wn18rr-64", "step-fb15k-237-64"}
	d, err := written(t, f)
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.LeftOut) != 1 || !strings.Contains(d.Result.LeftOut[0], "fb15k-237-64: 1e-06 minutes are over") {
		t.Errorf("%v, %d cases, left out %q", err, len(d.Result.Cases), d.Result.LeftOut)
	}
	f.Data = t.TempDir()
	if d, err = written(t, f); err == nil || len(d.Result.LeftOut) != 2 {
		t.Errorf("without data: %v, left out %q", err, d.Result.LeftOut)
	}
}

// TestSearchInPieces: a search that ran out of time goes on where it ended.
func TestSearchInPieces(t *testing.T) {
	f := usualFlags()
	f.Data, f.Backend, f.Cases, f.Minutes = smallData(t), "go", []string{"search-*"}, 1e-6
	if err := f.measure(t.Context(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "--study") {
		t.Errorf("without a study: %v", err)
	}
	f.Study = filepath.Join(t.TempDir(), "study.db")
	first, err := written(t, f)
	if err != nil {
		t.Fatal(err)
	}
	f.Minutes = 0
	second, err := written(t, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := wentOn(nil, first.Result.Searches); err != nil {
		t.Error(err)
	}
	if err := wentOn(first.Result.Searches, second.Result.Searches); err != nil {
		t.Error(err)
	}
	if a, b := first.Result.Searches[0], second.Result.Searches[0]; b.Trained != smallBudget || a.Seconds >= b.Seconds || wentOn(nil, second.Result.Searches) == nil {
		t.Errorf("%+v, then %+v", a, b)
	}
}

func TestFlags(t *testing.T) {
	good := usualFlags()
	good.Data = "data"
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*flags){
		"AUTOBLM_DATA":    func(f *flags) { f.Data = "" },
		"repeat is 0":     func(f *flags) { f.Repeat = 0 },
		"minutes is -1":   func(f *flags) { f.Minutes = -1 },
		"threads is -1":   func(f *flags) { f.Threads = -1 },
		"name the one":    func(f *flags) { f.Backend = "auto" },
		"unknown backend": func(f *flags) { f.Backend = "abacus" },
	} {
		f := good
		change(&f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which should say %q", err, says)
		}
	}
}

// TestCut: a rehearsal's graph is part of the real one.
func TestCut(t *testing.T) {
	g := datasets.World()
	few := cut(g)
	if len(few.Train) != smallTrain || len(few.Valid) != smallSplit || len(few.Test) != smallSplit || few.Train[7] != g.Train[7] {
		t.Errorf("%d, %d and %d triples", len(few.Train), len(few.Valid), len(few.Test))
	}
}
