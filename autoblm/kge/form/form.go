package form

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Spec defines a form. Its values are comparable.
type Spec interface {
	// Name returns the name in commands and files.
	Name() string
	// Structure returns the structure that a model of the form has if the given one is
	// requested. Bilinear models keep it. Most other forms have none: they return the zero value
	// and reject a requested structure.
	Structure(requested structure.Structure) (structure.Structure, error)
	// Tables describes the tables of relations, and then global ones. All forms also have a
	// table of entities with dim columns.
	Tables(dim int) []Table
	// Multiple returns a number that divides the dimension of every model, apart from the chunks
	// of a structure.
	Multiple() int
	// Capabilities returns what the form can do.
	Capabilities() Capabilities
	// DefineHop returns the state after a hop. A state is the concatenation of its rows;
	// the first state is the row of the anchor followed by zeros. relations has the rows
	// of the relation, one slice per table, and all rows of tables that are global. transposed
	// walks the relation from tail to head.
	DefineHop(
		a structure.Structure, state []float64, relations [][]float64, transposed bool,
	) []float64
	// DefineScore returns the score of an entity's row for the last state.
	DefineScore(state, row []float64) float64
	// DefineGradients returns the gradients of the score with respect to the first row of the
	// state and to the entity's row.
	DefineGradients(state, row []float64) (byState, byRow []float64)
}

// AnchorDifferentiator is implemented by forms whose first hop is not affine in the anchor.
type AnchorDifferentiator interface {
	// DefineAnchorGradient returns the gradient with respect to the anchor's row, given that with
	// respect to the first row of the state after the first hop.
	DefineAnchorGradient(
		anchor []float64, relations [][]float64, transposed bool, byState []float64,
	) []float64
}

// Capabilities describes what a form can do.
type Capabilities struct {
	// StateRows is the number of rows, of dim numbers each, in the state of a query.
	StateRows int
	// Products is true if scores are scalar products of state and entity. Dropout, penalties
	// of products and bfloat16 need that.
	Products bool
	// RelationPrediction is true if a score is linear in the relation's row, so that
	// relations can be ranked like entities.
	RelationPrediction bool
}

// Table describes a table of relations, or of numbers that all relations use.
type Table struct {
	Name string
	// Global is true if the table belongs to no relation but to the model.
	Global bool
	// Rows is the number of rows of a relation in one direction, or of a global table.
	Rows int
	// Columns is the number of numbers in a row.
	Columns int
	// Shared is true if paths that walk the same relation should share its rows, because
	// the rows are large. Hops then process those paths together.
	Shared bool
	// Moves is true if a row is added to the state before a hop. Penalties on norms take the sum of
	// the anchor and the row of the first hop, and leave out the rows of later hops.
	Moves bool
	// Draw returns the initial value of a number in a row of a relation. scale is the
	// standard deviation from the settings. nil draws like entities.
	Draw func(rng *rand.Rand, row int, scale float64) float64
	// DrawAll returns the initial numbers of a global table, for distributions of whole matrices. It
	// replaces Draw unless it is nil.
	DrawAll func(rng *rand.Rand) []float64
}

// Form is one of the registered forms. The zero value is [Bilinear]. Forms are comparable.
type Form struct{ spec Spec }

// Bilinear is the form of models with a structure.
var Bilinear Form

// registered holds all forms except Bilinear.
var registered []Form

// aliases holds the form of each alternative name, and those of single forms that are not in [All].
var aliases = map[string]Form{}

// register adds a form. Other names can be used for it in commands and files.
func register(spec Spec, otherNames ...string) Form {
	f := Form{spec}
	registered = append(registered, f)
	for _, name := range otherNames {
		aliases[name] = f
	}
	return f
}

// family is a set of forms whose names end in a number.
type family struct {
	prefix, number string // of the names, and a letter for the number
	of             func(n int) Form
}

// families returns all families.
func families() []family {
	return []family{{blockPrefix, "C", Block}, {corePrefix, "K", Core}}
}

// All returns all forms: Bilinear, and then the others sorted by name. It has two forms with cores,
// with one and with two partitions, and one with blocks, of size two.
func All() []Form {
	byName := func(a, b Form) int { return cmp.Compare(a.String(), b.String()) }
	return append([]Form{Bilinear}, slices.SortedFunc(slices.Values(registered), byName)...)
}

// Spec returns the definition of the form.
func (f Form) Spec() Spec {
	if f.spec == nil {
		return bilinear{}
	}
	return f.spec
}

// Capabilities returns what the form can do.
func (f Form) Capabilities() Capabilities { return f.Spec().Capabilities() }

func (f Form) String() string { return f.Spec().Name() }

// Kind returns the name of the form without the numbers of its family, such as conve of conve-8-32-3.
func (f Form) Kind() string {
	kind, _, _ := strings.Cut(f.String(), "-")
	return kind
}

// MarshalText returns the name.
func (f Form) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a name.
func (f *Form) UnmarshalText(text []byte) error {
	if alias, found := aliases[string(text)]; found {
		*f = alias
		return nil
	}
	for _, form := range All() {
		if form.String() == string(text) {
			*f = form
			return nil
		}
	}
	for _, all := range families() {
		number, _ := strings.CutPrefix(string(text), all.prefix)
		n, err := strconv.Atoi(number)
		if form := all.of(n); err == nil && n > 0 && form.String() == string(text) {
			*f = form
			return nil
		}
	}
	if form, found := parseConvE(string(text)); found {
		*f = form
		return nil
	}
	if form, isCell, err := parseCell(string(text)); isCell {
		if err == nil {
			*f = form
		}
		return err
	}
	if plain, found := strings.CutSuffix(string(text), normalizedSuffix); found {
		var form Form
		err := form.UnmarshalText([]byte(plain))
		if form = form.WithNorm(); err == nil && form.String() == string(text) {
			*f = form
			return nil
		}
	}
	for _, sized := range []string{"block-2", "core-2", "conve-8-32-3"} {
		kind, _, _ := strings.Cut(string(text), "-")
		if strings.HasPrefix(sized, kind+"-") {
			return &enum.UnknownError{Name: string(text), Names: Names(),
				Text: fmt.Sprintf("unknown model %q: use a name with its sizes, such as %s", text, sized)}
		}
	}
	return enum.Unknown("model", string(text), Names())
}

// Names returns the names of all forms, with a letter for each number that may be chosen, and their
// alternative names.
func Names() []string {
	return append(AlgebraicNames(), convEPrefix, RSN.String(), CellWN18RR.Form().String(),
		CellFB15k237.Form().String(), cellPrefix+"NUMBERS")
}

// AlgebraicNames returns those of [Names] that are not neural. Only they learn paths of several hops.
func AlgebraicNames() (names []string) {
	for _, f := range All() {
		if f.Partitions() == 0 && f.BlockSize() == 0 {
			names = append(names, f.String())
		}
	}
	for _, all := range families() {
		names = append(names, all.prefix+all.number)
	}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		if aliases[alias].String() != alias {
			names = append(names, alias)
		}
	}
	return names
}

// CheckDim returns an error if no model of the form has a dimension.
func (f Form) CheckDim(dim int) error {
	multiple := f.Spec().Multiple()
	if dim > 0 && dim%multiple == 0 {
		if c, ok := f.ConvE(); ok {
			return c.check(dim)
		}
		return nil
	}
	return fmt.Errorf("dim is %d: for %v it must be a positive multiple of %d, such as %d",
		dim, f, multiple, f.RoundDim(dim))
}

// RoundDim returns the smallest dimension, from dim on, of models of the form that is a multiple of the
// numbers of chunks of some structures.
func (f Form) RoundDim(dim int, structures ...structure.Structure) int {
	multiple := f.Spec().Multiple()
	if c, ok := f.ConvE(); ok {
		dim = max(dim, c.leastDim())
	}
	dim = max(1, (dim+multiple-1)/multiple) * multiple
	isUneven := func(s structure.Structure) bool { return s.K() > 0 && dim%s.K() != 0 }
	for slices.ContainsFunc(structures, isUneven) {
		dim += multiple
	}
	return dim
}

// relationsTable is the name of the first table of relations.
const relationsTable = "relations"

// oneRow returns a single table with one row of dim numbers per relation.
func oneRow(dim int) []Table {
	return []Table{{Name: relationsTable, Rows: 1, Columns: dim}}
}

// noStructure has the name of a form without a structure, and rejects every structure.
type noStructure struct{ name string }

func (f noStructure) Name() string { return f.name }

func (noStructure) Multiple() int { return 1 }

func (f noStructure) Structure(requested structure.Structure) (structure.Structure, error) {
	if requested.K() != 0 {
		return requested, fmt.Errorf("%s has no structure: leave it out", f.name)
	}
	return requested, nil
}

// sign returns -1 for the transpose of a relation and 1 otherwise.
func sign(transposed bool) float64 {
	if transposed {
		return -1
	}
	return 1
}

// ofDistance returns both gradients of a score that depends on the difference of row and state.
func ofDistance(byRow []float64) (byState, _ []float64) {
	byState = make([]float64, len(byRow))
	for i, x := range byRow {
		byState[i] = -x
	}
	return byState, byRow
}
