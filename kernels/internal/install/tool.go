package install

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"strings"
)

// Pins are the files that say which versions are installed.
type Pins struct {
	// ToolsMod and ToolsSum are go.mod and go.sum of a module with the tools.
	ToolsMod, ToolsSum []byte
	// Deps is a Go file with imports of what a cell may import beside the library.
	Deps []byte
}

// Tool is a program that the kernel runs.
type Tool struct {
	Name    string
	Package string
	Module  string
	// Optional says that cells run without it.
	Optional bool
}

// Tools are all of them. Without gopls there is no completion.
var Tools = []Tool{
	{Name: "gonb", Package: "github.com/janpfeifer/gonb", Module: "github.com/janpfeifer/gonb"},
	{Name: "goimports", Package: "golang.org/x/tools/cmd/goimports", Module: "golang.org/x/tools"},
	{Name: "gopls", Package: "golang.org/x/tools/gopls", Module: "golang.org/x/tools/gopls", Optional: true},
}

// Version is the version of a tool that the pins ask for.
func (p Pins) Version(t Tool) (string, error) {
	for line := range bytes.Lines(p.ToolsMod) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(string(line)), "require "))
		if len(words) >= 2 && words[0] == t.Module && strings.HasPrefix(words[1], "v") {
			return words[1], nil
		}
	}
	return "", fmt.Errorf("no version of %s is pinned", t.Module)
}

// InstalledVersion is the version of a tool that a program was built from.
func (t Tool) InstalledVersion(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", err
	}
	if info.Path != t.Package {
		return "", fmt.Errorf("%s is not %s: it was built from %s", path, t.Package, info.Path)
	}
	return info.Main.Version, nil
}
