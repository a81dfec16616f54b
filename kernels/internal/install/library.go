package install

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
)

// LibraryModule is the module of the library that cells import.
const LibraryModule = "github.com/autoblm/autoblm-go"

// Library is the library that cells import: a checkout or a release.
type Library struct {
	Checkout string // absolute path
	Version  string
}

func (l Library) String() string {
	if l.Checkout != "" {
		return "the checkout " + l.Checkout
	}
	return "the release " + l.Version
}

// FindLibrary returns the release that this program was built from, else the checkout
// around a folder.
func FindLibrary(ctx context.Context, t Toolchain, folder string) (Library, error) {
	if version := buildVersion(); version != "" {
		return Library{Version: version}, nil
	}
	module, err := t.run(ctx, folder, isolated(), "list", "-m", "-f", "{{.Path}} {{.Dir}}")
	dir, ok := strings.CutPrefix(strings.TrimSpace(module), LibraryModule+" ")
	if err != nil || !ok {
		return Library{}, fmt.Errorf("%s is outside of a checkout of %s: change into one",
			folder, LibraryModule)
	}
	return Library{Checkout: dir}, nil
}

// InstalledLibrary describes the library that cells of an installation import.
func InstalledLibrary(ctx context.Context, home Home, t Toolchain) (string, error) {
	out, err := t.run(ctx, home.Module(), isolated(), "list", "-m", "-f",
		"{{if .Replace}}the checkout {{.Dir}}{{else}}the release {{.Version}}{{end}}",
		LibraryModule)
	return strings.TrimSpace(out), err
}

// Command returns the command line that runs this program, for hints.
func Command() string {
	if version := buildVersion(); version != "" {
		return "go run " + LibraryModule + "/kernels@" + version
	}
	return "go run ./kernels"
}

// buildVersion returns the release that this program was built from, or "".
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return libraryVersion(info)
}

// libraryVersion returns the release of the library in a build, or "" for a checkout.
// Only releases have a checksum.
func libraryVersion(info *debug.BuildInfo) string {
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == LibraryModule && m.Replace == nil && m.Sum != "" {
			return m.Version
		}
	}
	return ""
}
