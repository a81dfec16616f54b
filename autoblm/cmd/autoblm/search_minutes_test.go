package main

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchDeadline: the same command and study resume give the same result; more minutes
// continue.
func TestSearchDeadline(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "found")
	command := []string{"search", "--dataset", smallGraph(t), "--minutes", "0.03", "--out", folder}
	first := object(t, command...)
	for _, again := range [][]string{command, {"study", "resume", folder},
		{"study", "resume", folder, "--minutes", "0.02"}} {
		o := object(t, again...)
		if o["resumed"] != first["trained"] {
			t.Errorf("%v went on with %v of %v", again, o["resumed"], first["trained"])
		}
		o["resumed"], o["study"] = first["resumed"], first["study"]
		if !reflect.DeepEqual(o, first) {
			t.Errorf("%v has\n%v, and the search\n%v", again, o, first)
		}
	}
	if shown := object(t, "study", "show", folder); shown["state"] != "finished" {
		t.Errorf("the study is %v", shown["state"])
	}
	for _, best := range first["best"].([]any) {
		if _, says := best.(map[string]any)["rung"].(float64); !says {
			t.Errorf("%v does not say on which rung it is", best)
		}
	}
	if status, _, stderr := invoke(t.Context(), "study", "resume", folder, "--minutes",
		"0.06"); status != cli.Done || !strings.Contains(stderr, "plan") {
		t.Errorf("with more minutes: status %d, %q", status, stderr)
	}
}

// TestSearchWithoutTime keeps a baseline.
func TestSearchWithoutTime(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "found")
	o := object(t, "search", "--dataset", smallGraph(t), "--minutes", "0.0001", "--out", folder)
	if o["trained"] != 0.0 || o["kept"].(map[string]any)["from"] != "baseline" {
		t.Errorf("kept is %v after %v structures", o["kept"], o["trained"])
	}
	object(t, "predict", "--model", folder, "--head", "e10", "--relation", "near")
}
