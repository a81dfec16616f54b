package recipe

import "github.com/autoblm/autoblm-go/autoblm/kge"

var bique = family{
	name: "bique", model: "BiQUE", reported: "the paper (Guo and Kok, 2021)",
	about:    "BiQUE (Guo and Kok, 2021): biquaternions and a translation, with N3 of their norms",
	source:   "the authors' program, run.sh",
	note:     bestNote,
	training: training(func(s *kge.Settings) { reciprocal(s); s.Translate = true }),
}

// biqueWeights returns the authors' penalty λ(2|h|³+½|r|³+2|t|³) of norms over the eight numbers at
// a position. The weights double, see the package comment.
func biqueWeights(lambda float64) kge.Weights {
	return kge.Weights{N3Block: 8, EntityN3: 2 * 2 * lambda, RelationN3: 2 * .5 * lambda}
}
