package backend

import (
	"context"
	"fmt"
)

// The environment variables that select a backend. Variable overrides GoMLX's own.
const (
	Variable      = "AUTOBLM_BACKEND"
	GoMLXVariable = "GOMLX_BACKEND"
)

// Choice is a chosen backend.
type Choice struct {
	// Backend is a name for [Open]. It is "" if none was requested and CUDA is not
	// available: then the native engine runs, or the backend "go" if it does not apply.
	Backend string `json:"backend"`
	// From says what selected it: "backend" (the argument), a variable, or "auto".
	From string `json:"from"`
}

// Choose returns the requested backend, else that of AUTOBLM_BACKEND, else that of
// GOMLX_BACKEND. It returns an error if that backend cannot be used. The value "auto" of
// AUTOBLM_BACKEND ignores GOMLX_BACKEND. Without any request it returns XLA on CUDA if
// the program has XLA, a GPU and a plugin, and else "".
func Choose(requested string) (Choice, error) {
	return here().choose(context.Background(), requested)
}

func (f finder) choose(ctx context.Context, requested string) (Choice, error) {
	if requested == Auto {
		requested = ""
	}
	own, _ := f.machine.Env(Variable)
	gomlx, _ := f.machine.Env(GoMLXVariable)
	choices := []Choice{{requested, "backend"}, {own, Variable}, {gomlx, GoMLXVariable}}
	for _, c := range choices {
		if c.Backend == Auto {
			break
		}
		if c.Backend != "" {
			return c, f.check(ctx, c)
		}
	}
	if _, problem := f.find(ctx, "cuda"); problem != nil {
		return Choice{From: Auto}, nil
	}
	return Choice{CUDA, Auto}, nil
}

// OnCPU returns the backend for GoMLX if none is requested: XLA on the CPU if its plugin
// is installed, which trains about ten times as fast as GoMLX's own backend, else "go". The fix
// says how to get XLA for "go".
func OnCPU() (name, fix string) { return here().onCPU(context.Background()) }

func (f finder) onCPU(ctx context.Context) (name, fix string) {
	if _, problem := f.find(ctx, "cpu"); problem != nil {
		return Go, problem.Fix
	}
	return CPU, ""
}

// check returns an error if a backend cannot be used. It does not open the backend.
func (f finder) check(ctx context.Context, c Choice) error {
	n, err := parse(c.Backend)
	if err != nil {
		return fmt.Errorf("%s: %w", c.From, err)
	}
	if !n.xla {
		return nil
	}
	if _, problem := f.find(ctx, n.plugin); problem != nil {
		return fmt.Errorf("%s: the backend %q cannot be used: %w", c.From, c.Backend, problem)
	}
	return nil
}
