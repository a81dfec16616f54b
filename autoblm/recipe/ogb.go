package recipe

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Names of the folders that the Open Graph Benchmark downloads, with the numbers of their graphs.
const (
	biokg, biokgEntities, biokgRelations       = "ogbl_biokg", 93_773, 51
	wikikg2, wikikg2Entities, wikikg2Relations = "ogbl_wikikg2", 2_500_604, 535
)

// autoSF has the recipes of the paper's authors for the Open Graph Benchmark.
var autoSF = family{
	name: "autosf-ogb", model: "AutoSF", reported: "the paper, Open Graph Benchmark",
	about:  "the paper's structures for the Open Graph Benchmark, with negative sampling",
	source: "LARS-research/AutoSF, biokg/examples.sh and wikikg2/examples.sh",
	note: adversarialNote + " They penalize all embeddings in each step; here those that are used, on " +
		"average alike. In ogbl_biokg they draw negatives of the right type.",
}

// withNegatives returns a family with self-adversarial sampling for a structure. The authors' margin
// only sets the initial numbers, which are from ±(margin+2)/dim: scores of products have none.
func withNegatives(f family, dim, negatives int, margin, temperature float64) family {
	f.training = training(func(s *kge.Settings) {
		s.Optimizer, s.InitScale = kge.Adam, (margin+2)/float64(dim)/math.Sqrt(3)
		s.Negatives, s.AdversarialTemperature, s.Subsampling = negatives, temperature, true
		s.ValidateSample = 4000
	})
	return f
}

// ofEachRow returns the weights of λ·Σ|x|³ over all rows in each step, see [ofAllRows].
func ofEachRow(lambda float64, entities, relations int) kge.Weights {
	w := ofAllRows(3*lambda, entities, relations)
	w.EntityN3 /= 2
	return w
}

// ogbRows returns the recipes for the Open Graph Benchmark. The authors add λ·Σ|x|³ to the mean over
// one direction of half of a triple's two terms, so that λ is four times as much here. As for
// [distanceRows], a step has both directions of its triples.
func ogbRows() []row {
	const lambda = 1e-7
	return []row{
		{family: withNegatives(autoSF, 2000, 256, 200, 1), dataset: biokg, published: metrics{.8309},
			structure: "1,1,0,0;0,2,0,0;0,0,3,0;0,0,0,4",
			weights:   ofEachRow(4*lambda, biokgEntities, biokgRelations),
			settings:  settings{dim: 2000, batch: 2048, epochs: 22, validate: 2, rate: 1e-3, cooldown: .5}},
		{family: withNegatives(autoSF, 200, 512, 50, 3), dataset: wikikg2, published: metrics{.5458},
			structure: "1,0,0,0;0,2,0,3;0,0,1,3;0,-2,4,0",
			weights:   ofEachRow(4*lambda, wikikg2Entities, wikikg2Relations),
			settings:  settings{dim: 200, batch: 1024, epochs: 6, validate: 1, rate: 3e-3, cooldown: .5}},
		{family: adversarial(pairRE, 2000, 128, 12, 1), dataset: biokg, published: metrics{.8164},
			settings: settings{dim: 2000, batch: 512, epochs: 16, validate: 2, rate: 1e-3, cooldown: .5}},
	}
}
