package backend

import (
	"context"
	"fmt"
)

// The variables that ask for a backend. Variable has precedence over GoMLX's own,
// which asks where nothing else does.
const (
	Variable      = "AUTOBLM_BACKEND"
	GoMLXVariable = "GOMLX_BACKEND"
)

// Choice is what to run on.
type Choice struct {
	// Backend is the name that [Open] takes, or "" when none was asked for and
	// there is no CUDA: the native engine does what it can, and GoMLX's own
	// backend, "go", the rest.
	Backend string `json:"backend"`
	// From is what asked for it: "backend", the caller's setting; a variable; or "auto".
	From string `json:"from"`
}

// Choose chooses the backend. The one asked for comes first, then those in the
// variables AUTOBLM_BACKEND and GOMLX_BACKEND; empty ones ask for nothing, and
// AUTOBLM_BACKEND=auto keeps GOMLX_BACKEND from being asked. What they name is
// used, or the error says who asked for it and what helps. Where nobody asks, it is
// XLA on CUDA if this program has XLA, a GPU is here and a plugin is found, and
// else "".
func Choose(asked string) (Choice, error) { return here().choose(context.Background(), asked) }

func (f finder) choose(ctx context.Context, asked string) (Choice, error) {
	if asked == Auto {
		asked = ""
	}
	own, _ := f.machine.Env(Variable)
	gomlx, _ := f.machine.Env(GoMLXVariable)
	for _, c := range []Choice{{asked, "backend"}, {own, Variable}, {gomlx, GoMLXVariable}} {
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

// OnCPU is what GoMLX runs on where it is asked for and nobody says on what: XLA on the CPU
// where a plugin of it is found, since steps take a tenth of the time there, and else GoMLX's
// own backend.
func OnCPU() string { return here().onCPU(context.Background()) }

func (f finder) onCPU(ctx context.Context) string {
	if f.check(ctx, Choice{Backend: CPU}) != nil {
		return Go
	}
	return CPU
}

// check says why a choice cannot be used, as far as can be told without opening it.
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
