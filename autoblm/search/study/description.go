package study

import (
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Description is what the model.json of what a trial has left says.
type Description struct {
	Form      form.Form            `json:"form,omitzero"` // left out where it is bilinear
	Dataset   string               `json:"dataset"`
	Structure *structure.Structure `json:"structure"`
	Dim       int                  `json:"dim"`
	Training  json.RawMessage      `json:"training"`
	Valid     json.RawMessage      `json:"valid"`
	Test      json.RawMessage      `json:"test"`
	// Members are those of an ensemble, which has no structure and no dim.
	Members []string `json:"members,omitempty"`
}

// DescriptionOf reads it.
func DescriptionOf(a task.Artifact) (d Description, err error) {
	files, err := a.Files()
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(files["model.json"], &d); err != nil {
		return d, fmt.Errorf("the description of the best model cannot be read: %w", err)
	}
	return d, nil
}
