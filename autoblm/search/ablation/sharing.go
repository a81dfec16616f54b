package ablation

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

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
