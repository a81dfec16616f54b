package ablation

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/correlation"
)

// Correlated is how two ways to judge the same structures agree.
type Correlated struct {
	Seed uint64 `json:"seed"`
	// X and Y say what the ways are.
	X string `json:"x"`
	Y string `json:"y"`
	// Structures have a validation MRR by either way.
	Structures []Judged `json:"structures"`
	// Spearman is the rank correlation.
	Spearman float64 `json:"spearman"`
}

// Judged is a structure with its validation MRR by two ways.
type Judged struct {
	Structure structure.Structure `json:"structure"`
	X         float64             `json:"x"`
	Y         float64             `json:"y"`
}

func correlate(seed uint64, x, y string, judged []Judged) Correlated {
	c := Correlated{Seed: seed, X: x, Y: y, Structures: judged}
	var xs, ys []float64
	for _, j := range judged {
		xs, ys = append(xs, j.X), append(ys, j.Y)
	}
	c.Spearman = correlation.Spearman(xs, ys)
	return c
}

// Dimensions judges the structures of a search at its own and at another dimension
// (paper, Appendix C).
func Dimensions(ctx context.Context, p Plan, dim int) ([]Correlated, error) {
	return p.correlated(ctx, func(s search.Settings, found []task.Trial) (Correlated, error) {
		var list given
		before := map[structure.Structure]float64{}
		for _, t := range found {
			list = append(list, t.Structure)
			before[t.Structure] = t.ScoreOrZero()
		}
		other := s
		other.Training.Dim, other.Budget = dim, len(list)
		trials, err := p.train(ctx, list, other, fmt.Sprintf("dimension %d", dim))
		if err != nil {
			return Correlated{}, err
		}
		var judged []Judged
		for _, t := range trials {
			judged = append(judged, Judged{t.Structure, before[t.Structure], t.ScoreOrZero()})
		}
		return correlate(s.Seed, fmt.Sprintf("d = %d", s.Training.Dim), fmt.Sprintf("d = %d", dim), judged), nil
	})
}

// correlated searches with each seed, and has what was found judged in another way.
func (p Plan) correlated(ctx context.Context, judge func(s search.Settings, found []task.Trial) (Correlated, error)) ([]Correlated, error) {
	var all []Correlated
	for n := range p.Seeds {
		s := p.Settings
		s.Seed += uint64(n)
		found, err := p.found(ctx, s)
		if err != nil {
			return nil, err
		}
		c, err := judge(s, found)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// found are the structures that AutoBLM+ trains, by number; those that diverged
// are left out.
func (p Plan) found(ctx context.Context, s search.Settings) ([]task.Trial, error) {
	result, err := p.search(ctx, p.Graph, search.Evolutionary{}, s, "search")
	if err != nil {
		return nil, err
	}
	return complete(result), nil
}

// train trains the structures of a list.
func (p Plan) train(ctx context.Context, list given, s search.Settings, name string) ([]task.Trial, error) {
	result, err := p.search(ctx, p.Graph, list, s, name)
	if err != nil {
		return nil, err
	}
	return complete(result), nil
}

// complete are the proposed trials that have a result, by number.
func complete(result *search.Result) []task.Trial {
	var trials []task.Trial
	for _, t := range result.Trials {
		if t.Round > 0 && t.State == task.Complete {
			trials = append(trials, t)
		}
	}
	return trials
}
