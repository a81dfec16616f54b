package autoblm

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
)

// Compute names what does the arithmetic. The zero value chooses by itself.
type Compute struct {
	// Engine is "cpu", the native engine, or "gomlx"; "auto" or "" is gomlx where a
	// backend or half scores are asked for or CUDA is found, and else cpu.
	Engine string
	// Backend is what gomlx runs on: "go", "xla:cpu", "xla:cuda" or "xla:" with the
	// absolute path of a plugin, and options after commas. "auto" or "" is what the
	// variables AUTOBLM_BACKEND or GOMLX_BACKEND ask for, else CUDA where it is
	// found, else "go"; see [backend.Choose].
	Backend string
	// HalfScores and Note are as in [gomlx.Settings]; the engine cpu has no use for
	// them.
	HalfScores bool
	Note       func(text string)
	// Threads is how many the native engine uses; 0 stands for GOMAXPROCS.
	Threads int
}

// OpenFor is [Compute.Open] for models of a form: only the native engine has all.
func (c Compute) OpenFor(f form.Form) (kge.Engine, error) {
	if f != form.Bilinear && cmp.Or(c.Engine, "auto") == "auto" {
		c.Engine = "cpu"
	}
	return c.Open()
}

// Open opens the engine. An engine or a backend that was asked for by name is used
// or is an error. The engine cpu, asked for by name, does not look at the variables.
func (c Compute) Open() (kge.Engine, error) {
	if c.Threads < 0 {
		return nil, fmt.Errorf("threads is %d: it must be 0, for all, or more", c.Threads)
	}
	engine := cmp.Or(c.Engine, "auto")
	switch engine {
	case "cpu":
		if c.Backend != "" && c.Backend != backend.Auto {
			return nil, fmt.Errorf("the engine cpu has no backend %q: leave it at auto, or use the engine gomlx", c.Backend)
		}
		if c.HalfScores {
			return nil, errors.New("the engine cpu multiplies in float32 only: use the engine gomlx for half scores")
		}
		return cpu.New(c.Threads), nil
	case "auto", "gomlx":
	default:
		return nil, fmt.Errorf("unknown engine %q: use auto, cpu or gomlx", c.Engine)
	}
	choice, err := backend.Choose(c.Backend)
	if err != nil {
		return nil, err
	}
	if choice.Backend == "" && engine == "auto" && !c.HalfScores {
		return cpu.New(c.Threads), nil
	}
	opened, err := gomlx.New(gomlx.Settings{Backend: cmp.Or(choice.Backend, backend.Go), HalfScores: c.HalfScores, Note: c.Note})
	switch {
	case err == nil:
		return opened, nil
	case choice.From == backend.Auto:
		return nil, fmt.Errorf("%w; to do without it, use the engine cpu", err)
	}
	return nil, fmt.Errorf("%s: %w", choice.From, err)
}
