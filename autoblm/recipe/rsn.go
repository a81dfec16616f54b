package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// rsn returns the family of RSN with published settings that draws a number of entities per step.
func rsn(reported string, sampled int) family {
	return family{
		name: "rsn", model: "RSN", form: form.RSN, reported: reported,
		about:  "RSN, a recurrent skipping network over random walks (Guo et al., 2019)",
		source: "nju-websoft/RSN, RSN4KGC.ipynb",
		note: "The authors draw their walks once; here each epoch draws others. They draw candidates by " +
			"frequency, of relations too; here entities uniformly and all relations. They clip gradients " +
			"to norm 2, add a bias for each answer, and rank with dropout and statistics of the batch. " +
			"They choose the epoch by Hits@1. " + bestNote,
		training: training(func(s *kge.Settings) {
			readsWalks(s)
			s.SampledSoftmax = sampled
		}),
	}
}

// rsnAnywhere is RSN on graphs without published settings.
var rsnAnywhere = family{
	name: "rsn", form: form.RSN,
	about:    "RSN on a graph without published settings",
	source:   "this project: a smaller dimension and batch, and log-loss over all entities",
	note:     bestNote,
	training: training(readsWalks, sampleValidation),
}

// rsnHops is the length of the random walks of RSN, as its authors have them.
const rsnHops = 3

// readsWalks applies the settings that recipes of RSN share.
func readsWalks(s *kge.Settings) {
	s.Reciprocal, s.Optimizer, s.Initial, s.WalkHops = true, kge.Adam, kge.Xavier, rsnHops
}

// rsnRows returns the recipes of RSN. Entities have two vectors of 256 numbers. The authors draw at
// most 10,240 entities and a third of all.
func rsnRows() []row {
	const paper = "the paper on AutoBLM, link prediction, the row of RSN"
	published := func(rate float64) settings {
		return settings{dim: 512, batch: 2048, epochs: 200, validate: 5, patience: 3, rate: rate, dropout: .5}
	}
	return []row{
		{family: rsn(paper, 10240), dataset: "wn18", published: metrics{.94, .922, .953},
			settings: published(1e-4)},
		{family: rsn("their notebook", 14951/3), dataset: "fb15k", published: metrics{.777, .721, .873},
			settings: published(1e-4)},
		{family: rsn(paper, 14541/3), dataset: "fb15k-237", published: metrics{.28, .202, .453},
			settings: published(1e-5)},
		{family: rsnAnywhere, settings: settings{dim: 128, batch: 256, epochs: 30, validate: 2, patience: 5,
			rate: neuralRate, decay: .95, dropout: .5}},
	}
}
