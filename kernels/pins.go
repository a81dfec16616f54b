package main

import (
	_ "embed"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

// The pins travel within the program, so that it can be run from a release, too.
var (
	//go:embed tools/tools.mod
	toolsMod []byte
	//go:embed tools/tools.sum
	toolsSum []byte
	//go:embed env/deps.go
	deps []byte
)

var pins = install.Pins{ToolsMod: toolsMod, ToolsSum: toolsSum, Deps: deps}
