package recipe

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

const adversarialNote = "The authors draw negatives for each triple; here 48 triples " +
	"share them. They divide the learning rate by 10 after half of the steps; here it falls to 0 " +
	"in the second half. Their initial numbers are uniform; here they are normal, with the same " +
	"deviation. " + bestNote

var (
	rotate = family{
		name: "rotate", model: "RotatE", form: form.RotatE,
		reported: "the README of the authors' program",
		about:    "RotatE with self-adversarial negative sampling (Sun et al., 2019)",
		source:   "DeepGraphLearning/KnowledgeGraphEmbedding, best_config.sh",
		note:     adversarialNote,
	}
	transe = family{
		name: "transe", form: form.TransE,
		about:  "TransE with self-adversarial negative sampling (Sun et al., 2019)",
		source: rotate.source, note: adversarialNote,
	}
	pairRE = family{
		name: "pairre", model: "PairRE", form: form.PairRE,
		reported: "the paper on PairRE (Chao et al., 2021)",
		about:    "PairRE with self-adversarial negative sampling (Chao et al., 2021)",
		source:   "ant-research/KnowledgeGraphEmbeddingsViaPairedRelationVectors_PairRE, README, biokg/examples.sh",
		note:     adversarialNote,
	}

	// For any graph:
	transEAnywhere = family{
		name: transe.name, form: transe.form, about: "TransE on a graph without published settings",
		source: bestOnThree, note: bestNote, training: training(sampleValidation),
	}
	transH = family{
		name: "transh", form: form.TransH, about: "TransH (Wang et al., 2014) on any graph",
		source: likeTransE, note: bestNote, training: training(sampleValidation),
	}
	rotateAnywhere = family{
		name: rotate.name, form: rotate.form, about: "RotatE on a graph without published settings",
		source: bestOfSix, note: bestNote,
		training: training(fewNegatives),
	}
	pairREAnywhere = family{
		name: pairRE.name, form: pairRE.form, about: "PairRE on a graph without published settings",
		source: scalable, note: bestNote,
		training: training(fewNegatives),
	}
)

const (
	bestOfSix   = "this project: the best of six settings by validation on UMLS"
	scalable    = "this project: negatives for graphs of any size; all entities are .007 better on three small graphs"
	likeTransE  = "this project: as TransE; by validation on the same graphs the best of six settings is .004 better"
	bestOnThree = "this project: the best of six settings by validation on Nations, UMLS and Kinship"
)

// sampleValidation validates a sample, because ranking all validation triples of a large graph takes long.
func sampleValidation(s *kge.Settings) { s.ValidateSample = 4000 }

// fewNegatives sets self-adversarial sampling for any graph.
func fewNegatives(s *kge.Settings) {
	sampleValidation(s)
	s.Negatives, s.Margin, s.AdversarialTemperature = 64, 6, 1
}

// adversarial returns the family with the authors' self-adversarial sampling, for a number of
// coordinates, complex ones in RotatE. Entities are from ±range with range = (margin+2)/coordinates.
// RotatE's angles are numbers from the same interval times π/range; here they have that factor in
// their learning rate, which is the same with Adam.
func adversarial(f family, coordinates, negatives int, margin, temperature float64) family {
	limit := (margin + 2) / float64(coordinates)
	f.training = training(func(s *kge.Settings) {
		s.Optimizer, s.InitScale = kge.Adam, limit/math.Sqrt(3)
		s.Negatives, s.Margin = negatives, margin
		s.AdversarialTemperature, s.Subsampling = temperature, true
		if f.form == form.RotatE {
			s.RelationRate = math.Pi / limit
		}
	})
	return f
}

// distanceRows returns the recipes of distance models. A step here has both directions of its
// triples, and so half as many steps.
func distanceRows() (rows []row) {
	distance := settings{dim: 64, batch: 256, epochs: 120, validate: 5, patience: 4, rate: .3}
	for _, f := range []family{rotate, transe} {
		numbers := 1 // of a coordinate
		wn18rr, fb15k237 := metrics{}, metrics{}
		if f.form == form.RotatE {
			numbers, wn18rr, fb15k237 = 2, metrics{.477, .428, .571}, metrics{.337, .241, .533}
		}
		rows = append(rows,
			row{family: adversarial(f, 500, 1024, 6, .5), dataset: "wn18rr", published: wn18rr,
				settings: settings{dim: 500 * numbers, batch: 512, epochs: 236, validate: 20, rate: 5e-5,
					cooldown: .5}},
			row{family: adversarial(f, 1000, 256, 9, 1), dataset: "fb15k-237", published: fb15k237,
				settings: settings{dim: 1000 * numbers, batch: 1024, epochs: 188, validate: 20, rate: 5e-5,
					cooldown: .5}},
		)
	}
	return append(rows,
		row{family: adversarial(pairRE, 1500, 256, 15, 1), dataset: "fb15k",
			published: metrics{.811, .765, .896},
			settings: settings{dim: 1500, batch: 1024, epochs: 159, validate: 20, rate: 1e-4,
				cooldown: .5}},
		row{family: adversarial(pairRE, 1500, 256, 6, 1), dataset: "fb15k-237",
			published: metrics{.351, .256, .544},
			settings: settings{dim: 1500, batch: 1024, epochs: 188, validate: 20, rate: 5e-5,
				cooldown: .5}},
		row{family: pairREAnywhere,
			settings: settings{dim: 400, batch: 256, epochs: 60, validate: 5, patience: 3, rate: .1}},
		row{family: rotateAnywhere,
			settings: settings{dim: 256, batch: 128, epochs: 120, validate: 5, patience: 6, rate: .1}},
		row{family: transEAnywhere, settings: distance},
		row{family: transH, settings: distance},
	)
}
