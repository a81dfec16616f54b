package completion

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Supports implements [task.Task]: completion has ensembles and other splits.
func (t *Task) Supports() task.Capabilities {
	return task.Capabilities{Ensembles: true, Resplits: true, Forms: true}
}

// Ensemble implements [task.Task] with [ChooseEnsemble].
func (t *Task) Ensemble(
	ctx context.Context, candidates, size int, read func(place int) (task.Artifact, error),
) (*task.Ensemble, error) {
	models := make([]*kge.Model, candidates)
	for i := range models {
		a, err := read(i)
		if err != nil {
			return nil, err
		}
		p, err := PredictorOf(a)
		if err != nil {
			return nil, err
		}
		models[i] = p.Models()[0]
	}
	unique, indices, err := Deduplicate(models)
	if err != nil {
		return nil, err
	}
	s := DefaultEnsemble()
	s.Size = size
	chosen, err := ChooseEnsemble(ctx, t.Engine, unique, t.Graph, s)
	if err != nil {
		return nil, err
	}
	ensemble := &task.Ensemble{Score: chosen.Choice.Fitted[0], BestCandidate: chosen.Choice.Fitted[0]}
	for _, member := range chosen.Choice.Order {
		index := slices.Index(unique, chosen.Members[member])
		ensemble.Members = append(ensemble.Members, slices.Index(indices, index))
	}
	unseen := chosen.Choice.Unseen()
	if unseen == nil { // the fitted MRR is biased and cannot justify several members
		ensemble.Members = ensemble.Members[:1]
		return ensemble, nil
	}
	ensemble.Score, ensemble.BestCandidate = *unseen, chosen.Choice.HeldOut[0]
	if len(ensemble.Members) == 1 {
		return ensemble, nil
	}
	aligned, err := Align(chosen.Members[0], t.Graph)
	if err != nil {
		return nil, err
	}
	limits := t.Limits
	if limits.Valid > 0 { // the choice has ranked a sample
		limits.Valid = eval.None
	}
	e, err := chosen.Evaluate(ctx, t.Engine, aligned, limits)
	if err != nil {
		return nil, err
	}
	ensemble.Artifact = chosen
	_, ensemble.TestScore = e.Scores()
	e.Valid = nil // it was used for the choice
	ensemble.Details, err = e.Details()
	return ensemble, err
}
