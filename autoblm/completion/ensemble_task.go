package completion

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Supports returns ensembles and other splits.
func (t *Task) Supports() task.Capabilities {
	return task.Capabilities{Ensembles: true, Resplits: true}
}

// Ensemble implements [task.Task] with [ChooseEnsemble].
func (t *Task) Ensemble(ctx context.Context, candidates, size int, read func(place int) (task.Artifact, error)) (*task.Ensemble, error) {
	models := make([]*kge.Model, candidates)
	for i := range models {
		a, err := read(i)
		if err == nil {
			models[i], err = ModelOf(a)
		}
		if err != nil {
			return nil, err
		}
	}
	distinct, of, err := Distinct(models)
	if err != nil {
		return nil, err
	}
	s := DefaultEnsemble()
	s.Size = size
	made, err := ChooseEnsemble(ctx, t.Engine, distinct, t.Graph, s)
	if err != nil {
		return nil, err
	}
	ensemble := &task.Ensemble{Score: made.Choice.Fitted[0], BestCandidate: made.Choice.Fitted[0]}
	for _, member := range made.Choice.Order {
		ensemble.Members = append(ensemble.Members, slices.Index(of, slices.Index(distinct, made.Members[member])))
	}
	unseen := made.Choice.Unseen()
	if unseen == nil { // what is fitted is no reason for more than one
		ensemble.Members = ensemble.Members[:1]
		return ensemble, nil
	}
	ensemble.Score, ensemble.BestCandidate = *unseen, made.Choice.HeldOut[0]
	if len(ensemble.Members) == 1 {
		return ensemble, nil
	}
	aligned, err := made.Align(t.Graph)
	if err != nil {
		return nil, err
	}
	e, err := made.Evaluate(ctx, t.Engine, aligned)
	if err != nil {
		return nil, err
	}
	ensemble.Artifact = made
	_, ensemble.TestScore = e.Scores()
	e.Valid = nil // by which it was chosen
	ensemble.Details, err = e.Details()
	return ensemble, err
}

// EnsembleOf is the ensemble that a search kept, nil where it kept one model or nothing.
func EnsembleOf(a task.Artifact) (*Ensemble, error) {
	switch a := a.(type) {
	case nil, *kge.Model:
		return nil, nil
	case *Ensemble:
		return a, nil
	}
	files, err := a.Files()
	if err != nil || !isEnsemble(modelfolder.FromFiles(files)) {
		return nil, err
	}
	return LoadEnsembleFiles(files)
}
