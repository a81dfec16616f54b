package kge

import (
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Precision is the precision of the large products: of queries with all entities and, in
// training, of their gradients and of cores in the penalty IVR.
type Precision int

const (
	// Float32 computes everything in float32.
	Float32 Precision = iota
	// Bfloat16 rounds the factors of large products to bfloat16, which matrix units multiply
	// many times faster. Their sums, embeddings, optimizer, loss, other penalties and the score
	// of the true answer stay float32. Ranks are the same as in float32. On GoMLX, models that package
	// autodiff trains round the factors too, but are no faster.
	Bfloat16
	// AutoPrecision requests Bfloat16 where it is faster on the processor, the form and the
	// sizes, and else Float32. See [Engine]. A result has the resolved precision.
	AutoPrecision
)

var precisionNames = []string{"float32", "bfloat16", "auto"}

func (p Precision) String() string { return enum.Name(precisionNames, "precision", p) }

// Suffix returns ", bfloat16" to append to a dimension, and nothing for float32.
func (p Precision) Suffix() string {
	if p == Float32 {
		return ""
	}
	return ", " + p.String()
}

// MarshalText returns the name.
func (p Precision) MarshalText() ([]byte, error) {
	return enum.Marshal(precisionNames, "precision", p)
}

// UnmarshalText reads "float32", "bfloat16" or "auto".
func (p *Precision) UnmarshalText(text []byte) error {
	return enum.Unmarshal(precisionNames, "precision", p, text)
}

// PrecisionVariable is the environment variable with the precision that [AutoPrecision]
// resolves to. The values "auto" and "" leave the choice to the engine.
const PrecisionVariable = "AUTOBLM_PRECISION"

// OrEnvironment returns the precision in [PrecisionVariable] if p is AutoPrecision, and else p.
func (p Precision) OrEnvironment() (Precision, error) {
	text := os.Getenv(PrecisionVariable)
	if p != AutoPrecision || text == "" {
		return p, nil
	}
	if err := p.UnmarshalText([]byte(text)); err != nil {
		return p, fmt.Errorf("%s: %w", PrecisionVariable, err)
	}
	return p, nil
}

// Products in bfloat16 are faster from these sizes on. Below, packing the factors takes longer
// than the product.
const minBfloat16Entities, minBfloat16Dim = 2048, 32

// Resolve returns Float32 or Bfloat16 for models of a form with the given sizes on an engine.
// lacking is the reason why the engine has no products in bfloat16, or nil. isFaster says whether
// they are faster than in float32. An explicit precision resolves to itself or is an error.
// Forms that score by distances are always float32, whatever the environment requests.
func (p Precision) Resolve(
	f form.Form, entities, dim int, lacking error, isFaster bool,
) (Precision, error) {
	switch p {
	case Float32:
		return Float32, nil
	case Bfloat16:
		return Bfloat16.check(f, lacking)
	case AutoPrecision:
	default:
		_, err := p.MarshalText()
		return Float32, err
	}
	requested, err := p.OrEnvironment()
	switch {
	case err != nil:
		return Float32, err
	case requested == Bfloat16 && f.Capabilities().Products:
		if p, err = Bfloat16.check(f, lacking); err != nil {
			err = fmt.Errorf("%s: %w", PrecisionVariable, err)
		}
		return p, err
	case requested != AutoPrecision || !f.Capabilities().Products:
		return Float32, nil
	case lacking == nil && isFaster && entities >= minBfloat16Entities && dim >= minBfloat16Dim:
		return Bfloat16, nil
	}
	return Float32, nil
}

// check returns p, or Float32 and an error if a form or an engine does not support it.
func (p Precision) check(f form.Form, lacking error) (Precision, error) {
	if !f.Capabilities().Products {
		return Float32, fmt.Errorf("%v scores by distances, which are computed in float32 only: "+
			"leave the precision at float32 or auto", f)
	}
	if lacking != nil {
		return Float32, fmt.Errorf("%w: use the precision float32 or auto", lacking)
	}
	return p, nil
}
