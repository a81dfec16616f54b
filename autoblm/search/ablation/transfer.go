package ablation

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"gonum.org/v1/gonum/stat"
)

// Transferred is how the best structures found on some graphs do on all of them
// (paper, Table of BLMs on different data sets).
type Transferred struct {
	Graphs []string `json:"graphs"`
	// Structures has the best of a search on each graph.
	Structures []structure.Structure `json:"structures"`
	// TestMRR[i][j] is the mean test MRR over the seeds of the structure of graph i
	// trained on graph j, and Deviation the standard deviation.
	TestMRR   [][]float64 `json:"test_mrr"`
	Deviation [][]float64 `json:"deviation"`
}

// Transfer searches on each graph with the plan's settings and first seed, and
// trains what it found on all of them, with all seeds. The plan's own graph is of no
// use here.
func Transfer(ctx context.Context, p Plan, graphs []*datasets.Graph) (*Transferred, error) {
	t := &Transferred{}
	var list given
	for _, g := range graphs {
		result, err := p.search(ctx, g, search.Evolutionary{}, p.Settings, "search")
		if err != nil {
			return nil, err
		}
		best := result.Best[0].Structure
		t.Graphs, t.Structures = append(t.Graphs, g.Name), append(t.Structures, best)
		if !slices.Contains(list, best) {
			list = append(list, best)
		}
	}
	t.TestMRR, t.Deviation = square(len(graphs)), square(len(graphs))
	for target, g := range graphs {
		mrrs := map[structure.Structure][]float64{}
		on := p
		on.Graph = g
		for n := range p.Seeds {
			s := p.Settings
			s.Seed += uint64(n)
			s.Budget = len(list)
			trials, err := on.train(ctx, list, s, "transfer")
			if err != nil {
				return nil, err
			}
			for _, trial := range trials {
				if trial.TestScore != nil {
					mrrs[trial.Structure] = append(mrrs[trial.Structure], *trial.TestScore)
				}
			}
		}
		for source, best := range t.Structures {
			t.TestMRR[source][target], t.Deviation[source][target] = stat.PopMeanStdDev(mrrs[best], nil)
		}
	}
	return t, nil
}

func square(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	return rows
}
