package study

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Status is the main word of a [State].
type Status string

const (
	// Running studies are in use by a process that searches.
	Running Status = "running"
	// Finished studies did all that their last run asked for.
	Finished Status = "finished"
	// Interrupted studies ended before that; they can be resumed.
	Interrupted Status = "interrupted"
	// Unreadable files are damaged or have another format.
	Unreadable Status = "unreadable"
)

// State is the state of a study, in the words of every command and page.
type State struct {
	Status Status `json:"state"`
	// Note says why, if there is more to say than the status.
	Note string `json:"note,omitempty"`
}

func (s State) String() string {
	if s.Note == "" {
		return string(s.Status)
	}
	return string(s.Status) + ", " + s.Note
}

// State returns the state of the study.
func (c *Contents) State() State {
	if c.InUse != nil {
		return State{Running, "in use by " + c.InUse.holder()}
	}
	switch c.stopped() {
	case search.BudgetSpent:
		return State{Finished, ""}
	case search.TimeLimitReached:
		return State{Finished, "time limit reached"}
	case search.SpaceExhausted:
		return State{Finished, "no new structures"}
	case search.CannotSelect:
		return State{Finished, "the validation data cannot select models"}
	}
	return State{Interrupted, ""}
}

// StateOf returns the state of a study whose contents could not be read.
func StateOf(err error) State {
	if locked, ok := errors.AsType[*InUseError](err); ok {
		return State{Running, "in use by " + locked.holder()}
	}
	return State{Unreadable, format.OneLine(err)}
}

// stopped returns the reason why the search ended, "" while it runs or if it was killed.
func (c *Contents) stopped() search.Stop {
	switch {
	case c.InUse != nil:
		return ""
	case c.Plan == nil:
		return c.About.Stopped
	case c.Plan.Ended:
		return c.Plan.Stopped
	}
	return search.Interrupted
}

// Amount says how many structures or recipes a search has trained of its budget.
func Amount(r *search.Result) string {
	what := r.Settings.TrialName()
	noneWillCome := r.Plan != nil && r.Plan.NoSearch || r.Stopped != "" && r.Stopped != search.Interrupted
	switch budget := r.Settings.Budget; {
	case r.Stopped == search.CannotSelect:
		return "no search"
	case r.Trained == 0 && noneWillCome && r.Settings.Model == form.Bilinear &&
		len(r.Baselines)+len(r.Retrained) > 0:
		return "baselines only"
	case r.Trained < budget:
		return fmt.Sprintf("%d of %s", r.Trained, format.Count(budget, what))
	}
	return format.Count(r.Trained, what)
}
