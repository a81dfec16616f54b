package completion

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Supports implements [task.Task]: completion has ensembles and other splits.
func (t *Task) Supports() task.Capabilities {
	return task.Capabilities{Ensembles: true, Resplits: true}
}

// Ensemble implements [task.Task] with [ChooseEnsemble].
func (t *Task) Ensemble(
	ctx context.Context, candidates, size int, read func(place int) (task.Artifact, error),
) (*task.Ensemble, error) {
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
	aligned, err := chosen.Align(t.Graph)
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

// EnsembleOf returns the ensemble of an artifact; nil for a single model or none.
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
