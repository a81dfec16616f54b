package study

import (
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// About is what a study is about; only the same search may go on with it. The
// budget and the source are not part of that: the study keeps those of its last run.
type About struct {
	task.Identity
	Algorithm string          `json:"algorithm"`
	Settings  search.Settings `json:"settings"`

	anyPrecision bool // lets a study be gone on with in the precision that it has
}

// Describe is what a search is about.
func Describe(t task.Task, strategy search.Strategy, settings search.Settings) (About, error) {
	identity, err := t.Identity()
	return About{Identity: identity, Algorithm: strategy.Name(), Settings: settings}, err
}
