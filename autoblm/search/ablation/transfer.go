package ablation

import (
	"context"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Transferred holds the test MRRs of the best structures of some graphs on all of these graphs
// (paper, table of BLMs on different data sets).
type Transferred struct {
	Graphs []string `json:"graphs"`
	// Structures has the best structure of the search on each graph.
	Structures []structure.Structure `json:"structures"`
	// TestMRR[i][j] is the mean over the seeds for the structure of graph i on graph j, and
	// Deviation the standard deviation.
	TestMRR   [][]float64 `json:"test_mrr"`
	Deviation [][]float64 `json:"deviation"`
}

// Transfer searches on each graph with the first seed of the plan, and trains the best structures
// on all graphs with all seeds. It ignores the graph of the plan.
func Transfer(ctx context.Context, p Plan, graphs []*datasets.Graph) (*Transferred, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for _, g := range graphs {
		if len(g.Test) == 0 {
			return nil, fmt.Errorf("%s has no test triples to compare structures on: choose other graphs, "+
				"or split it", g.Name)
		}
	}
	for i, g := range graphs {
		same := func(other *datasets.Graph) bool {
			return other.Name == g.Name && other.Fingerprint() != g.Fingerprint()
		}
		if slices.ContainsFunc(graphs[:i], same) {
			return nil, fmt.Errorf("two graphs have the name %s: rename a folder", g.Name)
		}
	}
	t := &Transferred{}
	var distinct list
	for _, g := range graphs {
		result, err := p.search(ctx, g, strategy.Evolutionary{}, p.Settings, "search")
		if err != nil {
			return nil, err
		}
		best := result.Best[0].Structure
		t.Graphs, t.Structures = append(t.Graphs, g.Name), append(t.Structures, best)
		if !slices.Contains(distinct, best) {
			distinct = append(distinct, best)
		}
	}
	t.TestMRR, t.Deviation = make([][]float64, len(graphs)), make([][]float64, len(graphs))
	for _, g := range graphs {
		mrrs := map[structure.Structure][]float64{}
		on := p
		on.Graph = g
		for n := range p.Seeds {
			s := p.Settings
			s.Seed += uint64(n)
			s.Budget = len(distinct)
			trials, err := on.train(ctx, distinct, s, "transfer")
			if err != nil {
				return nil, err
			}
			for _, trial := range trials {
				mrr := 0.0 // if it diverged
				if trial.TestScore != nil {
					mrr = *trial.TestScore
				}
				mrrs[trial.Structure] = append(mrrs[trial.Structure], mrr)
			}
		}
		for source, best := range t.Structures {
			mean, deviation := meanDeviation(mrrs[best])
			t.TestMRR[source] = append(t.TestMRR[source], mean)
			t.Deviation[source] = append(t.Deviation[source], deviation)
		}
	}
	return t, nil
}
