package task

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/deadline"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Task trains and scores structures on some data. A task embeds [Base] and overrides what it
// supports in addition to the first four methods.
type Task interface {
	// Identity returns what a study must agree with to be resumed.
	Identity() (Identity, error)
	// Check returns an error if the data or the settings allow no search.
	Check() error
	// Train trains the trials, all of which have the same Recipe.Training, and sets their
	// results: State, Error, Score, TestScore, Details, Loss, Validations, Engine, Backend, and
	// Seconds if the training takes longer than this call. It returns the artifact of each
	// trial, nil for a trial without one, or nil if there are none. It calls onProgress with
	// the finished share, from 0 to 1, one call at a time, from any goroutine. The result of a
	// trial depends only on the data, its structure and its recipe. An error, such as the end
	// of ctx or [ErrDeadlineExceeded], stops the search.
	Train(ctx context.Context, trials []Trial, onProgress func(share float64)) ([]Artifact, error)
	// Presentation describes the results to readers.
	Presentation() Presentation

	// Arithmetic returns the engine that computes in a precision, and the backend or
	// instruction set that it runs on, as trials record them. They are empty if unknown.
	Arithmetic(p kge.Precision) (engine, backend string)
	// Precision resolves the precision of settings for models of a form.
	Precision(s kge.Settings, f form.Form) (kge.Precision, error)
	// Size returns how much there is to train and to rank, zero if unknown.
	Size() Size
	// Limit returns the same task with limits on the ranking, or nil if it has none.
	Limit(l eval.Limits) Task
	// Supports returns the optional stages that the task can run.
	Supports() Capabilities
	// Resplit returns the task on another split of the training and validation data, without
	// test data. The number determines the split.
	Resplit(number int) Task
	// Ensemble selects an ensemble of at most size members from the candidates; read returns
	// the artifact of one. The selection depends only on the data, the candidates and the
	// size. An error, such as the end of ctx, stops the search.
	Ensemble(
		ctx context.Context, candidates, size int, read func(candidate int) (Artifact, error),
	) (*Ensemble, error)
	// Default returns a trial of the model of a form that a training without a search gives. It
	// returns false if the task has no default model.
	Default(f form.Form) (Trial, bool)
	// FitTime returns the settings for a trial whose training has some seconds, from the measured
	// pace of a few steps, or the settings of the trial.
	FitTime(ctx context.Context, t Trial, seconds float64, fit kge.Fit) (kge.Settings, error)
	// CannotSelect returns why the validation data cannot select between models, "" if they can.
	CannotSelect() string
	// Examples returns a few predictions of an artifact.
	Examples(Artifact) (Examples, error)
	// Measure computes the statistics of a study that need the data; nil if there are none.
	Measure(ctx context.Context, b Best) (*Measures, error)
}

// Capabilities says which optional stages a task can run, and which seeds it uses.
type Capabilities struct {
	// Ensembles is true if [Task.Ensemble] selects ensembles.
	Ensembles bool
	// Resplits is true if [Task.Resplit] can divide the data in other ways.
	Resplits bool
	// Forms is true if the task also trains models of other forms than bilinear in a search for
	// structures.
	Forms bool
	// Seeds is the number of consecutive seeds that a trial uses, from that of its recipe on; 0 means
	// one. Trials of other seeds share none of them.
	Seeds int
}

// Base implements the optional methods of [Task] for a task that supports none of them: it
// computes in float32 and has no size, limits, splits, ensembles, examples or measures.
type Base struct{}

// Arithmetic returns an unknown engine and backend.
func (Base) Arithmetic(kge.Precision) (engine, backend string) { return "", "" }

// Precision returns float32, and an error if bfloat16 is requested.
func (Base) Precision(s kge.Settings, _ form.Form) (kge.Precision, error) {
	if s.Precision == kge.Bfloat16 {
		return s.Precision, errors.New("the task computes in float32 only: " +
			"set precision to float32 or auto")
	}
	return kge.Float32, nil
}

// Size returns the zero size.
func (Base) Size() Size { return Size{} }

// Limit returns nil.
func (Base) Limit(eval.Limits) Task { return nil }

// Supports returns no capabilities.
func (Base) Supports() Capabilities { return Capabilities{} }

// Resplit returns nil.
func (Base) Resplit(int) Task { return nil }

// Ensemble returns an error.
func (Base) Ensemble(context.Context, int, int, func(int) (Artifact, error)) (*Ensemble, error) {
	return nil, errors.New("the task does not support ensembles")
}

// Default returns false.
func (Base) Default(form.Form) (t Trial, found bool) { return t, false }

// FitTime returns the settings of the trial.
func (Base) FitTime(_ context.Context, t Trial, _ float64, _ kge.Fit) (kge.Settings, error) {
	return t.Recipe.Training, nil
}

// CannotSelect returns "".
func (Base) CannotSelect() string { return "" }

// Examples returns no examples.
func (Base) Examples(Artifact) (Examples, error) { return Examples{}, nil }

// Measure returns no measures.
func (Base) Measure(context.Context, Best) (*Measures, error) { return nil, nil }

type stopTimeKey struct{}

// StopAt returns a context in which a task stops training at a time. The trials that it
// stops are complete and have [Trial.StoppedEarly] set. Without a stop time, the end of ctx
// discards unfinished trials.
func StopAt(ctx context.Context, stop time.Time) context.Context {
	return context.WithValue(ctx, stopTimeKey{}, stop)
}

// StopTime returns the stop time of a context, if it has one.
func StopTime(ctx context.Context) (stop time.Time, ok bool) {
	stop, ok = ctx.Value(stopTimeKey{}).(time.Time)
	return stop, ok
}

type measuringKey struct{}

// Measuring returns a context in which trials train to be timed: on this machine, and anew each time.
func Measuring(ctx context.Context) context.Context {
	return context.WithValue(ctx, measuringKey{}, true)
}

// IsMeasuring reports whether a context is from [Measuring].
func IsMeasuring(ctx context.Context) bool { return ctx.Value(measuringKey{}) != nil }

// ErrDeadlineExceeded means that the time limit ended before the trials had results. The search
// stops; a resumed search trains them.
var ErrDeadlineExceeded = deadline.ErrExceeded

// ErrNoEngine means that a task has no engine.
var ErrNoEngine = errors.New("there is no engine to train on: set Engine, such as cpu.New(0)")

// Identity identifies what a search optimizes, apart from its search settings.
type Identity struct {
	// Task is the name of the task, such as "completion".
	Task string `json:"task"`
	// Dataset is the name of the data, and Fingerprint identifies their contents.
	Dataset     string `json:"dataset"`
	Fingerprint string `json:"fingerprint"`
	// Source is the name or the absolute path from which the task opens the data; "" for data
	// in memory.
	Source string `json:"-"`
	// TaskSettings is a JSON object of the settings that only this task has; nil for none.
	TaskSettings json.RawMessage `json:"task_settings,omitempty"`
}

// Size is the amount of work that the data cause.
type Size struct {
	// Examples is the number of training examples per epoch.
	Examples int
	// Entities is the number of entities with embeddings, which are the candidates of a ranking.
	Entities int
	// Validation and Test are the numbers of evaluation examples: a triple counts once, although
	// head and tail are ranked, and a node counts once per cross-validation fold that holds it
	// out.
	Validation, Test int
}

// Artifact is the product of a trial, such as a model.
type Artifact interface {
	// Files returns the contents of its folder by file name. One of them is model.json, which
	// describes the artifact.
	Files() (map[string][]byte, error)
}

// Files is a stored artifact.
type Files map[string][]byte

// Files implements [Artifact].
func (f Files) Files() (map[string][]byte, error) { return f, nil }

// Save writes the folder of an artifact. After an error, such as a full disk, the previous
// contents of the folder remain.
func Save(dir string, a Artifact) error { return modelfolder.Save(dir, a) }

// Ensemble is the result of selecting an ensemble from candidates.
type Ensemble struct {
	// Members are the selected candidates in the order of selection. There is one member if no
	// ensemble is better than the best candidate.
	Members []int
	// Artifact is the ensemble, nil if it has one member.
	Artifact Artifact
	// Score is the score of the ensemble, and BestCandidate that of the best candidate, on data
	// that were not used for the selection.
	Score, BestCandidate float64
	// TestScore and Details are as in [Trial]; nil if there is one member.
	TestScore *float64
	Details   json.RawMessage
}

// Selection holds the trial numbers of the candidates of an ensemble, and of its members in the
// order of selection.
type Selection struct {
	Candidates []int `json:"candidates"`
	Members    []int `json:"members"`
}
