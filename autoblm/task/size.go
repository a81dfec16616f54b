package task

import "github.com/autoblm/autoblm-go/autoblm/kge"

// Sized is a [Task] that tells how large it is, for whoever plans what there is time for.
type Sized interface{ Size() Size }

// Size is how much there is to learn and to rank.
type Size struct {
	// Examples are those of an epoch.
	Examples int
	// Entities have embeddings; where something is ranked, they are the candidates.
	Entities int
	// Validation and Test are the questions of these splits, all that are asked together:
	// triples count once, though both their ends are ranked, and nodes as often as a
	// cross-validation holds them out.
	Validation, Test int
}

// Limited is a [Task] that can rank less of each trial, for whoever has no time to rank all.
type Limited interface {
	// Limited is the same task within limits.
	Limited(l kge.Limits) Task
}

// Resplitting is a [Task] whose training and validation data can be divided in other ways.
type Resplitting interface {
	// Resplit is the task by another split, the same for the same number, without test data.
	Resplit(number int) Task
}
