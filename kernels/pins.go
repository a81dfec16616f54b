package main

import (
	_ "embed"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

// The program embeds the pins, so it also runs outside of a checkout.
var (
	//go:embed tools/tools.mod
	toolsMod []byte
	//go:embed tools/tools.sum
	toolsSum []byte
	//go:embed env/deps.go
	deps []byte
)

var pins = install.Pins{ToolsMod: toolsMod, ToolsSum: toolsSum, Deps: deps}
