package ablation

import (
	"context"
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
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
	// Spearman is the rank correlation of the MRRs, nil if all MRRs of one way are equal.
	Spearman *float64 `json:"spearman"`
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
	c.Spearman = spearman(xs, ys)
	return c
}

// spearman returns the rank correlation, nil if it is undefined because all numbers of a list are equal.
func spearman(x, y []float64) *float64 {
	rho := correlation.Spearman(x, y)
	if math.IsNaN(rho) {
		return nil
	}
	return &rho
}

// forEachSeed searches with each seed and calls judge with the structures found. judge trains them
// in another way and correlates the scores.
func (p Plan) forEachSeed(
	ctx context.Context, judge func(s search.Settings, found []task.Trial) (Correlated, error),
) ([]Correlated, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	var all []Correlated
	for n := range p.Seeds {
		s := p.Settings
		s.Seed += uint64(n)
		found, err := p.train(ctx, strategy.Evolutionary{}, s, "search")
		if err != nil {
			return nil, err
		}
		c, err := judge(s, completed(found))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Dimensions trains the structures of a search with another dimension (paper, Appendix C).
func Dimensions(ctx context.Context, p Plan, dim int) ([]Correlated, error) {
	other := p.Settings
	other.Training.Dim = dim
	if err := other.Validate(); err != nil {
		return nil, fmt.Errorf("the other dimension: %w", err)
	}
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
		for _, t := range completed(trials) {
			judged = append(judged, Judged{t.Structure, before[t.Structure], t.ScoreOrZero()})
		}
		x, y := fmt.Sprintf("d = %d", s.Training.Dim), fmt.Sprintf("d = %d", dim)
		return correlate(s.Seed, x, y, judged), nil
	})
}

// Sharing scores the structures of a search with embeddings that all of them share, and correlates
// these scores with those of separate trainings (paper, ablation study 5). Each step of the shared
// training uses a random structure.
func Sharing(ctx context.Context, p Plan, epochs int) ([]Correlated, error) {
	return p.forEachSeed(ctx, func(s search.Settings, found []task.Trial) (Correlated, error) {
		job := completion.SharedJob{
			Graph: p.Graph, Settings: s.Training,
			Member:     s.Recipe.For(form.Bilinear, structure.Structure{}, s.Seed),
			SampleSeed: s.Seed,
		}
		job.Settings.Epochs = epochs
		job.Settings.SkipValidation() // shared embeddings have no best epoch
		for _, t := range found {
			job.Candidates = append(job.Candidates, t.Structure)
		}
		if p.OnProgress != nil {
			job.OnEpoch = func(at kge.Progress) {
				share := float64(at.Epoch) / float64(at.Epochs)
				p.OnProgress("shared embeddings", search.Progress{Share: share})
			}
		}
		report, err := completion.TrainSharedEmbeddings(ctx, p.Engine, job)
		if err == nil {
			err = report.Err
		}
		if err != nil {
			return Correlated{}, fmt.Errorf("shared embeddings, seed %d: %w", s.Seed, err)
		}
		var judged []Judged
		for i, t := range found {
			shared := report.Candidates[i].Valid.Both.MRR
			judged = append(judged, Judged{t.Structure, shared, t.ScoreOrZero()})
		}
		return correlate(s.Seed, "shared embeddings", "own training", judged), nil
	})
}
