package task

import (
	"context"
	"encoding/json"
)

// Task is what structures are searched for, on some data.
type Task interface {
	// Identity is what a study must be about to be gone on with.
	Identity() (Identity, error)
	// Check says why there is nothing to search on.
	Check() error
	// Train trains the trials, which have one and the same Recipe.Training, side by side
	// or one after the other, and gives each its result: State, Error, Score, TestScore,
	// Details, Loss, Validations, Engine and Backend, and Seconds where they are more than
	// this call takes. It returns what each leaves to be kept, nil for one that leaves
	// nothing. It calls onProgress with the share that is done, from 0 to 1. A trial's
	// result depends on the data, its structure and its recipe only. The error is for
	// what stops the search, as the end of ctx.
	Train(ctx context.Context, trials []Trial, onProgress func(share float64)) ([]Artifact, error)
	// Words are how its results are told.
	Words() Words
}

// Identity is what a search is about, beside how structures are proposed and trained.
type Identity struct {
	// Task is the name of the task, as "completion".
	Task string
	// Dataset is the name of the data, and Fingerprint identifies their contents.
	Dataset, Fingerprint string
	// Source is what the task finds the data by again: a name or an absolute path; ""
	// for data that were made in memory.
	Source string
	// Settings is a JSON object of the settings that only this task has, nil where there
	// are none.
	Settings json.RawMessage
}

// Artifact is what a trial leaves to be kept, as a model.
type Artifact interface {
	// Files are those of its folder, by name.
	Files() (map[string][]byte, error)
}
