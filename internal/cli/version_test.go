package cli

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// checkout creates a repository with a commit.
func checkout(t *testing.T) (folder, commit string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	folder = t.TempDir()
	for _, line := range []string{
		"init -q", "-c user.name=n -c user.email=n@example.org commit -q --allow-empty -m m",
	} {
		if out, err := exec.Command(
			"git", append([]string{"-C", folder}, strings.Fields(line)...)...,
		).CombinedOutput(); err != nil {
			t.Skipf("git %s: %v: %s", line, err, out)
		}
	}
	commit, err := git(folder, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	return folder, commit
}

func TestReadBuild(t *testing.T) {
	folder, head := checkout(t)
	const revision = "98953f95f94b4d4e6ff1d1c1bff5a9a9a6a1b2c3"
	stamped := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"},
	}}
	devel := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
	for name, c := range map[string]struct {
		info            *debug.BuildInfo
		linked, sources string
		commit, says    string
	}{
		"stamped":            {stamped, "", folder, revision, "commit " + revision + ", modified (stamped by go build)"},
		"stamped and linked": {stamped, "abc", "", revision, "modified"},
		"linked":             {devel, "abc", folder, "abc", "commit abc (set when the program was linked)"},
		"installed by a commit": {&debug.BuildInfo{
			Main: debug.Module{Version: "v0.0.0-20261122125425-98953f95f94b"},
		}, "", "", "98953f95f94b", "part of the module's version"},
		"after a release": {&debug.BuildInfo{
			Main: debug.Module{Version: "v1.2.4-0.20261122125425-98953f95f94b"},
		}, "", "", "98953f95f94b", "p v1.2.4-0.2026"},
		"a release": {&debug.BuildInfo{
			Main: debug.Module{Version: "v1.2.3"},
		}, "", "", "", "p v1.2.3"},
		"run in a checkout": {devel, "", folder, head, "commit " + head + " (the current commit of the checkout"},
		"far from its checkout": {devel, "", filepath.Join(folder,
			"gone"), "", "commit unknown: built without a stamp"},
		"trimmed": {devel, "", "github.com/autoblm/autoblm-go/internal/cli", "", "commit unknown"},
	} {
		b := built(c.info, c.linked, c.sources)
		var text bytes.Buffer
		b.Print(&text, "p")
		if b.Commit != c.commit || !strings.Contains(text.String(), c.says) || b.Go == "" ||
			!strings.Contains(text.String(), "\ngo1.") {
			t.Errorf("%s: %+v, told as %q, which should say %q", name, b, text.String(), c.says)
		}
	}
}
