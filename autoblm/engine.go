package autoblm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
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

// Compute selects the engine. The zero value chooses one.
type Compute struct {
	// Engine is "cpu" (native), "gomlx" or "auto": gomlx if a backend is named or CUDA is found,
	// otherwise cpu. "" is like "auto".
	Engine string `default:"auto" enum:"auto,cpu,gomlx" help:"Engine: auto, cpu (native) or gomlx. auto is gomlx if a backend is named or CUDA is found, otherwise cpu."`
	// Backend runs gomlx: "go", "xla:cpu", "xla:cuda" or "xla:" with the absolute path of a plugin,
	// and options after commas. "auto" or "" is the value of AUTOBLM_BACKEND or GOMLX_BACKEND, or
	// the first of CUDA, "xla:cpu" and "go" that is found. See [backend.Choose].
	Backend string `default:"auto" brief:"Backend of gomlx, such as xla:cpu." help:"Backend of gomlx: go, xla:cpu, xla:cuda or xla:/path/of/plugin.so, and options after commas, such as devices=4. auto is AUTOBLM_BACKEND, GOMLX_BACKEND, or the first of CUDA, xla:cpu and go that is found."`
	Threads int    `default:"0" min:"0" max:"1024" help:"Threads of the engine cpu; 0 uses GOMAXPROCS."`
	// Note receives messages, as in [gomlx.Settings]. The engine cpu has none.
	Note func(text string) `kong:"-"`
}

// ForTraining chooses an engine for a training: only gomlx trains encoders and neural forms.
func (c Compute) ForTraining(s kge.Settings, f form.Form) Compute {
	_, isNeural := f.Neural()
	if (isNeural || s.Encoder != kge.NoEncoder) && cmp.Or(c.Engine, "auto") == "auto" {
		c.Engine = "gomlx"
	}
	return c
}

// ForFoldIn chooses an engine to train new labels of models. A model of an encoder learns them as
// embeddings, without the encoder.
func (c Compute) ForFoldIn(models []*kge.Model) Compute {
	for _, m := range models {
		c = c.ForTraining(kge.Settings{}, m.Form)
	}
	return c
}

// Open opens the engine. If a named engine or backend cannot be used, it returns an error. The
// engine cpu, if named, ignores the environment.
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
	c.noteSlow(choice)
	return opened, nil
}

// noteSlow notes that gomlx runs on its own backend, if XLA is missing and nobody requested that.
func (c Compute) noteSlow(choice backend.Choice) {
	if c.Note == nil || choice.Backend != backend.Go || choice.From != backend.Auto {
		return
	}
	_, fix := backend.OnCPU()
	c.Note("engine gomlx runs on its backend go; on xla:cpu, training is about ten times as fast: " + fix)
}

// Arithmetic names the engine with its instruction sets or backend, and the models of GPUs. Results
// are equal to the bit where it is equal.
func (c Compute) Arithmetic() (string, error) {
	c.Note = nil // nothing is trained
	engine, err := c.Open()
	if err != nil {
		return "", err
	}
	defer engine.Close()
	name := engine.Name() + " " + engine.Backend(kge.Float32)
	if other := engine.Backend(kge.Bfloat16); other != engine.Backend(kge.Float32) {
		name += ", " + other
	}
	return withGPUs(name, probe.This().GPUs), nil
}

// withGPUs adds the models of the GPUs of this machine to the name of an arithmetic on CUDA: GPUs of
// other models round differently.
func withGPUs(name string, gpus func(context.Context) []probe.GPU) string {
	if !probe.IsCUDA(name) {
		return name
	}
	var models []string
	for _, gpu := range gpus(context.Background()) {
		models = append(models, gpu.Name)
	}
	slices.Sort(models)
	return strings.Join(append([]string{name}, slices.Compact(models)...), "/")
}

// OpenClassify opens the engine for classification, with the same rules.
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

// Check returns an error that is known before opening an engine.
func (c Compute) Check() error {
	_, err := c.choose()
	return err
}

// choose returns the backend of gomlx and the origin of the choice. The backend "" stands for the
// engine cpu.
func (c Compute) choose() (backend.Choice, error) {
	if err := settings.Check(c); err != nil {
		return backend.Choice{}, err
	}
	engine := cmp.Or(c.Engine, "auto")
	switch engine {
	case kge.NativeEngine:
		if c.Backend != "" && c.Backend != backend.Auto {
			return backend.Choice{}, fmt.Errorf("the engine cpu has no backend %q and no devices: "+
				"use backend auto or engine gomlx", c.Backend)
		}
		return backend.Choice{}, nil
	case "auto", "gomlx":
	default:
		return backend.Choice{}, enum.Unknown("engine", c.Engine, []string{"auto", "cpu", "gomlx"})
	}
	choice, err := backend.Choose(c.Backend)
	if engine == "gomlx" && choice.Backend == "" {
		choice.Backend, _ = backend.OnCPU()
	}
	return choice, err
}

// explained adds the origin of the choice, or a fix, to the error of opening a backend.
func explained(choice backend.Choice, err error) error {
	if choice.From == backend.Auto {
		return fmt.Errorf("%w; or use the engine cpu", err)
	}
	return fmt.Errorf("%s: %w", choice.From, err)
}
