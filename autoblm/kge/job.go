package kge

import (
	"encoding/json"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// Job describes a training for [Train].
type Job struct {
	Data     *Data
	Settings Settings
	Members  []Member
	// ValidateBy is the number of held-out questions to validate on, an [eval.Sample]; 0 means
	// [Settings.ValidateSample]. A resumed training keeps its original value.
	ValidateBy int
	// Start has embeddings to begin with; nil begins at random.
	Start *Start
	// OnEpoch, if set, is called after each epoch.
	OnEpoch func(Progress)
	// OnRow, if set, is called after each epoch of the first member and its validation, if due.
	OnRow func(Row)
	// OnStep, if set, is called within epochs, a few times a second from any goroutine.
	OnStep func(Progress)
	// Checkpoint, if set, lets the training end early and resume later.
	Checkpoint *Checkpoint
	// Deadline, if set, stops the training in time, also within an epoch. Train then returns
	// the results so far without an error. If validation would take much of the time, a smaller
	// sample than ValidateBy is used.
	Deadline *Deadline
}

// Deadline stops a training early enough for the ranking after it.
type Deadline struct {
	// Began is the start of the work, and End the time at which all of it must be done.
	Began, End time.Time
	// Ranked is the number of questions that each member ranks after the training. They take as
	// long as held-out questions.
	Ranked int
	// Epochs, if not 0, lets a training with a cooldown choose its number of epochs, at most this
	// one. It follows the pace until the learning rate falls. The checkpoint has the chosen number.
	Epochs int
}

// Checkpoint lets a training end early and resume later, also in another process. The results
// are the same as without interruption, apart from the loss of an interrupted epoch, see [Result.Loss].
type Checkpoint struct {
	// File holds the training after an epoch. [Train] resumes from it and rewrites it atomically
	// from time to time and when it ends early. Its folder must exist. The previous file stays
	// next to it and replaces a damaged one.
	File string
	// Continue, if not "", is the kept file of a training that differs in its number of epochs only.
	// The training begins with its epochs, unless File exists; see [Job.Continues].
	Continue string
	// Keep also writes the file after the last epoch, unless it takes more than 1 GiB. Otherwise
	// that is written only if the last write is long ago.
	Keep bool
	// Every is the minimum time between two writes, and so the work that a kill may lose. It
	// grows if writing would take more than a twentieth of the time.
	Every time.Duration
	// Until, if set, ends the training before an epoch that would probably end later.
	Until time.Time
	// AnyEngine also resumes a training of another engine or instruction set, which rounds
	// differently. Without it that is [ErrOtherEngine].
	AnyEngine bool
	// OnError, if set, receives failures to write the file during training, as on a full disk;
	// the training goes on and tries again. Without it they end the training.
	OnError func(error)
}

// Resolve checks the settings and members, and returns the settings with the precision, and the
// number of epochs, with which an engine starts or resumes the training.
func (j Job) Resolve(e Engine) (Settings, error) {
	s := j.Settings
	if err := validatePopulation(s, j.Members); err != nil {
		return s, err
	}
	if c := j.Checkpoint; c != nil {
		for _, file := range []string{c.Continue, c.File} {
			saved, err := SavedSettings(file)
			if err != nil {
				continue
			}
			if j.Settings.RequestedPrecision(j.Data.BothDirections) == AutoPrecision {
				s.Precision = saved.Precision
			}
			if file == c.File && j.Deadline != nil && j.Deadline.Epochs > 0 {
				s.Epochs = saved.Epochs
			}
		}
	}
	var err error
	s.Precision, err = s.ResolvePrecision(e, j.Members[0].Form, len(j.Data.Entities),
		j.Data.BothDirections)
	return s, err
}

// SavedSettings returns the settings of the training in a checkpoint.
func SavedSettings(file string) (Settings, error) {
	var saved struct {
		ID struct{ Settings Settings } `json:"training"`
	}
	err := checkpoint.ReadDescription(file, &saved)
	return saved.ID.Settings, err
}

// Name returns a short file name for a job on an engine. It depends on everything that determines
// the results: data, settings, members, engine and instruction set. It does not depend on the
// precision, so that a training resumes in the precision in which it began.
func (j Job) Name(engine Engine) (string, error) {
	j.Settings.Precision = Float32
	id, err := j.id()
	if err != nil {
		return "", err
	}
	return checkpoint.Name(id, engine.Name(), engine.Backend(Float32)), nil
}

// trainingID identifies the training of a checkpoint.
type trainingID struct {
	Data         string   `json:"data"` // fingerprint
	TaskSettings any      `json:"task_settings,omitempty"`
	Settings     Settings `json:"settings"`
	Members      []Member `json:"members"`
	Start        string   `json:"start,omitempty"` // digest
}

// id returns the trainingID as JSON.
func (j Job) id() ([]byte, error) {
	id := trainingID{j.Data.Fingerprint(), j.Data.TaskSettings, j.Settings, j.Members, ""}
	if j.Start != nil {
		id.Start = j.Start.digest
	}
	return json.Marshal(id)
}
