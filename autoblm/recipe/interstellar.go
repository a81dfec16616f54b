package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// interstellar returns the family of Interstellar with a cell and what its recipes share.
func interstellar(c form.Cell) family {
	return family{
		name: "interstellar", model: "Interstellar", form: c.Form(),
		reported: "the paper on AutoBLM, link prediction, the row of Interstellar",
		about:    "Interstellar, a recurrent model over random walks (Zhang et al., 2020)",
		source:   "LARS-research/Interstellar, run.sh and eval_link.py",
		note: "The authors draw their walks once; here each epoch draws others. Their weight decay is left " +
			"out: next to gradients of their loss, a sum over pairs of positions, it is negligible. " +
			"They choose the epoch by Hits@1. " + bestNote,
		training: training(func(s *kge.Settings) {
			authors(s)
			s.Optimizer, s.WalkHops = kge.Adam, 3
		}),
	}
}

// interstellarAnywhere has the cell that was found for WN18RR.
var interstellarAnywhere = family{
	name: "interstellar", form: form.CellWN18RR.Form(),
	about:  "Interstellar on a graph without published settings",
	source: "this project: a smaller dimension",
	note:   bestNote,
	training: training(func(s *kge.Settings) {
		s.Optimizer, s.Initial, s.WalkHops = kge.Adam, kge.Xavier, 3
		sampleValidation(s)
	}),
}

// interstellarRows returns the recipes of Interstellar. Entities have two vectors, with published
// settings of 256 numbers each.
func interstellarRows() []row {
	return []row{
		{family: interstellar(form.CellWN18RR), dataset: "wn18rr", published: metrics{.48, .440, .548},
			settings: settings{dim: 512, batch: 2048, epochs: 50, validate: 2, patience: 6, rate: .003093,
				decay: .9876, dropout: .35}},
		{family: interstellar(form.CellFB15k237), dataset: "fb15k-237", published: metrics{.32, .233, .508},
			settings: settings{dim: 512, batch: 2048, epochs: 50, validate: 2, patience: 6, rate: .000634,
				decay: .9824, dropout: .42}},
		{family: interstellarAnywhere,
			settings: settings{dim: 128, batch: 256, epochs: 20, validate: 2, patience: 4, rate: neuralRate,
				decay: .98, dropout: .3}},
	}
}
