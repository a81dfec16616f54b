package main

import (
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
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
	autoblm.Compute
}

// rankingFlag says how to rank.
type rankingFlag struct {
	Precision kge.Precision `default:"auto" help:"float32, bfloat16, which is faster on processors that are made for it, or auto: what AUTOBLM_PRECISION asks for, else what is fast here. The ranks are those of float32 in any case."`
}

func (f computeFlags) compute() (autoblm.Compute, error) {
	f.Note = func(text string) { fmt.Fprintln(os.Stderr, format.EscapeLines(text)) }
	return f.Compute, cli.Usage(backend.Check(f.Backend))
}

// mixFlag is for what can be gone on with elsewhere.
type mixFlag struct {
	MixEngines bool `help:"Go on with trials that another engine or instruction set has trained, though results differ in rounding; what is told of them says so."`
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
