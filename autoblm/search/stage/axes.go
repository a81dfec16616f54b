package stage

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// choice is a point of a search space: a recipe and, where a search chooses the form too, the form.
type choice struct {
	task.Recipe
	form form.Form
	// layout is an equivalent structure to train instead of that of the model, whose chunks are in
	// other blocks of N3; the zero value for the model's own.
	layout structure.Structure
}

// axis is one field of a choice with the values to try, in ascending order.
type axis struct {
	size  int
	index func(choice) int // of the recipe's value
	set   func(r *choice, index int)
	// unordered is true if neighboring values are not similar.
	unordered bool
	// applies reports whether the field means something in a recipe: a weight of DURA does not in
	// a recipe with IVR. nil means always. It depends only on earlier axes.
	applies func(choice) bool
}

// isIn reports whether the axis applies to a recipe.
func (a axis) isIn(r choice) bool { return a.applies == nil || a.applies(r) }

// newAxis returns the axis of a field, with the value of base in addition to the given ones.
// Without values it returns none.
func newAxis[T comparable](
	values []T, compare func(a, b T) int, base choice, field func(*choice) *T,
) []axis {
	if len(values) == 0 {
		return nil
	}
	values = slices.Clone(values)
	if own := *field(&base); !slices.Contains(values, own) {
		values = append(values, own)
	}
	slices.SortFunc(values, compare)
	return []axis{{
		size:  len(values),
		index: func(r choice) int { return max(0, slices.Index(values, *field(&r))) },
		set:   func(r *choice, index int) { *field(r) = values[index] },
	}}
}

// when restricts axes to recipes.
func when(applies func(choice) bool, axes ...[]axis) []axis {
	all := slices.Concat(axes...)
	for i := range all {
		all[i].applies = applies
	}
	return all
}

// axes returns the axes of the fields with values to try, for models. An axis that others depend on
// comes before them.
func (s recipeSpace) axes(base choice, models []task.Trial) []axis {
	numbers := func(values []float64, field func(*choice) *float64) []axis {
		return newAxis(values, cmp.Compare, base, field)
	}
	return slices.Concat(
		s.translation(base, models),
		s.penaltyKinds(models),
		s.cells(base),
		newAxis(s.Dims, cmp.Compare, base, func(r *choice) *int { return &r.Training.Dim }),
		newAxis(s.Batches, cmp.Compare, base,
			func(r *choice) *int { return &r.Training.Batch }),
		numbers(s.LearningRates, func(r *choice) *float64 { return &r.LearningRate }),
		s.sampling(base),
		when(func(r choice) bool { return r.Training.Loss == kge.BCE }, numbers(s.LabelSmoothings,
			func(r *choice) *float64 { return &r.Training.LabelSmoothing })),
		s.penalties(base, models),
		when(func(r choice) bool { return !r.Training.Translate },
			numbers(s.RelationPredictions,
				func(r *choice) *float64 { return &r.RelationPrediction })),
		numbers(s.Orthogonalities, func(r *choice) *float64 { return &r.Orthogonality }),
		numbers(s.InputDropouts, func(r *choice) *float64 { return &r.Training.InputDropout }),
		numbers(s.FeatureDropouts, func(r *choice) *float64 { return &r.Training.FeatureDropout }),
		numbers(s.Dropouts, func(r *choice) *float64 { return &r.Training.Dropout }),
		when(func(r choice) bool { return r.Training.Initial == kge.Normal },
			numbers(s.InitScales, func(r *choice) *float64 { return &r.Training.InitScale })),
		newAxis(s.Reciprocal, withoutOrder, base,
			func(r *choice) *bool { return &r.Training.Reciprocal }),
		newAxis(s.WalkHops, cmp.Compare, base, func(r *choice) *int { return &r.Training.WalkHops }),
	)
}

// withoutOrder compares values that need no order, because there are two.
func withoutOrder(_, _ bool) int { return 0 }

// translation returns the axis of models that may be translated. It removes what translated models
// cannot have.
func (s recipeSpace) translation(base choice, models []task.Trial) []axis {
	if !haveStructure(models) {
		return nil
	}
	axes := newAxis(s.Translate, withoutOrder, base,
		func(r *choice) *bool { return &r.Training.Translate })
	for i := range axes {
		set := axes[i].set
		axes[i].set = func(r *choice, index int) {
			if set(r, index); r.Training.Translate {
				r.RelationPrediction = 0
				if search.PenaltyOf(r.Weights) == search.IVRPenalty {
					s.changePenalty(r, search.N3Penalty)
				}
			}
		}
	}
	return when(func(r choice) bool { return r.Training.Reciprocal }, axes)
}

// haveStructure reports whether all models have a structure.
func haveStructure(models []task.Trial) bool {
	return !slices.ContainsFunc(models, func(m task.Trial) bool { return m.Form != form.Bilinear })
}

// penaltyKinds returns the axis of the kinds of penalties that models can have.
func (s recipeSpace) penaltyKinds(models []task.Trial) []axis {
	kinds := slices.DeleteFunc(slices.Clone(s.Penalties), func(p search.Penalty) bool {
		return p == search.IVRPenalty && !haveStructure(models)
	})
	if len(kinds) == 0 {
		return nil
	}
	return []axis{{
		size: len(kinds),
		index: func(r choice) int {
			return max(0, slices.Index(kinds, search.PenaltyOf(r.Weights)))
		},
		set: func(r *choice, index int) {
			if !r.Training.Translate || kinds[index] != search.IVRPenalty {
				s.changePenalty(r, kinds[index])
			}
		},
		unordered: true,
	}}
}

// changePenalty removes the weights of other kinds of penalties from a recipe, and gives it medium
// ones of its new kind if it has another. Axes of the weights may change them.
func (s recipeSpace) changePenalty(r *choice, to search.Penalty) {
	w := &r.Weights
	isKept := search.PenaltyOf(*w) == to
	if to != search.N3Penalty {
		w.N3, w.EntityN3, w.RelationN3, w.N3Block = 0, 0, 0, 0
	}
	if to != search.DuraPenalty {
		w.EntityL2, w.Products = 0, 0
	}
	if to != search.IVRPenalty {
		w.IVR, w.IVRProducts, w.IVRPower = 0, 0, 0
	}
	if isKept {
		return
	}
	switch to {
	case search.N3Penalty:
		w.N3 = medium(s.N3)
	case search.DuraPenalty:
		w.EntityL2 = medium(s.Dura)
		w.Products = w.EntityL2
	case search.IVRPenalty:
		w.IVR = medium(s.IVR)
	}
}

// medium returns the median of the positive ones of ascending values, 0 if there are none.
func medium(values []float64) float64 {
	positive := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return x == 0 })
	if len(positive) == 0 {
		return 0
	}
	return positive[len(positive)/2]
}

// penalties returns the axes of the weights of penalties. In a space with several kinds, each
// applies to its kind only.
func (s recipeSpace) penalties(base choice, models []task.Trial) []axis {
	type weight = func(*choice) *float64
	of := func(p search.Penalty) (with choice, applies func(choice) bool) {
		if with = base; len(s.Penalties) == 0 {
			return with, nil
		}
		s.changePenalty(&with, p)
		return with, func(r choice) bool { return search.PenaltyOf(r.Weights) == p }
	}
	numbers := func(p search.Penalty, values []float64, field weight) []axis {
		with, applies := of(p)
		return when(applies, newAxis(values, cmp.Compare, with, field))
	}
	n3, isN3 := of(search.N3Penalty)
	return slices.Concat(
		numbers(search.N3Penalty, s.N3, func(r *choice) *float64 { return &r.N3 }),
		numbers(search.N3Penalty, s.EntityN3, func(r *choice) *float64 { return &r.EntityN3 }),
		numbers(search.N3Penalty, s.RelationN3, func(r *choice) *float64 { return &r.RelationN3 }),
		when(isN3, newAxis(blocks(s.N3Blocks, chunks(models)), cmp.Compare, n3,
			func(r *choice) *int { return &r.N3Block })),
		s.layouts(base, models),
		newAxis(s.PenaltyFrequencies, cmp.Compare, base,
			func(r *choice) *float64 { return &r.PenaltyFrequency }),
		s.dura(base, numbers(search.DuraPenalty, s.Dura,
			func(r *choice) *float64 { return &r.EntityL2 })),
		numbers(search.DuraPenalty, s.Products, func(r *choice) *float64 { return &r.Products }),
		numbers(search.IVRPenalty, s.IVR, func(r *choice) *float64 { return &r.IVR }),
		numbers(search.IVRPenalty, s.IVRProducts,
			func(r *choice) *float64 { return &r.IVRProducts }),
		numbers(search.IVRPenalty, s.IVRPowers, func(r *choice) *float64 { return &r.IVRPower }),
	)
}

// dura gives products the weights of entities, unless products have their own values. Weights of
// the initial recipe that are not those of DURA are kept.
func (s recipeSpace) dura(base choice, entities []axis) []axis {
	if len(s.Products) > 0 {
		return entities
	}
	if base.EntityL2 != base.Products {
		return nil
	}
	for i := range entities {
		set := entities[i].set
		entities[i].set = func(r *choice, index int) {
			set(r, index)
			r.Products = r.EntityL2
		}
	}
	return entities
}

// chunks returns the largest number that divides the chunks of all models, 1 without structures.
func chunks(models []task.Trial) int {
	common := 0
	for _, m := range models {
		for k := max(1, m.Structure.K()); k > 0; {
			common, k = k, common%k
		}
	}
	return max(1, common)
}

// blocks returns those values of N3Block that fit k chunks.
func blocks(values []int, k int) []int {
	fits := func(n int) bool { return n <= 1 || k > 0 && k%n == 0 }
	return slices.DeleteFunc(slices.Clone(values), func(n int) bool { return !fits(n) })
}

// maxLayouts is the largest number of layouts of a structure that an axis has. Four chunks have no
// more.
const maxLayouts = 9

// layouts returns an axis for each size of blocks that tells equivalent structures apart. Its values are
// structures equivalent to that of a model, with other chunks in a block. Blocks of entities and of
// relations both count, even if only one of them is penalized. Several models share the choice, so they
// have no such axis.
func (s recipeSpace) layouts(base choice, models []task.Trial) (all []axis) {
	if len(models) != 1 || len(s.N3Blocks) == 0 {
		return nil
	}
	of := models[0].Structure
	sizes := blocks(append(slices.Clone(s.N3Blocks), base.N3Block), of.K())
	slices.Sort(sizes)
	for _, size := range slices.Compact(sizes) {
		if size <= 1 || size == of.K() {
			continue
		}
		layouts := of.Layouts(size, maxLayouts, rand.New(rand.NewPCG(layoutStream, uint64(size))))
		layouts[0] = structure.Structure{}
		all = append(all, axis{
			size:      len(layouts),
			index:     func(r choice) int { return max(0, slices.Index(layouts, r.layout)) },
			set:       func(r *choice, index int) { r.layout = layouts[index] },
			unordered: true,
			applies:   func(r choice) bool { return r.N3Block == size },
		})
	}
	return all
}

// tidy sets the blocks of a norm without weight to 0, the frequency if there is no penalty, and what
// nothing reads in a cell, so that no model is tried twice.
func tidy(r choice) choice {
	if cell, has := r.form.Cell(); has {
		r.form = cell.Canonical(r.Training.WalkHops <= 1).Form()
	}
	if r.N3+r.EntityN3+r.RelationN3 == 0 {
		r.N3Block = 0
	}
	if r.N3Block <= 1 || r.N3Block == r.layout.K() {
		r.layout = structure.Structure{}
	}
	if !hasPenalty(r.Weights) {
		r.PenaltyFrequency = 0
	}
	return r
}

// hasPenalty reports whether a penalty has a weight.
func hasPenalty(w kge.Weights) bool {
	return w.L2+w.N3+w.EntityN3+w.RelationN3+w.EntityL2+w.RelationL2+w.Products+w.Orthogonality > 0 ||
		w.HasIVR()
}
