package task

import (
	"context"
	"encoding/json"
)

// Ensembler is a [Task] whose artifacts can answer together.
type Ensembler interface {
	// Ensemble chooses an ensemble, of size members at most, among so many candidates, of which read
	// gives what a trial has left. It depends on the data, the candidates and the size only.
	// The error is for what stops the search, as the end of ctx.
	Ensemble(ctx context.Context, candidates, size int, read func(place int) (Artifact, error)) (*Ensemble, error)
}

// Ensemble is some artifacts that answer together, or the best one of all.
type Ensemble struct {
	// Members are places among the candidates, in the order in which they were chosen: one
	// where no ensemble is better than that.
	Members []int
	// Artifact is the ensemble itself, nil of one member.
	Artifact Artifact
	// Score is by what had no part in the choice, and Alone the same of the best candidate.
	Score, Alone float64
	// TestScore and Details are as those of a [Trial]; nil of one member.
	TestScore *float64
	Details   json.RawMessage
}

// Chosen are the numbers of the trials whose artifacts an ensemble was chosen among, and those of its
// members, in the order in which they were chosen.
type Chosen struct {
	Candidates []int `json:"candidates"`
	Members    []int `json:"members"`
}
