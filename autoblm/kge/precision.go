package kge

import (
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Precision is what the large products of a training or a ranking are computed in: those of
// queries with all entities, and in training their gradients.
type Precision int

const (
	// Float32 rounds nothing: all numbers are float32.
	Float32 Precision = iota
	// Bfloat16 rounds the factors of the large products to bfloat16, which processors and
	// devices with matrix units multiply many times faster. Their sums, the embeddings
	// themselves, the optimizer, the loss, the penalties and the score of the true answer
	// stay float32. Ranks are those of float32 all the same.
	Bfloat16
	// AutoPrecision asks for Bfloat16 where it pays, by a rule of sizes and the processor,
	// and else for Float32; see [Engine]. No result has it: it has what it came to.
	AutoPrecision
)

var precisionNames = []string{"float32", "bfloat16", "auto"}

func (p Precision) String() string { return enum.Of(precisionNames, "precision", p) }

// Note is what people are told of it behind the dimension, as ", bfloat16": nothing of float32,
// which is usual.
func (p Precision) Note() string {
	if p == Float32 {
		return ""
	}
	return ", " + p.String()
}

// MarshalText writes the name.
func (p Precision) MarshalText() ([]byte, error) {
	return enum.Marshal(precisionNames, "precision", p)
}

// UnmarshalText reads "float32", "bfloat16" or "auto".
func (p *Precision) UnmarshalText(text []byte) error {
	return enum.Unmarshal(precisionNames, "precision", p, text)
}

// PrecisionVariable is the environment variable that says what [AutoPrecision] comes to: a
// name of a precision. "auto" says nothing.
const PrecisionVariable = "AUTOBLM_PRECISION"

// leastEntities and leastDim are the sizes from which products of bfloat16 numbers pay: below,
// a step is over before its factors are packed.
const leastEntities, leastDim = 2048, 32

// Resolve is what a precision comes to for models of a form with so many entities and
// coordinates, on an engine that may lack products of bfloat16 numbers, as lacking says, nil
// where it has them. pays is whether they are faster there. What is asked for by name is what
// it comes to, or an error. What the variable asks for holds for forms that score by products;
// distances are always float32.
func (p Precision) Resolve(f form.Form, entities, dim int, lacking error, pays bool) (Precision, error) {
	switch p {
	case Float32:
		return Float32, nil
	case Bfloat16:
		if !f.Capabilities().Products {
			return Float32, fmt.Errorf("%v scores by distances, which are computed in float32 only: leave the precision at float32 or auto", f)
		}
		if lacking != nil {
			return Float32, fmt.Errorf("%w: use the precision float32 or auto", lacking)
		}
		return Bfloat16, nil
	case AutoPrecision:
	default:
		_, err := p.MarshalText()
		return Float32, err
	}
	usual, err := UsualPrecision()
	switch {
	case err != nil:
		return Float32, err
	case !f.Capabilities().Products:
		return Float32, nil
	case usual != AutoPrecision:
		if p, err = usual.Resolve(f, entities, dim, lacking, pays); err != nil {
			err = fmt.Errorf("%s: %w", PrecisionVariable, err)
		}
		return p, err
	case lacking == nil && pays && entities >= leastEntities && dim >= leastDim:
		return Bfloat16, nil
	}
	return Float32, nil
}

// UsualPrecision is what the variable [PrecisionVariable] asks for, [AutoPrecision] where it
// asks for nothing.
func UsualPrecision() (Precision, error) {
	p := AutoPrecision
	text := os.Getenv(PrecisionVariable)
	if text == "" {
		return p, nil
	}
	if err := p.UnmarshalText([]byte(text)); err != nil {
		return p, fmt.Errorf("%s: %w", PrecisionVariable, err)
	}
	return p, nil
}

// RankingPrecision is what a precision comes to on an engine for models of one shape, of
// which there is at least one.
func RankingPrecision(e Engine, models []Parameters, asked Precision) (Precision, error) {
	first := models[0]
	return e.Precision(asked, first.Form, len(first.Entities)/max(1, first.Dim), first.Dim)
}

// Settled are the settings of the job with the precision that training begins in on an
// engine: what the asked one comes to there or, of auto, what the checkpoint was begun in.
func (j Job) Settled(e Engine) (Settings, error) {
	s := j.Settings
	if err := validatePopulation(s, j.Members); err != nil {
		return s, err
	}
	if s.Precision == AutoPrecision && j.Checkpoint != nil {
		if begun, is := j.Checkpoint.begun(); is {
			s.Precision = begun
		}
	}
	var err error
	s.Precision, err = e.Precision(s.Precision, j.Members[0].Form, len(j.Data.Entities), s.Dim)
	return s, err
}

// begun is the precision of the training that a checkpoint holds, if it holds one.
func (c *Checkpoint) begun() (Precision, bool) {
	var kept struct {
		Training struct{ Settings Settings }
	}
	err := checkpoint.Head(c.File, &kept)
	return kept.Training.Settings.Precision, err == nil
}
