package ablation

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/correlation"
)

// Correlated holds the validation MRRs of structures under two ways of training.
type Correlated struct {
	Seed uint64 `json:"seed"`
	// X and Y name the ways of training.
	X          string   `json:"x"`
	Y          string   `json:"y"`
	Structures []Judged `json:"structures"`
	// Spearman is the rank correlation of the MRRs.
	Spearman float64 `json:"spearman"`
}

// Judged is a structure with its two validation MRRs.
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

// judge trains the structures found by a search in another way, and correlates the scores.
type judge func(s search.Settings, found []task.Trial) (Correlated, error)

// forEachSeed searches with each seed and calls judge with the structures found.
func (p Plan) forEachSeed(ctx context.Context, judge judge) ([]Correlated, error) {
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

// Dimensions trains the structures of a search with another dimension (paper, Appendix C).
func Dimensions(ctx context.Context, p Plan, dim int) ([]Correlated, error) {
	return p.forEachSeed(ctx, func(s search.Settings, found []task.Trial) (Correlated, error) {
		var structures list
		before := map[structure.Structure]float64{}
		for _, t := range found {
			structures = append(structures, t.Structure)
			before[t.Structure] = t.ScoreOrZero()
		}
		other := s
		other.Training.Dim, other.Budget = dim, len(structures)
		trials, err := p.train(ctx, structures, other, fmt.Sprintf("dimension %d", dim))
		if err != nil {
			return Correlated{}, err
		}
		var judged []Judged
		for _, t := range trials {
			judged = append(judged, Judged{t.Structure, before[t.Structure], t.ScoreOrZero()})
		}
		x, y := fmt.Sprintf("d = %d", s.Training.Dim), fmt.Sprintf("d = %d", dim)
		return correlate(s.Seed, x, y, judged), nil
	})
}
