package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
	"gonum.org/v1/gonum/stat"
)

// wholeSpace is what this package reads of the outcome of a search over the whole space.
type wholeSpace struct {
	Retrained []searchedModel `json:"retrained"`
}

// searchedModel is a model that a search retrained with several seeds.
type searchedModel struct {
	Model       string     `json:"model"` // its structure, or the name of a form without one
	Recipe      kge.Recipe `json:"recipe"`
	Valid, Test []float64  // MRRs
}

// searchedModels returns the models of a graph's search over the whole space, the best by validation
// first, and none if there was no search.
func searchedModels(graph string) (all []searchedModel, err error) {
	files, err := docs("whole-space-" + graph + ".json")
	for _, d := range files {
		r, failed := record.Read[wholeSpace](d.File)
		all, err = append(all, r.Result.Retrained...), cmp.Or(err, failed)
	}
	slices.SortStableFunc(all, func(a, b searchedModel) int {
		return cmp.Compare(stat.Mean(b.Valid, nil), stat.Mean(a.Valid, nil))
	})
	return all, err
}

// Title returns the title of the model.
func (m searchedModel) Title() string { return modelTitle(m.Model) }

// modelTitle returns the title of a baseline, the structure of another model with one, or the name of
// a form.
func modelTitle(model string) string {
	s, err := structure.Parse(model)
	if err != nil {
		return model
	}
	if title := s.Title(); title != model {
		return title
	}
	return "`" + model + "`"
}

// Weights returns the weights of penalties that are not zero.
func (m searchedModel) Weights() string { return settings.Set(m.Recipe.Weights) }

// about describes the model in a table of the best.
func (m searchedModel) about() string {
	name := m.Title()
	if name == "`"+m.Model+"`" {
		name = "a found structure"
	}
	return fmt.Sprintf("%s, d %d, by a search over the whole space, mean of %d seeds",
		name, m.Recipe.Training.Dim, len(m.Test))
}
