package kge

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// maxKept is the size in bytes up to which [Checkpoint.Keep] keeps the state of a training.
const maxKept = 1 << 30

// Continuation compares a job with the kept checkpoint of a finished training.
type Continuation struct {
	// Epochs is the number of epochs in the checkpoint, and Of the number that was asked for.
	Epochs, Of int
	// Stopped is true if all members ended early, so that more epochs change nothing.
	Stopped bool
	// Differences lists the settings that differ, without the number of epochs; "" for none.
	Differences string
}

// Continues compares a job with a kept checkpoint.
func (j Job) Continues(file string) (c Continuation, err error) {
	var saved savedRun
	if err := checkpoint.ReadDescription(file, &saved); err != nil {
		return c, err
	}
	was, err := SavedSettings(file)
	if err != nil {
		return c, err
	}
	if j.Settings.Precision == AutoPrecision {
		j.Settings.Precision = was.Precision
	}
	id, err := j.id()
	if err != nil {
		return c, err
	}
	there, err := withEpochs(saved.ID, j.Settings)
	if err != nil {
		return c, err
	}
	c.Epochs, c.Of, c.Stopped = saved.Epochs, was.Epochs, saved.isStopped()
	var before, now trainingID
	if err := cmp.Or(json.Unmarshal(there, &before), json.Unmarshal(id, &now)); err != nil {
		return c, err
	}
	switch {
	case before.Data != now.Data:
		c.Differences = "it had other data"
	case before.Start != now.Start:
		c.Differences = "it began with other embeddings"
	default:
		c.Differences, err = settings.Difference(there, id)
		if len(j.Members) == 1 { // whose number says nothing
			c.Differences = strings.ReplaceAll(c.Differences, "members 1 ", "")
		}
	}
	return c, err
}

// IsFinished reports whether a checkpoint has the end of a training.
func IsFinished(file string) (bool, error) {
	var saved savedRun
	if err := checkpoint.ReadDescription(file, &saved); err != nil {
		return false, err
	}
	s, err := SavedSettings(file)
	return err == nil && saved.isComplete(s), err
}

// ChangesPast reports whether the first epochs of a longer training differ from those of the
// checkpoint, because the learning rate or the last validation depends on the number of epochs.
func (j Job) ChangesPast(c Continuation) bool {
	before := j.Settings
	before.Epochs = c.Of
	if every := before.ValidateEvery; every > 0 && c.Of%every != 0 {
		return true // a longer training has no validation there, which counts for patience
	}
	for epoch := range c.Epochs {
		if before.cooldownAt(epoch+1) != j.Settings.cooldownAt(epoch+1) {
			return true
		}
	}
	return false
}

// withEpochs returns a trainingID, in JSON, with the number of epochs of s.
func withEpochs(id json.RawMessage, s Settings) (json.RawMessage, error) {
	var fields, saved map[string]json.RawMessage
	if err := json.Unmarshal(id, &fields); err != nil {
		return nil, checkpoint.ErrDamaged
	}
	if err := json.Unmarshal(fields["settings"], &saved); err != nil || saved == nil {
		return nil, checkpoint.ErrDamaged
	}
	var err error
	if saved["epochs"], err = json.Marshal(s.Epochs); err != nil {
		return nil, err
	}
	if fields["settings"], err = json.Marshal(saved); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}
