package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

const (
	// version is the version of all messages. Other versions are refused.
	version = 1
	// maxMessage is the largest size of a message in bytes.
	maxMessage = 1 << 20
)

// Data identifies the task and the data of a search.
type Data struct {
	// Task, Dataset, Fingerprint and TaskSettings are as in [task.Identity].
	Task         string          `json:"task"`
	Dataset      string          `json:"dataset"`
	Fingerprint  string          `json:"fingerprint"`
	TaskSettings json.RawMessage `json:"task_settings,omitempty"`
	// Name is the name of the file or folder in the archive that the coordinator sends, or the name of
	// data that all workers have if IsEmbedded is true.
	Name       string `json:"name"`
	IsEmbedded bool   `json:"embedded,omitempty"`
	// Source is the absolute path of the data at the coordinator, for model.json, or the name of data
	// that all workers have.
	Source string `json:"source,omitempty"`
}

// work is a trial to train. Its result depends only on its content.
type work struct {
	Version int `json:"version"`
	// Program is the version of the program, on which results may depend.
	Program string `json:"program"`
	Data
	// Arithmetic is the arithmetic that must train the trial, "" for any.
	Arithmetic string              `json:"arithmetic,omitempty"`
	Split      int                 `json:"split,omitempty"`
	Limits     eval.Limits         `json:"limits"`
	Form       form.Form           `json:"form,omitzero"`
	Structure  structure.Structure `json:"structure,omitzero"`
	Recipe     task.Recipe         `json:"recipe"`
}

// key identifies the content of a trial, wherever its data are.
func (w work) key() (string, error) {
	w.Source = ""
	content, err := json.Marshal(w)
	if err != nil {
		return "", fmt.Errorf("encode a trial: %w", err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16]), nil
}

// trial returns the trial for the task of a worker.
func (w work) trial() task.Trial {
	return task.Trial{
		Number: 1, Stage: task.Searching, State: task.Running, Split: w.Split,
		Form: w.Form, Structure: w.Structure, Recipe: w.Recipe,
	}
}

// result is the result of a trial.
type result struct {
	Version int `json:"version"`
	// Worker is the name of the worker that trained the trial.
	Worker string `json:"worker"`
	// Trial has the fields that the training sets.
	Trial task.Trial `json:"trial"`
	// HasArtifact is true if the worker keeps a model, which the process with the address Models sends.
	HasArtifact bool   `json:"has_artifact,omitempty"`
	Models      string `json:"models,omitempty"`
	// Lost is true if no worker could train the trial. Cause is the last worker and its error, ""
	// if the workers disappeared.
	Lost  bool   `json:"lost,omitempty"`
	Cause string `json:"cause,omitempty"`
}

// apply sets the results of a trial.
func (r result) apply(t *task.Trial) {
	from := r.Trial
	t.State, t.Error, t.Score, t.TestScore = from.State, from.Error, from.Score, from.TestScore
	t.Details, t.Loss, t.Validations = from.Details, from.Loss, from.Validations
	t.Seconds, t.Engine, t.Backend = from.Seconds, from.Engine, from.Backend
	t.StoppedEarly = from.StoppedEarly
}

// encode returns the JSON of a message.
func encode(m any) ([]byte, error) {
	content, err := json.Marshal(m)
	if err == nil && len(content) > maxMessage {
		err = fmt.Errorf("message of %d bytes, want at most %d", len(content), maxMessage)
	}
	return content, err
}

// errVersion means that another version of the program wrote a message.
var errVersion = errors.New("another version of autoblm wrote it: use the same version everywhere")

// decode reads a message. Unknown fields are errors, because a worker that ignored a setting would
// return a wrong result.
func decode[T work | result](content []byte) (m T, err error) {
	if len(content) > maxMessage {
		return m, fmt.Errorf("message of %d bytes, want at most %d", len(content), maxMessage)
	}
	var header struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(content, &header); err != nil {
		return m, fmt.Errorf("decode a message: %w", err)
	}
	if header.Version != version {
		return m, fmt.Errorf("message of version %d, want %d: %w", header.Version, version, errVersion)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return m, fmt.Errorf("decode a message: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return m, errors.New("decode a message: there is more than one value")
	}
	return m, nil
}
