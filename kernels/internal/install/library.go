package install

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
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

// FindLibrary returns the library of this program: the release that it was built from,
// else the checkout around the folder, else the checkout that it was built in.
func FindLibrary(folder string) (Library, error) {
	if version := buildVersion(); version != "" {
		return Library{Version: version}, nil
	}
	start, err := filepath.Abs(folder)
	if err != nil {
		return Library{}, err
	}
	_, source, _, _ := runtime.Caller(0)
	for _, path := range []string{start, source} {
		if dir := checkoutAround(path); dir != "" {
			return Library{Checkout: dir}, nil
		}
	}
	return Library{}, fmt.Errorf("%s is outside of a checkout of %s: "+
		"change into one, or use --checkout or --release", start, LibraryModule)
}

// AtCheckout returns the library in a folder.
func AtCheckout(folder string) (Library, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return Library{}, err
	}
	if !isCheckout(dir) {
		return Library{}, fmt.Errorf("%s is not a checkout of %s", dir, LibraryModule)
	}
	return Library{Checkout: dir}, nil
}

// InstalledLibrary returns the library that cells of an installation import.
func InstalledLibrary(ctx context.Context, home Home, t Toolchain) (Library, error) {
	out, err := t.run(ctx, home.Module(), isolated(), "list", "-m", "-json", LibraryModule)
	if err != nil {
		return Library{}, err
	}
	var module struct {
		Version string
		Replace *struct{ Path string }
	}
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return Library{}, fmt.Errorf("go list -m: %w", err)
	}
	if module.Replace != nil {
		return AtCheckout(module.Replace.Path)
	}
	return Library{Version: module.Version}, nil
}

// Command returns the command line that runs this program, for hints.
func Command() string {
	if version := buildVersion(); version != "" {
		return "go run " + LibraryModule + "/kernels@" + version
	}
	library, err := FindLibrary(".")
	if err != nil {
		return "go run ./kernels"
	}
	if here, err := os.Getwd(); err == nil && here == library.Checkout {
		return "go run ./kernels"
	}
	dir := library.Checkout
	if strings.ContainsAny(dir, " '\"$&;()") {
		dir = strconv.Quote(dir)
	}
	return "go run -C " + dir + " ./kernels"
}

// checkoutAround returns the checkout that a path lies in, or "".
func checkoutAround(path string) string {
	for dir := path; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if isCheckout(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

func isCheckout(dir string) bool {
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(content) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "module "); ok {
			return strings.TrimSpace(name) == LibraryModule
		}
	}
	return false
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
