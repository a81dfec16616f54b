package cli

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// commit is the commit of the source, for builds without its history, such as those of an image:
// -ldflags "-X github.com/autoblm/autoblm-go/internal/cli.commit=…".
var commit string

// Build describes the build of a program.
type Build struct {
	// Version is the version of the module, or "(devel)".
	Version string `json:"version"`
	// Commit is the commit of the source, or "". Modified reports changes to it; nil means unknown.
	Commit   string `json:"commit"`
	Modified *bool  `json:"modified"`
	// From is the origin of the commit, or why it is unknown.
	From string `json:"from"`
	// Go is the version of the compiler.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// The values of [Build.From].
const (
	fromStamp    = "stamped by go build"
	fromFlags    = "set when the program was linked"
	fromVersion  = "part of the module's version"
	fromCheckout = "the current commit of the checkout; the program was built without a stamp"
	fromNowhere  = "unknown: built without a stamp (go run, -buildvcs=false), and there is no checkout"
)

// ReadBuild describes the build of this program.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, source, _, _ := runtime.Caller(0)
	return built(info, commit, filepath.Dir(source))
}

// pseudo matches a version that ends in the first digits of a commit.
var pseudo = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(\+|$)`)

// built describes a build by its information, the commit set by the linker and the folder of the
// source.
func built(info *debug.BuildInfo, linked, sources string) Build {
	b := Build{
		Version: Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit, b.From = s.Value, fromStamp
		case "vcs.modified":
			modified := s.Value == "true"
			b.Modified = &modified
		}
	}
	if b.Commit != "" {
		return b
	}
	if linked != "" {
		b.Commit, b.From = linked, fromFlags
		return b
	}
	if found := pseudo.FindStringSubmatch(b.Version); found != nil {
		b.Commit, b.From = found[1], fromVersion
		return b
	}
	b.From = fromNowhere
	if head, err := git(sources, "rev-parse", "HEAD"); err == nil {
		b.Commit, b.From = head, fromCheckout
		if changes, err := git(sources, "status", "--porcelain", "--untracked-files=no"); err == nil {
			modified := changes != ""
			b.Modified = &modified
		}
	}
	return b
}

func git(folder string, arguments ...string) (string, error) {
	if !filepath.IsAbs(folder) { // after a build with -trimpath
		return "", fmt.Errorf("%s is unknown", folder)
	}
	out, err := exec.Command("git", append([]string{"-C", folder}, arguments...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// Print prints the description.
func (b Build) Print(w io.Writer, name string) {
	fmt.Fprintln(w, name, b.Version)
	switch {
	case b.Commit == "":
		fmt.Fprintln(w, "commit", b.From)
	case b.Modified != nil && *b.Modified:
		fmt.Fprintf(w, "commit %s, modified (%s)\n", b.Commit, b.From)
	default:
		fmt.Fprintf(w, "commit %s (%s)\n", b.Commit, b.From)
	}
	fmt.Fprintf(w, "%s on %s\n", b.Go, b.Platform)
}
