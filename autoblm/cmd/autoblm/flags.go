package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// structureFlag is a structure in any of its text forms.
type structureFlag struct {
	structure.Structure
	text string // as given, "" for a default
}

// UnmarshalText implements encoding.TextUnmarshaler for the parser.
func (f *structureFlag) UnmarshalText(text []byte) (err error) {
	f.text = string(text)
	f.Structure, err = structure.Parse(f.text)
	return err
}

// modelFlags choose a structure, or a form without one.
type modelFlags struct {
	Structure structureFlag `placeholder:"STRUCTURE" brief:"A bilinear model, such as complex or 1,0;0,2." help:"Structure of a bilinear model, as for structure check. The default is the one of the recipe, or ComplEx."`
	Model     form.Form     `brief:"A model without a structure, by name." help:"A model without a structure instead: ${forms}."`
}

// choose sets the form and the structure of a member.
func (f modelFlags) choose(m *kge.Member) error {
	m.Form, m.Structure = f.Model, f.Structure.Structure
	if f.Model == form.Translated {
		return errors.New("translated is no --model: give --structure STRUCTURE --translate")
	}
	if f.Model.HasNorm() {
		return fmt.Errorf("%v is no --model: give --model %v --batch-norm", f.Model, f.Model.WithoutNorm())
	}
	switch hasStructure, isBilinear := f.Structure.K() > 0, f.Model == form.Bilinear; {
	case !hasStructure && isBilinear:
		return errors.New("there is no structure to train: give one, such as --structure complex, or a --model")
	case hasStructure && !isBilinear:
		return errors.New("give either --structure or --model, not both")
	}
	return nil
}

// computeFlags choose the engine.
type computeFlags struct {
	autoblm.Compute `group:"Compute"`
}

func (f computeFlags) compute() (autoblm.Compute, error) {
	f.Note = note
	return f.Compute, cli.Usage(backend.Check(f.Backend))
}

// note prints a note of an engine.
func note(text string) { fmt.Fprintln(os.Stderr, "autoblm: "+format.EscapeLines(text)) }

// open opens the engine.
func (f computeFlags) open() (kge.Engine, error) {
	c, err := f.compute()
	if err != nil {
		return nil, err
	}
	return c.Open()
}

// threadsFlag configures the native engine of commands without another one.
type threadsFlag struct {
	Threads int `group:"Compute" default:"0" min:"0" max:"1024" help:"Number of threads; 0 uses GOMAXPROCS."`
}

func (f threadsFlag) engine() kge.Engine { return cpu.New(f.Threads) }

// precisionFlag is the precision of a ranking.
type precisionFlag struct {
	Precision kge.Precision `group:"Compute" default:"auto" help:"float32, bfloat16 or auto: AUTOBLM_PRECISION, or else the fastest. Ranks are the same in all cases."`
}

// mixFlag allows resuming with another engine.
type mixFlag struct {
	MixEngines bool `group:"Compute" help:"Resume trials of another engine or instruction set. Their results differ by rounding, which reports mention, and more with sparse gradients, which only the engine cpu has."`
}

// saveFlag sets how often checkpoints are written.
type saveFlag struct {
	SaveEvery time.Duration `output:"" group:"Results" default:"1m" min:"0" help:"Shortest time between two checkpoints."`
}

// modelOutFlags say where a training writes its model and its checkpoint.
type modelOutFlags struct {
	Out string `output:"" group:"Results" placeholder:"DIR" brief:"Folder for the model and its checkpoint." help:"Folder for the model of the first member and for the checkpoint. The default is a new one below autoblm-out, or that of the same training if it was interrupted."`
	saveFlag
}

// configFlag reads flags from a file.
type configFlag struct {
	Config flags.ConfigFile `group:"General" placeholder:"FILE" brief:"YAML file of flags, such as config.yaml of a run." help:"YAML file with values of flags, such as the config.yaml of a run. Flags on the command line win."`
}

// minutesFlag sets a deadline for a training.
type minutesFlag struct {
	Minutes float64 `default:"0" min:"0" max:"1000000" brief:"Deadline in minutes, with the best so far; 0: none." help:"Deadline for reading, training and ranking in minutes, with the best model so far; 0 sets none. If ranking would take long, it uses a sample."`
}

// deadline returns the deadline of a command that began at a time and finally ranks a number of
// queries, nil for none.
func (f minutesFlag) deadline(began time.Time, queries int) *kge.Deadline {
	if f.Minutes == 0 {
		return nil
	}
	return &kge.Deadline{Began: began, End: began.Add(minutes(f.Minutes)), Ranked: queries}
}

// minutes converts minutes to a duration. A positive one stays positive, and so do its parts in a
// plan, because 0 means no limit.
func minutes(m float64) time.Duration {
	d := time.Duration(m * float64(time.Minute))
	if m > 0 {
		d = max(d, time.Microsecond)
	}
	return d
}
