package ablation

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Ablation is a comparison of searches.
type Ablation struct {
	Name     string // on the command line
	Question string // that the comparison answers
	Variants []Variant
}

// Variant is a search of a comparison.
type Variant struct {
	Name      string
	Algorithm string // see [strategy.ByName]
	// Change changes the common settings into those of the variant; nil changes nothing.
	Change func(*search.Settings)
}

// Check returns an error if the settings do not fit a variant.
func (a Ablation) Check(s search.Settings) error {
	for _, v := range a.Variants {
		if _, _, err := v.settings(s); err != nil {
			return err
		}
	}
	return nil
}

// settings returns the settings and the algorithm of the variant.
func (v Variant) settings(s search.Settings) (search.Settings, strategy.Strategy, error) {
	if v.Change != nil {
		v.Change(&s)
	}
	algorithm, err := strategy.ByName(v.Algorithm)
	if err == nil {
		err = s.Validate()
	}
	if err == nil {
		err = s.CheckFor(algorithm)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", v.Name, err)
	}
	return s, algorithm, err
}

// ByName returns an ablation.
func ByName(name string) (Ablation, error) {
	var names []string
	for _, a := range Ablations() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Ablation{}, enum.Unknown("ablation", name, names)
}

// Ablations returns all ablations.
func Ablations() []Ablation {
	return []Ablation{
		{
			Name:     "algorithm",
			Question: "Which algorithm finds good structures soonest? (paper, ablation study 1)",
			Variants: []Variant{
				// Random, Bayes and Reinforce of the paper have no filter.
				{"random", "random", noFilter},
				{"tpe", "tpe", noFilter},
				{"reinforce", "reinforce", noFilter},
				{"autoblm, bare", "autoblm", bare},
				{"autoblm+, bare", "autoblm+", bare},
				{"random, exact filter", "random", withFilter(strategy.Exact)},
				{"autoblm", "autoblm", nil},
				{"autoblm+", "autoblm+", nil},
			},
		},
		{
			Name:     "filter",
			Question: "Does the filter help, and which one is best? (paper, ablation study 2)",
			Variants: bothAlgorithms(
				Variant{Name: "none, b0=1", Change: noFilterFromOne},
				Variant{Name: "none, b0=k", Change: noFilterFromK},
				Variant{Name: "paper", Change: withFilter(strategy.PaperFilter)},
				Variant{Name: "exact", Change: withFilter(strategy.Exact)},
			),
		},
		{
			Name: "predictor",
			Question: "Does the predictor choose better than chance, and with which features? " +
				"(paper, ablation study 3)",
			Variants: bothAlgorithms(
				Variant{Name: "none", Change: func(s *search.Settings) { s.Predictor = nil }},
				Variant{Name: "one-hot", Change: withFeatures(surrogate.OneHot)},
				Variant{Name: "srf", Change: withFeatures(surrogate.SRF)},
			),
		},
		{
			Name:     "k",
			Question: "How many chunks are best? All with d=60. (paper, ablation study 4)",
			Variants: []Variant{
				{"k=3", "autoblm+", chunks(3)},
				{"k=4", "autoblm+", chunks(4)},
				{"k=5", "autoblm+", chunks(5)},
			},
		},
	}
}

// bothAlgorithms returns the variants of AutoBLM and of AutoBLM+.
func bothAlgorithms(variants ...Variant) []Variant {
	var both []Variant
	for _, algorithm := range []string{strategy.Progressive{}.Name(), strategy.Evolutionary{}.Name()} {
		for _, v := range variants {
			both = append(both, Variant{algorithm + ", " + v.Name, algorithm, v.Change})
		}
	}
	return both
}

func noFilter(s *search.Settings) { s.Filter = strategy.NoFilter }

func noFilterFromOne(s *search.Settings) { s.Filter, s.InitialNonzeros = strategy.NoFilter, 1 }

func noFilterFromK(s *search.Settings) { s.Filter, s.InitialNonzeros = strategy.NoFilter, 0 }

// bare removes the filter and the predictor.
func bare(s *search.Settings) {
	noFilterFromOne(s)
	s.Predictor = nil
}

func withFilter(f strategy.Filter) func(*search.Settings) {
	return func(s *search.Settings) { s.Filter = f }
}

func withFeatures(f surrogate.Features) func(*search.Settings) {
	return func(s *search.Settings) {
		fit := surrogate.DefaultSettings()
		if s.Predictor != nil {
			fit = *s.Predictor
		}
		fit.Features = f
		s.Predictor = &fit
	}
}

func chunks(k int) func(*search.Settings) {
	return func(s *search.Settings) { s.K, s.Training.Dim = k, 60 }
}
