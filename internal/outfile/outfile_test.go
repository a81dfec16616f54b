package outfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestKinds checks that a file replaces only empty files and files of its kind.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		content string
		kind    outfile.Kind
		says    string // "" where it is replaced
	}{
		"empty":          {"", outfile.Page, ""},
		"record":         {"{\n \"command\": \"autoblm\"}", outfile.Record, ""},
		"page":           {"<!DOCTYPE html>\n<html>", outfile.Page, ""},
		"trials":         {"number,stage,round\n", outfile.Trials, ""},
		"png":            {"\x89PNG\r\n\x1a\n", outfile.PNG, ""},
		"svg":            {"<?xml version=\"1.0\"?>\n<svg", outfile.SVG, ""},
		"study":          {"SQLite format 3\x00...", outfile.Record, "is a study"},
		"study for page": {"SQLite format 3\x00...", outfile.Page, "is a study"},
		"page for rows":  {"<!DOCTYPE html>", outfile.Trials, "is a page"},
		"triples":        {"a\tr\tb\n", outfile.Record, "is not a record"},
		"other JSON":     {`{"name": "mine"}`, outfile.Record, "is not a record"},
		"one word":       {"x", outfile.SVG, "is not a picture"},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
		for _, err := range []error{
			outfile.Check(path, c.kind), outfile.Write(path, c.kind, []byte("new")),
		} {
			if (err == nil) != (c.says == "") || err != nil &&
				(!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path)) {
				t.Errorf("%s: %v, want %q", name, err, c.says)
			}
		}
		want := "new"
		if c.says != "" {
			want = c.content
		}
		if got, err := os.ReadFile(path); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestCheck checks missing folders and that nothing is created.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := outfile.Check(filepath.Join(dir, "x"), outfile.Record); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for path, says := range map[string]string{
		filepath.Join(dir, "none", "x"): "no such file", dir: "is a folder",
		os.DevNull: "no regular file",
	} {
		if err := outfile.Check(path, outfile.Record); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", path, err, says)
		}
	}
}
