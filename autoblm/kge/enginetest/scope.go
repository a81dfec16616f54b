package enginetest

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// Scope says how much of the suite an engine runs.
type Scope int

const (
	// Everything has each recipe with each member.
	Everything Scope = iota
	// Brief has a few recipes, most of them with one member. It is for variants of an engine that
	// ran everything, whose programs take seconds to compile.
	Brief
)

// The recipes of [Brief] have all penalties, relation prediction, dropout, all kinds of reverse
// relations, batch normalization, a maximum norm, a teacher, and each loss on triples and on paths.
var (
	briefWithEach  = []string{"plain", "everything", "reciprocal orthogonality", "transposed"}
	briefWithCores = []string{"reciprocal ivr", "batch norm, penalties", "batch norm, sampled",
		"grouped, ivr"}
	briefWithQuatE = []string{"everything not reciprocal", "translated penalties", "reciprocal ivr",
		"grouped, sampled", "transposed and sampled", "encoder blm", "grouped, ivr", "taught, sampled"}
	briefWithTransE = []string{"self-adversarial", "transposed negatives"}
)

// Has reports whether a recipe, with a member of the given name, is in scope.
func (s Scope) Has(recipe, member string) bool {
	return s == Everything || slices.Contains(briefWithEach, recipe) ||
		member == "quate" && slices.Contains(briefWithQuatE, recipe) ||
		member == "transe" && slices.Contains(briefWithTransE, recipe) ||
		member == "conve" && recipe == "bce, dropouts" ||
		member == "rsn" && recipe == "walks, drops" ||
		member == form.CellFB15k237.Form().String() && recipe == "walks, dropout" ||
		member == "core-2" && slices.Contains(briefWithCores, recipe)
}
