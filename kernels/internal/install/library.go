package install

import (
	"bytes"
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

// Library is where cells take the library from: a checkout or a release.
type Library struct {
	Checkout string `json:"checkout,omitempty"` // absolute
	Version  string `json:"version,omitempty"`
}

func (l Library) String() string {
	if l.Checkout != "" {
		return "the checkout " + l.Checkout
	}
	return "the release " + l.Version
}

// FindLibrary is the library that this program belongs to: the release that it
// was built from, or the checkout that the folder lies in, or else the one that the
// program was built in.
func FindLibrary(folder string) (Library, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		if version := released(info); version != "" {
			return Library{Version: version}, nil
		}
	}
	start, err := filepath.Abs(folder)
	if err != nil {
		return Library{}, err
	}
	_, source, _, _ := runtime.Caller(0)
	for _, inside := range []string{start, source} {
		if dir := checkoutAround(inside); dir != "" {
			return Library{Checkout: dir}, nil
		}
	}
	return Library{}, fmt.Errorf("%s lies in no checkout of %s: go there, or name one with --checkout, or a release with --release", start, LibraryModule)
}

// checkoutAround is the checkout that a path lies in, or "".
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

// Command is how this program is run, for advice.
func Command() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if version := released(info); version != "" {
			return "go run " + LibraryModule + "/kernels@" + version
		}
	}
	if l, err := FindLibrary("."); err == nil {
		if here, err := os.Getwd(); err != nil || here != l.Checkout {
			at := l.Checkout
			if strings.ContainsAny(at, " '\"$&;()") {
				at = strconv.Quote(at)
			}
			return "go run -C " + at + " ./kernels"
		}
	}
	return "go run ./kernels"
}

// AtCheckout is the library in a folder.
func AtCheckout(folder string) (Library, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return Library{}, err
	}
	if !isCheckout(dir) {
		return Library{}, fmt.Errorf("%s is no checkout of %s: its go.mod is missing or another's", dir, LibraryModule)
	}
	return Library{Checkout: dir}, nil
}

// released is the version of the library that a program was built from, or
// empty when it was built in a checkout.
func released(info *debug.BuildInfo) string {
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == LibraryModule && m.Replace == nil && m.Sum != "" {
			return m.Version
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
