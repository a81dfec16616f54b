package install

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"strings"
)

// Pins holds the files that fix the versions of an installation.
type Pins struct {
	// ToolsMod and ToolsSum are go.mod and go.sum of a module that requires the tools.
	ToolsMod, ToolsSum []byte
	// Deps is a Go file that imports what cells may import in addition to the library.
	Deps []byte
}

// Tool is a program that a kernel runs.
type Tool struct {
	Name    string
	Package string
	Module  string
	// Optional marks a tool that cells run without.
	Optional bool
}

// Tools lists the tools. Only completion needs gopls.
var Tools = []Tool{
	{
		Name: "gonb", Package: "github.com/janpfeifer/gonb",
		Module: "github.com/janpfeifer/gonb",
	},
	{
		Name: "goimports", Package: "golang.org/x/tools/cmd/goimports",
		Module: "golang.org/x/tools",
	},
	{
		Name: "gopls", Package: "golang.org/x/tools/gopls",
		Module: "golang.org/x/tools/gopls", Optional: true,
	},
}

// Version returns the pinned version of a tool.
func (p Pins) Version(t Tool) (string, error) {
	for line := range bytes.Lines(p.ToolsMod) {
		line := strings.TrimPrefix(strings.TrimSpace(string(line)), "require ")
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == t.Module && strings.HasPrefix(fields[1], "v") {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("no version of %s is pinned", t.Module)
}

// InstalledVersion returns the version of a tool that a program was built from.
func (t Tool) InstalledVersion(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", err
	}
	if info.Path != t.Package {
		return "", fmt.Errorf("%s was built from %s, want %s", path, info.Path, t.Package)
	}
	return info.Main.Version, nil
}
