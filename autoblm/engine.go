package autoblm

import (
	"cmp"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu"
	"github.com/autoblm/autoblm-go/autoblm/completion/gomlx"
)

// Compute names what does the arithmetic. The zero value chooses by itself.
type Compute struct {
	// Engine is "cpu", the native engine, or "gomlx"; "auto" or "" is "cpu",
	// or "gomlx" where a backend is named.
	Engine string
	// Backend is what gomlx runs on: "go", "xla:cpu", "xla:cuda" or "xla:" with
	// the absolute path of a plugin; "auto" or "" is "go".
	Backend string
	// Threads is how many the native engine uses; 0 stands for GOMAXPROCS.
	Threads int
}

// Open opens the engine. One that was asked for by name is used or is an error.
func (c Compute) Open() (completion.Engine, error) {
	if c.Threads < 0 {
		return nil, fmt.Errorf("threads is %d: it must be 0, for all, or more", c.Threads)
	}
	engine, backend := cmp.Or(c.Engine, "auto"), cmp.Or(c.Backend, "auto")
	if engine == "auto" {
		engine = "cpu"
		if backend != "auto" {
			engine = "gomlx"
		}
	}
	switch {
	case engine == "gomlx":
		return gomlx.New(backend)
	case engine != "cpu":
		return nil, fmt.Errorf("unknown engine %q: use auto, cpu or gomlx", c.Engine)
	case backend != "auto":
		return nil, fmt.Errorf("the engine cpu has no backend %q: leave --backend at auto, or use the engine gomlx", c.Backend)
	}
	return cpu.New(c.Threads), nil
}
