package cli

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
)

// commit is the commit of the source, for builds without its history, such as those of an image:
// -ldflags "-X github.com/autoblm/autoblm-go/internal/cli.commit=…".
var commit string

// Build describes the build of a program.
type Build struct {
	// Version is the version of the module, or "(devel)".
	Version string `json:"version"`
	// Commit is the commit of the source, or "" if the build has none. Modified reports changes.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	// Go is the version of the compiler.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadBuild describes the build of this program.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return built(info, commit)
}

// pseudo matches a version that ends in the first digits of a commit.
var pseudo = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(\+|$)`)

// built describes a build by its information and the commit set by the linker.
func built(info *debug.BuildInfo, linked string) Build {
	b := Build{
		Version: cmp.Or(info.Main.Version, "(devel)"), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	b.Commit = cmp.Or(b.Commit, linked)
	if found := pseudo.FindStringSubmatch(b.Version); b.Commit == "" && found != nil {
		b.Commit = found[1]
	}
	return b
}

// Version returns the version of the module.
func Version() string { return ReadBuild().Version }

// Print prints the description.
func (b Build) Print(w io.Writer, name string) {
	fmt.Fprintln(w, name, b.Version)
	modified := ""
	if b.Modified {
		modified = ", modified"
	}
	fmt.Fprintf(w, "commit %s%s\n", cmp.Or(b.Commit, "unknown"), modified)
	fmt.Fprintf(w, "%s on %s\n", b.Go, b.Platform)
}
