package kernelspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUserFolder: the table of
// https://docs.jupyter.org/en/latest/use/jupyter-directories.html.
func TestUserFolder(t *testing.T) {
	home := func() (string, error) { return "/home/u", nil }
	for _, test := range []struct {
		system    string
		variables map[string]string
		want      string
	}{
		{"linux", nil, "/home/u/.local/share/jupyter"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/jupyter"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/data", "JUPYTER_DATA_DIR": "/j"}, "/j"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/data"}, "/home/u/Library/Jupyter"},
		{"darwin", map[string]string{"JUPYTER_DATA_DIR": "/j"}, "/j"},
	} {
		got, err := userFolder(test.system, func(name string) string { return test.variables[name] }, home)
		if err != nil || got != test.want {
			t.Errorf("%s %v: %q, %v; want %q", test.system, test.variables, got, err, test.want)
		}
	}
}

func TestFindTakesTheFirst(t *testing.T) {
	t.Setenv("JUPYTER_PATH", "/a"+string(os.PathListSeparator)+"/b")
	want := []string{"/a", "/b", "/user", "/usr/local/share/jupyter", "/usr/share/jupyter"}
	if diff := cmp.Diff(want, Folders("/user")); diff != "" {
		t.Error(diff)
	}

	first, second := t.TempDir(), t.TempDir()
	spec := Spec{Argv: []string{"gonb", ConnectionFile}, DisplayName: "A <b>", Language: "go", Env: map[string]string{"PATH": "/x"}}
	put(t, second, "k", spec)
	got, err := Find("k", []string{first, second})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spec, got); diff != "" {
		t.Error(diff)
	}
	spec.DisplayName = "nearer"
	put(t, first, "k", spec)
	if got, err = Find("k", []string{first, second}); err != nil || got.DisplayName != "nearer" {
		t.Errorf("found %v, %v", got, err)
	}
	if _, err := Find("other", []string{first}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestBadSpecs(t *testing.T) {
	for content, want := range map[string]string{`{`: "unexpected end", `{}`: "no argv", `{"argv":[""]}`: "no argv"} {
		path := filepath.Join(t.TempDir(), "kernel.json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v, want one with the path and %q", content, err, want)
		}
	}
}

func put(t *testing.T, folder, name string, spec Spec) {
	t.Helper()
	path := File(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := spec.Write(path); err != nil {
		t.Fatal(err)
	}
}
