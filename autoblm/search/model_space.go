package search

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
)

// modelSpace says which values a search for the settings of a model tries.
type modelSpace struct {
	is func(form.Form) bool
	Space
}

// modelSpaces is the table of the default spaces. The first row that fits a model applies. Dimensions
// are rounded up to those that a model can have. Values enclose those of the recipes that are published
// for a model, as far as they train in minutes.
var modelSpaces = []modelSpace{
	{ // distances, with log-loss or self-adversarial negative sampling (Sun et al., 2019)
		is: func(f form.Form) bool { return !f.Capabilities().Products },
		Space: Space{
			Dims:          []int{64, 128, 256},
			Batches:       []int{128, 256, 512},
			LearningRates: []float64{.02, .05, .1, .2, .3, .5},
			N3:            []float64{0, .0001, .001, .01},
			InitScales:    []float64{.01, .1, .5},
			Reciprocal:    []bool{false, true},
			Negatives:     []int{0, 64, 256},
			Margins:       []float64{3, 6, 9, 12, 18, 24},
			Temperatures:  []float64{0, .5, 1},
			Subsampling:   []bool{false, true},
		},
	},
	{ // ConvE
		is: func(f form.Form) bool { _, is := f.ConvE(); return is },
		Space: Space{
			Dims:            []int{60, 100, 200},
			Batches:         []int{64, 128, 256},
			LearningRates:   []float64{.0003, .001, .003, .01},
			LabelSmoothings: []float64{0, .1, .2},
			InputDropouts:   []float64{0, .1, .2, .3},
			FeatureDropouts: []float64{0, .1, .2, .3},
			Dropouts:        []float64{0, .1, .2, .3, .4, .5},
		},
	},
	{ // Interstellar
		is: func(f form.Form) bool { _, is := f.Cell(); return is || f == form.AnyCell },
		Space: Space{
			Dims:          []int{64, 128, 256},
			Batches:       []int{256, 512, 1024},
			LearningRates: []float64{.0003, .001, .003, .01, .03},
			WalkHops:      []int{1, 2, 3},
			Dropouts:      []float64{0, .1, .2, .3, .4, .5},
		},
	},
	{ // RSN
		is: func(f form.Form) bool { return f == form.RSN },
		Space: Space{
			Dims:          []int{64, 128, 256},
			Batches:       []int{128, 256, 512},
			LearningRates: []float64{.0001, .0003, .001, .003, .01},
			WalkHops:      []int{1, 2, 3},
			Dropouts:      []float64{0, .1, .2, .3, .4, .5},
		},
	},
	{ // cores: TuckER and MEIM
		is: func(f form.Form) bool { return f.Partitions() > 0 },
		Space: Space{
			Dims:                []int{32, 64, 128},
			Batches:             []int{64, 128, 256},
			LearningRates:       []float64{.02, .05, .1, .2, .3},
			N3:                  []float64{0, .001, .003, .01, .03},
			RelationPredictions: []float64{0, .05, .25, 1},
			LabelSmoothings:     []float64{0, .1, .2},
			InputDropouts:       []float64{0, .1, .2, .3},
			Dropouts:            []float64{0, .1, .2, .3, .4, .5},
			Orthogonalities:     []float64{0, .001, .01, .1},
		},
	},
	{ // other models that score by products: diag, gqe and block-C
		is: func(form.Form) bool { return true },
		Space: Space{
			Dims:                []int{64, 128, 256},
			Batches:             []int{128, 256, 512, 1024},
			LearningRates:       []float64{.02, .05, .1, .2, .3, .5},
			N3:                  []float64{0, .001, .003, .01, .03, .1},
			Dura:                []float64{0, .003, .01, .03, .1},
			RelationPredictions: []float64{0, .05, .25, 1},
			Dropouts:            []float64{0, .1, .2, .3, .4, .5},
			InitScales:          []float64{1e-3, 1e-2, 1e-1},
			Reciprocal:          []bool{false, true},
		},
	},
}

// ModelSpace returns the values that a search for the settings of a model tries by default. The form
// is not bilinear.
func ModelSpace(f form.Form) *Space {
	s := modelSpaces[slices.IndexFunc(modelSpaces, func(m modelSpace) bool { return m.is(f) })].Space
	s.Dims = slices.Clone(s.Dims)
	for i, dim := range s.Dims {
		s.Dims[i] = f.RoundDim(dim)
	}
	s.Dims = slices.Compact(s.Dims)
	if !f.Capabilities().RelationPrediction {
		s.RelationPredictions = nil
	}
	s.Cells = f == form.AnyCell
	return &s
}

// ForModel returns the settings for a search for the settings of a model: over its space, beginning
// with the kind of training that [recipe.ForTuning] returns, if it has one.
func (s Settings) ForModel(f form.Form) Settings {
	s.Model, s.Space = f, ModelSpace(f)
	if r, found := recipe.ForTuning(s.FirstForm()); found {
		size := s.Training
		s.Recipe = r
		s.Training.Dim, s.Training.Batch, s.Training.Epochs = size.Dim, size.Batch, size.Epochs
	}
	s.Training.Dim = f.RoundDim(s.Training.Dim)
	return s
}

// SpaceOf returns the values that a search for the settings of a model tries. Binary cross entropy has
// no penalties but orthogonality, and log-loss has no label smoothing.
func (s Settings) SpaceOf(f form.Form) *Space {
	space := s.Space
	if space == nil {
		space = ModelSpace(f)
	}
	if s.Training.Loss == kge.BCE {
		return space.forBinary()
	}
	return space.forLogLoss()
}

// FirstForm returns the form of the first trial of a search for the settings of a model.
func (s Settings) FirstForm() form.Form {
	if s.Model == form.AnyCell {
		return form.CellWN18RR.Form()
	}
	return s.Model
}

// TrialName returns what the trials of a search compare: "structure", or "recipe" of one model.
func (s Settings) TrialName() string {
	if s.Model == form.Bilinear {
		return "structure"
	}
	return "recipe"
}

// forPaths returns the space without settings that only triples have, and without negatives, which all
// trials for paths share.
func (s Space) forPaths() *Space {
	s.Negatives, s.Margins = nil, nil
	s.RelationPredictions, s.Temperatures, s.Subsampling, s.WalkHops = nil, nil, nil, nil
	return &s
}

// forLogLoss returns the space without label smoothing, which only binary cross entropy has.
func (s Space) forLogLoss() *Space {
	s.LabelSmoothings = nil
	return &s
}

// forBinary returns the part of the space that binary cross entropy has: no penalties but
// orthogonality, no negatives, and always reverse relations.
func (s Space) forBinary() *Space {
	return &Space{
		Dims: s.Dims, Batches: s.Batches, LearningRates: s.LearningRates, Dropouts: s.Dropouts,
		InputDropouts: s.InputDropouts, FeatureDropouts: s.FeatureDropouts, InitScales: s.InitScales,
		LabelSmoothings: s.LabelSmoothings, Orthogonalities: s.Orthogonalities,
	}
}
