package task

import (
	"context"
	"encoding/json"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/deadline"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Task is what structures are searched for, on some data.
type Task interface {
	// Identity is what a study must be about to be gone on with.
	Identity() (Identity, error)
	// Check says why there is nothing to search on.
	Check() error
	// Train trains the trials, which have one and the same Recipe.Training, side by side
	// or one after the other, and gives each its result: State, Error, Score, TestScore,
	// Details, Loss, Validations, Engine and Backend, and Seconds where they are more
	// than this call takes. It returns what each leaves to be kept, nil for one that
	// leaves nothing, or nil where none does. It calls onProgress with the share that is
	// done, from 0 to 1, one call at a time and from any thread. A trial's result depends on
	// the data, its structure and its recipe only. The error is for what stops the search,
	// as the end of ctx or [ErrDeadlineExceeded].
	Train(ctx context.Context, trials []Trial, onProgress func(share float64)) ([]Artifact, error)
	// Words are how its results are told.
	Words() Words
}

// Computed is a [Task] that says what does its arithmetic in a precision: an engine, and the
// backend or the instruction set that it runs on, as trials say it that have a result.
type Computed interface {
	Arithmetic(p kge.Precision) (engine, backend string)
}

// Precise is a [Task] that can be trained in several precisions, and says what the asked one
// comes to for models of a form. One that says nothing is computed in float32.
type Precise interface {
	Precision(asked kge.Precision, f form.Form, dim int) (kge.Precision, error)
}

type stopKey struct{}

// StopAt lets a task stop trials early at a time, whatever they have reached: they are complete
// and have [Trial.StoppedEarly] set. Without it, trials in training are lost when ctx ends.
func StopAt(ctx context.Context, end time.Time) context.Context {
	return context.WithValue(ctx, stopKey{}, end)
}

// StopTime returns the time of [StopAt] and whether there is one.
func StopTime(ctx context.Context) (end time.Time, is bool) {
	end, is = ctx.Value(stopKey{}).(time.Time)
	return end, is
}

// ErrDeadlineExceeded reports that the time given to a task has ended before the trials have their
// results. The search ends then; a resumed search trains them.
var ErrDeadlineExceeded = deadline.ErrExceeded

// Identity is what a search is about, beside how structures are proposed and trained.
type Identity struct {
	// Task is the name of the task, as "completion".
	Task string `json:"task"`
	// Dataset is the name of the data, and Fingerprint identifies their contents.
	Dataset     string `json:"dataset"`
	Fingerprint string `json:"fingerprint"`
	// Source is what the task finds the data by again: a name or an absolute path; ""
	// for data that were made in memory.
	Source string `json:"-"`
	// Own is a JSON object of the settings that only this task has, nil where there are
	// none.
	Own json.RawMessage `json:"task_settings,omitempty"`
}

// Artifact is what a trial leaves to be kept, as a model.
type Artifact interface {
	// Files are those of its folder, by name. Among them is model.json, which describes
	// it.
	Files() (map[string][]byte, error)
}

// Files is an artifact as it was kept.
type Files map[string][]byte

// Files implements [Artifact].
func (f Files) Files() (map[string][]byte, error) { return f, nil }

// Save writes the folder of an artifact. After an error, as on a full disk, what the
// folder had stays as it was.
func Save(dir string, a Artifact) error { return modelfolder.Save(dir, a) }

// Shower is a [Task] that can show what an artifact of it has learnt.
type Shower interface {
	Examples(Artifact) (Examples, error)
}

// Examples are questions to an artifact.
type Examples struct {
	// Asked are questions with their answers, in words.
	Asked [][2]string
	// Note says what the answers are.
	Note string
}
