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

// Sharing judges the structures of a search by embeddings that all of them share,
// trained for the given epochs with a structure drawn at random in each step, and by
// their own training (paper, ablation study 5).
func Sharing(ctx context.Context, p Plan, epochs int) ([]Correlated, error) {
	return p.correlated(ctx, func(s search.Settings, found []task.Trial) (Correlated, error) {
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
				p.OnProgress("shared embeddings", search.Progress{Share: float64(at.Epoch) / float64(at.Epochs)})
			}
		}
		report, err := completion.TrainShared(ctx, p.Engine, job)
		if err == nil {
			err = report.Err
		}
		if err != nil {
			return Correlated{}, fmt.Errorf("shared embeddings, seed %d: %w", s.Seed, err)
		}
		var judged []Judged
		for i, t := range found {
			judged = append(judged, Judged{t.Structure, report.Candidates[i].Valid.Both.MRR, t.ScoreOrZero()})
		}
		return correlate(s.Seed, "shared embeddings", "trained on its own", judged), nil
	})
}
