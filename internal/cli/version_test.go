package cli

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"
)

func TestReadBuild(t *testing.T) {
	const revision = "98953f95f94b4d4e6ff1d1c1bff5a9a9a6a1b2c3"
	stamped := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"},
	}}
	version := func(text string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: text}}
	}
	for name, c := range map[string]struct {
		info                 *debug.BuildInfo
		linked, commit, says string
	}{
		"stamped":            {stamped, "", revision, "commit " + revision + ", modified\n"},
		"stamped and linked": {stamped, "abc", revision, "p (devel)\n"},
		"linked":             {version("(devel)"), "abc", "abc", "commit abc\n"},
		"installed by a commit": {
			version("v0.0.0-20261122125425-98953f95f94b"), "", "98953f95f94b", "commit 98953f95f94b\n",
		},
		"after a release": {
			version("v1.2.4-0.20261122125425-98953f95f94b"), "", "98953f95f94b", "p v1.2.4-0.2026",
		},
		"a release":      {version("v1.2.3"), "", "", "p v1.2.3\ncommit unknown\n"},
		"no information": {&debug.BuildInfo{}, "", "", "p (devel)\ncommit unknown\n"},
		"in a checkout":  {version("(devel)"), "", "", "commit unknown\n"},
	} {
		b := built(c.info, c.linked)
		var text bytes.Buffer
		b.Print(&text, "p")
		if b.Commit != c.commit || !strings.Contains(text.String(), c.says) || b.Go == "" ||
			!strings.Contains(text.String(), "\ngo1.") {
			t.Errorf("%s: %+v, printed as %q, which should say %q", name, b, text.String(), c.says)
		}
	}
}
