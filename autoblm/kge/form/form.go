package form

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// all are the forms, the bilinear one first.
var all = []Spec{bilinear{}, diag{}, transE{}, gqe{}, box{}, rotatE{}}

// Spec is what a form says of itself. Its values are comparable.
type Spec interface {
	// Name is what people and files call it.
	Name() string
	// Structure is the structure that a model has which is asked for with the given one:
	// of bilinear models that itself, of others mostly none, the zero value. It is an error
	// where the form cannot have it.
	Structure(asked structure.Structure) (structure.Structure, error)
	// Tables are those of relations; all forms have a table of entities with dim columns.
	Tables(dim int) []Table
	// Hop is what relations do, with K chunks of dim/K where there is a structure.
	Hop(k *kernel.Set, a structure.Structure, dim int) Hop
	// Measure is how a query, the state after the last hop, scores an entity.
	Measure(dim int) tiles.Measure
	// DefineHop is the state after a hop, in float64: the rows of a state one after the
	// other, which begins as the row of the anchor and zeros; relations has, by table, the
	// rows of the relation.
	DefineHop(a structure.Structure, state []float64, relations [][]float64, transposed bool) []float64
	// DefineScore is the score of a query and a row, in float64.
	DefineScore(query, row []float64) float64
}

// Table is a table of relations.
type Table struct {
	Name string
	// Rows is how many rows each direction of a relation has, and Columns how many
	// numbers a row.
	Rows, Columns int
	// Shared rows are there once for neighbours that walk the same relation the same way,
	// which the hop is then asked about together.
	Shared bool
	// Draw is the first value of a number, given a row of the relation and the standard
	// deviation in the settings; nil draws it as those of the entities.
	Draw func(rng *rand.Rand, row int, scale float64) float64
}

// Hop is what a relation does to the states of n paths. A path has one row or more
// in each table, and those of a [Table] of shared rows have the same ones.
type Hop interface {
	// Step makes the states after a hop, in rows of zeros. Through the transpose the
	// relation is walked from tail to head.
	Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool)
	// Back adds the gradients by the states before the hop and by the relations, given
	// that by the states after it.
	Back(gradient, from kernel.Table, relations []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool)
}

// Form is one of [All]. The zero value is [Bilinear]; forms are comparable.
type Form struct{ spec Spec }

// The forms by name.
var (
	Bilinear  = Form{}
	Diag      = Form{diag{}}
	TransE    = Form{transE{}}
	GQE       = Form{gqe{}}
	Query2box = Form{box{}}
)

// Spec is what the form says of itself.
func (f Form) Spec() Spec {
	if f.spec == nil {
		return bilinear{}
	}
	return f.spec
}

// Drops says whether coordinates of queries can be dropped, as [tiles.Dropping] does.
func (f Form) Drops() bool {
	_, drops := f.Spec().Measure(1).(tiles.Dropping)
	return drops
}

// Products says whether scores are scalar products, which the recipes that smooth labels or
// penalize products need.
func (f Form) Products() bool {
	_, products := f.Spec().Measure(1).(tiles.Products)
	return products
}

// Mixes says whether relations can be asked for as entities can.
func (f Form) Mixes() bool { return f == Bilinear || f == Diag }

// All lists the forms, the bilinear one first.
func All() []Form {
	forms := make([]Form, len(all))
	for i, spec := range all[1:] {
		forms[i+1] = Form{spec}
	}
	return forms
}

func (f Form) String() string { return f.Spec().Name() }

// MarshalText writes the name.
func (f Form) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// otherNames are what forms are called too.
var otherNames = map[string]string{"rescal": gqe{}.Name()}

// UnmarshalText reads a name.
func (f *Form) UnmarshalText(text []byte) error {
	name := string(text)
	if other, has := otherNames[name]; has {
		name = other
	}
	var all []string
	for _, each := range All() {
		if each.String() == name {
			*f = each
			return nil
		}
		all = append(all, each.String())
	}
	return enum.Unknown("model", string(text), all)
}

// none is the structure of a form without one.
func none(name string, asked structure.Structure) (structure.Structure, error) {
	if asked.K() != 0 {
		return asked, fmt.Errorf("%s has no structure: leave it out", name)
	}
	return asked, nil
}

// first is the first n rows of a table.
func first(t kernel.Table, n int) []float32 { return t.Data[:n*t.Stride] }

// sign is that of a relation, which the transpose turns round.
func sign(transposed bool) float32 {
	if transposed {
		return -1
	}
	return 1
}

// plain is the one table of most forms: a row of dim numbers for each relation.
func plain(dim int) []Table { return []Table{{Name: Relations, Rows: 1, Columns: dim}} }

// Relations is the name of the first table of relations.
const Relations = "relations"
