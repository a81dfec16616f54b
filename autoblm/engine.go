package autoblm

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/gomlx"
)

// Compute names what does the arithmetic. The zero value chooses by itself.
type Compute struct {
	// Engine is "gomlx", or "auto" or "" for the same.
	Engine string
	// Backend is what the engine runs on: "go", "xla:cpu", "xla:cuda" or
	// "xla:" with the absolute path of a plugin; "auto" or "" is "go".
	Backend string
}

// Open opens the engine. One that was asked for by name is used or is an error.
func (c Compute) Open() (completion.Engine, error) {
	backend := c.Backend
	if backend == "" {
		backend = "auto"
	}
	switch c.Engine {
	case "", "auto", "gomlx":
		return gomlx.New(backend)
	default:
		return nil, fmt.Errorf("unknown engine %q: use gomlx or auto", c.Engine)
	}
}
