package autoblm

import (
	"cmp"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	classifycpu "github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	classifygomlx "github.com/autoblm/autoblm-go/autoblm/classify/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Compute names what does the arithmetic. The zero value chooses by itself.
type Compute struct {
	// Engine is "cpu", the native engine, or "gomlx"; "auto" or "" is gomlx where a
	// backend is asked for or CUDA is found, and else cpu.
	Engine string `default:"auto" enum:"auto,cpu,gomlx" help:"What does the arithmetic: auto, cpu (native) or gomlx. auto is gomlx where a backend is asked for or CUDA is found."`
	// Backend is what gomlx runs on: "go", "xla:cpu", "xla:cuda" or "xla:" with the
	// absolute path of a plugin, and options after commas. "auto" or "" is what the
	// variables AUTOBLM_BACKEND or GOMLX_BACKEND ask for, else CUDA where it is
	// found, else "xla:cpu" where that is, else "go"; see [backend.Choose] and [backend.OnCPU].
	Backend string `default:"auto" brief:"What gomlx runs on, as xla:cpu." help:"What gomlx runs on: go, xla:cpu, xla:cuda or xla:/path/of/plugin.so, and options after commas. auto is what AUTOBLM_BACKEND or GOMLX_BACKEND ask for, else CUDA where it is found, else xla:cpu where that is, else go (autoblm backend list)."`
	Threads int    `default:"0" min:"0" max:"1024" help:"Threads of the engine cpu; 0 for all that GOMAXPROCS allows."`
	// Note is as in [gomlx.Settings]; the engine cpu has no use for it.
	Note func(text string) `kong:"-"`
}

// For is what does the arithmetic of a form where there is a choice: only the native
// engine has all forms.
func (c Compute) For(f form.Form) Compute {
	if f != form.Bilinear && cmp.Or(c.Engine, "auto") == "auto" {
		c.Engine = "cpu"
	}
	return c
}

// Open opens the engine. An engine or a backend that was asked for by name is used
// or is an error. The engine cpu, asked for by name, does not look at the variables.
func (c Compute) Open() (kge.Engine, error) {
	choice, err := c.choose()
	if err != nil {
		return nil, err
	}
	if choice.Backend == "" {
		return cpu.New(c.Threads), nil
	}
	opened, err := gomlx.New(gomlx.Settings{Backend: choice.Backend, Note: c.Note})
	if err != nil {
		return nil, explained(choice, err)
	}
	return opened, nil
}

// OpenClassify opens the engine that tells classes apart, by the same rules.
func (c Compute) OpenClassify() (classify.Engine, error) {
	choice, err := c.choose()
	if err != nil {
		return nil, err
	}
	if choice.Backend == "" {
		return classifycpu.New(c.Threads), nil
	}
	opened, err := classifygomlx.New(choice.Backend)
	if err != nil {
		return nil, explained(choice, err)
	}
	return opened, nil
}

// Check says what is wrong, as far as can be told without opening an engine.
func (c Compute) Check() error {
	_, err := c.choose()
	return err
}

// choose is what gomlx runs on and who asked for that; the backend "" stands for the
// engine cpu.
func (c Compute) choose() (backend.Choice, error) {
	if err := settings.Check(c); err != nil {
		return backend.Choice{}, err
	}
	engine := cmp.Or(c.Engine, "auto")
	switch engine {
	case "cpu":
		if c.Backend != "" && c.Backend != backend.Auto {
			return backend.Choice{}, fmt.Errorf("the engine cpu has no backend %q: leave it at auto, or use the engine gomlx", c.Backend)
		}
		return backend.Choice{}, nil
	case "auto", "gomlx":
	default:
		return backend.Choice{}, enum.Unknown("engine", c.Engine, []string{"auto", "cpu", "gomlx"})
	}
	choice, err := backend.Choose(c.Backend)
	if engine == "gomlx" && choice.Backend == "" {
		choice.Backend = backend.OnCPU()
	}
	return choice, err
}

// explained is why a backend that was chosen cannot be opened.
func explained(choice backend.Choice, err error) error {
	if choice.From == backend.Auto {
		return fmt.Errorf("%w; to do without it, use the engine cpu", err)
	}
	return fmt.Errorf("%s: %w", choice.From, err)
}
