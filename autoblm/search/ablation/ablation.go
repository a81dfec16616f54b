package ablation

import (
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Ablation is a comparison of searches.
type Ablation struct {
	// Name is that on the command line, as "filter".
	Name string
	// Question is what it answers, in a line.
	Question string
	Variants []Variant
}

// Variant is one of the searches that are compared.
type Variant struct {
	Name      string
	Algorithm string // see [search.ByName]
	// Change makes the variant's settings of the common ones; nil leaves them.
	Change func(*search.Settings)
}

// ByName finds a comparison of searches.
func ByName(name string) (Ablation, error) {
	var all []string
	for _, a := range Ablations() {
		if a.Name == name {
			return a, nil
		}
		all = append(all, a.Name)
	}
	return Ablation{}, enum.Unknown("ablation", name, all)
}

// Ablations lists the comparisons of searches.
func Ablations() []Ablation {
	bare := func(s *search.Settings) { s.Filter, s.Predictor, s.B0 = search.NoFilter, nil, 1 }
	return []Ablation{
		{
			Name:     "algorithm",
			Question: "Which algorithm finds good structures soonest? (paper, ablation study 1)",
			Variants: []Variant{
				// Random, Bayes and Reinforce of the paper know no filter.
				{"random", "random", func(s *search.Settings) { s.Filter = search.NoFilter }},
				{"tpe", "tpe", func(s *search.Settings) { s.Filter = search.NoFilter }},
				{"reinforce", "reinforce", func(s *search.Settings) { s.Filter = search.NoFilter }},
				{"autoblm, bare", "autoblm", bare},
				{"autoblm+, bare", "autoblm+", bare},
				{"random, exact filter", "random", nil},
				{"autoblm", "autoblm", nil},
				{"autoblm+", "autoblm+", nil},
			},
		},
		{
			Name:     "filter",
			Question: "What is the filter worth, and which one? (paper, ablation study 2)",
			Variants: withBoth(
				Variant{Name: "none, b0=1", Change: func(s *search.Settings) { s.Filter, s.B0 = search.NoFilter, 1 }},
				Variant{Name: "none, b0=k", Change: func(s *search.Settings) { s.Filter = search.NoFilter }},
				Variant{Name: "paper", Change: func(s *search.Settings) { s.Filter = search.PaperFilter }},
				Variant{Name: "exact"},
				Variant{Name: "linear", Change: func(s *search.Settings) { s.Filter = search.LinearFilter }},
			),
		},
		{
			Name:     "predictor",
			Question: "Does the predictor pick better than chance, and by which features? (paper, ablation study 3)",
			Variants: withBoth(
				Variant{Name: "none", Change: func(s *search.Settings) { s.Predictor = nil }},
				Variant{Name: "one-hot", Change: oneHot},
				Variant{Name: "srf"},
			),
		},
		{
			Name:     "b0",
			Question: "With how many nonzeros should a search begin?",
			Variants: withBoth(
				Variant{Name: "b0=k"},
				Variant{Name: "b0=k+2", Change: func(s *search.Settings) { s.B0 = s.K + 2 }},
				Variant{Name: "b0=2k", Change: func(s *search.Settings) { s.B0 = 2 * s.K }},
			),
		},
		{
			Name:     "k",
			Question: "How many chunks? All with d=60. (paper, ablation study 4)",
			Variants: []Variant{
				{"k=3", "autoblm+", chunks(3)},
				{"k=4", "autoblm+", chunks(4)},
				{"k=5", "autoblm+", chunks(5)},
			},
		},
	}
}

// withBoth makes each variant one of AutoBLM and one of AutoBLM+.
func withBoth(variants ...Variant) []Variant {
	var both []Variant
	for _, algorithm := range []string{search.Progressive{}.Name(), search.Evolutionary{}.Name()} {
		for _, v := range variants {
			both = append(both, Variant{algorithm + ", " + v.Name, algorithm, v.Change})
		}
	}
	return both
}

func oneHot(s *search.Settings) {
	fit := *s.Predictor
	fit.Features = predictor.OneHot
	s.Predictor = &fit
}

func chunks(k int) func(*search.Settings) {
	return func(s *search.Settings) { s.K, s.Training.Dim = k, 60 }
}
