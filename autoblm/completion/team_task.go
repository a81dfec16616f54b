package completion

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Team implements [task.Teaming] by [ChooseTeam].
func (t *Task) Team(ctx context.Context, candidates, size int, read func(place int) (task.Artifact, error)) (*task.Team, error) {
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
	s := DefaultTeam()
	s.Size = size
	made, err := ChooseTeam(ctx, t.Engine, distinct, t.Graph, s)
	if err != nil {
		return nil, err
	}
	team := &task.Team{Score: made.Choice.Fitted[0], Alone: made.Choice.Fitted[0]}
	for _, member := range made.Choice.Order {
		team.Members = append(team.Members, slices.Index(of, slices.Index(distinct, made.Members[member])))
	}
	unseen := made.Choice.Unseen()
	if unseen == nil { // what is fitted is no reason for more than one
		team.Members = team.Members[:1]
		return team, nil
	}
	team.Score, team.Alone = *unseen, made.Choice.HeldOut[0]
	if len(team.Members) == 1 {
		return team, nil
	}
	aligned, err := made.Align(t.Graph)
	if err != nil {
		return nil, err
	}
	e, err := made.Evaluate(ctx, t.Engine, aligned)
	if err != nil {
		return nil, err
	}
	team.Artifact = made
	_, team.TestScore = e.Scores()
	e.Valid = nil // by which it was chosen
	team.Details, err = e.Details()
	return team, err
}

// TeamOf is the team that a search kept, nil where it kept one model or nothing.
func TeamOf(a task.Artifact) (*Team, error) {
	switch a := a.(type) {
	case nil, *kge.Model:
		return nil, nil
	case *Team:
		return a, nil
	}
	files, err := a.Files()
	if err != nil || !isTeam(modelfolder.In(files)) {
		return nil, err
	}
	return LoadTeamFiles(files)
}
