package study

import (
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// About identifies a search by its data and its resolved settings. Only the same search may
// resume a study. The source, the budget and the command line may differ: the study stores those
// of its last run.
type About struct {
	task.Identity
	Algorithm string          `json:"algorithm"`
	Settings  search.Settings `json:"settings"`
	// Command holds the arguments of the search as given on the command line, nil for a search
	// that a program runs. A resumed study keeps its command unless there is a new one.
	Command []string `json:"-"`
}

// Describe returns the identity of a search.
func Describe(t task.Task, strategy strategy.Strategy, settings search.Settings) (About, error) {
	identity, err := t.Identity()
	return About{Identity: identity, Algorithm: strategy.Name(), Settings: settings}, err
}

// Description holds the contents of the model.json of a stored model.
type Description struct {
	Form      form.Form            `json:"form,omitzero"` // omitted for bilinear models
	Dataset   string               `json:"dataset"`
	Structure *structure.Structure `json:"structure"` // nil for an ensemble
	Dim       int                  `json:"dim"`       // 0 for an ensemble
	Training  json.RawMessage      `json:"training"`
	Valid     json.RawMessage      `json:"valid"`
	Test      json.RawMessage      `json:"test"`
	Members   []string             `json:"members,omitempty"` // of an ensemble
}

// DescriptionOf reads the model.json of an artifact.
func DescriptionOf(a task.Artifact) (d Description, err error) {
	files, err := a.Files()
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(files["model.json"], &d); err != nil {
		return d, fmt.Errorf("read the description of the model: %w", err)
	}
	return d, nil
}
