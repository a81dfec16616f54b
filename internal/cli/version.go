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

// commit is that of the sources, for builds without their history, as of an image or of a
// distribution: -ldflags "-X github.com/autoblm/autoblm-go/internal/program.commit=…".
var commit string

// Build is how a program came about.
type Build struct {
	// Version is that of the module, "(devel)" for one that is no release.
	Version string `json:"version"`
	// Commit is that of the sources, "" where it is not known, and Modified whether they
	// differed from it, which may not be known either.
	Commit   string `json:"commit"`
	Modified *bool  `json:"modified"`
	// From says what the commit is known from, or why it is not.
	From string `json:"from"`
	// Go is the version of the compiler, and Platform what the program was built for.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// The sources of what is known of a commit.
const (
	fromStamp    = "stamped by go build"
	fromFlags    = "set when the program was linked"
	fromVersion  = "part of the module's version"
	fromCheckout = "that of the checkout now, as the program was built without a stamp"
	fromNowhere  = "not known: the program was built without a stamp (go run, -buildvcs=false), and its checkout is not here"
)

// ReadBuild is how this program came about.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, source, _, _ := runtime.Caller(0)
	return built(info, commit, filepath.Dir(source))
}

// pseudo is a version that ends in the beginning of a commit.
var pseudo = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(\+|$)`)

// built tells what is known from the build, from what the linker set, and from the folder
// of the sources.
func built(info *debug.BuildInfo, linked, sources string) Build {
	b := Build{Version: Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
	if !filepath.IsAbs(folder) { // of a build with -trimpath
		return "", fmt.Errorf("%s is not known", folder)
	}
	out, err := exec.Command("git", append([]string{"-C", folder}, arguments...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// Print writes it for people.
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
