package main

import (
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/program"
)

// structureFlag is a structure in any of its text forms, a file's too.
type structureFlag struct{ structure.Structure }

// UnmarshalText implements encoding.TextUnmarshaler for the parser.
func (f *structureFlag) UnmarshalText(text []byte) (err error) {
	f.Structure, err = structure.Parse(string(text))
	return err
}

// computeFlags choose what does the arithmetic.
type computeFlags struct {
	Engine  string `default:"auto" enum:"auto,cpu,gomlx" help:"What does the arithmetic: auto, cpu (native) or gomlx. auto is gomlx where a backend is asked for or CUDA is found."`
	Backend string `default:"auto" help:"What gomlx runs on: go, xla:cpu, xla:cuda or xla:/path/of/plugin.so, and options after commas. auto is what AUTOBLM_BACKEND or GOMLX_BACKEND ask for, else CUDA where it is found, else go (autoblm backend list)."`
	Threads int    `default:"0" help:"Threads of the engine cpu; 0 for all that GOMAXPROCS allows."`
	Half    bool   `name:"half-scores" help:"Multiply embeddings rounded to bfloat16 while training, with sums in float32 (engine gomlx)."`
}

func (f computeFlags) compute() (autoblm.Compute, error) {
	if err := backend.Check(f.Backend); err != nil {
		return autoblm.Compute{}, program.Usage(err)
	}
	return autoblm.Compute{Engine: f.Engine, Backend: f.Backend, Threads: f.Threads, HalfScores: f.Half, Note: func(text string) { fmt.Fprintln(os.Stderr, text) }}, nil
}

// open opens an engine for models of a form.
func (f computeFlags) open(of form.Form) (kge.Engine, error) {
	c, err := f.compute()
	if err != nil {
		return nil, err
	}
	return c.For(of).Open()
}

// orEmpty makes a nil slice an empty JSON array.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
