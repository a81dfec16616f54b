package classify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Checkpoint keeps what [Tune] and then [Train] do, or one of them, in a file, so that it
// can end early and go on later, in another process too, with the results of one that was
// left alone. Of models it keeps those of one member.
type Checkpoint struct {
	file    string
	every   time.Duration
	onError func(error)
	written time.Time     // when the file was
	writing time.Duration // how long that took

	before keptWork // what there is to go on with
	tables [][]float32
	done   []keptPhase
	closed bool // since the time is up
}

// keptWork is what a file has, beside the tables of the models that were in training: of
// each that was active the parameters, and their means and squares.
type keptWork struct {
	Done []keptPhase `json:"done"`
	Now  *standing   `json:"now"`
}

// keptPhase is a part of the work: members cross-validated, or tested.
type keptPhase struct {
	About   json.RawMessage `json:"about"`
	Results []keptResult    `json:"results"`
}

// standing is where a phase stands.
type standing struct {
	keptPhase
	Epoch int `json:"epoch"` // the last that all models have seen
	// Active, Finite and Steps are of each model. One that was interrupted in the next
	// epoch may have its step behind it.
	Active []bool `json:"active"`
	Finite []bool `json:"finite"`
	Steps  []int  `json:"steps"`
}

// keptResult is a result without its model.
type keptResult struct {
	CVAccuracy     float64      `json:"cv_accuracy"`
	CVLoss         float64      `json:"cv_loss"`
	Epochs         int          `json:"epochs"`
	Curve          []Validation `json:"curve"`
	TestAccuracies []float64    `json:"test_accuracies"`
	Diverged       int          `json:"diverged,omitempty"` // in this epoch
}

// OpenCheckpoint reads what the file has, if there is one, and keeps it from then on: at
// most every so often, and where it would take no more than a twentieth of the time. That
// it cannot be written on the way is told, and no error.
func OpenCheckpoint(file string, every time.Duration, onError func(error)) (*Checkpoint, error) {
	c := &Checkpoint{file: file, every: every, onError: onError, written: time.Now()}
	var err error
	if c.tables, err = checkpoint.Read(file, &c.before); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot go on with the checkpoint %s: %w", file, err)
	}
	return c, nil
}

// phaseOf is a phase before it begins. Without a checkpoint nobody asks.
func (c *Checkpoint) phaseOf(w *work, what string, results []Result) (keptPhase, error) {
	if c == nil {
		return keptPhase{}, nil
	}
	var members []Member
	for _, r := range results {
		members = append(members, r.Member)
	}
	about, err := json.Marshal(map[string]any{
		"data": w.graph.Fingerprint(), "settings": w.settings, "members": members, "phase": what, "models": w.options.KeepModels,
	})
	return keptPhase{About: about}, err
}

// goOn brings results to where the checkpoint has a phase of so many models. Where that is
// not over, it says where that stands, with the states of the active models in order; none
// at its beginning.
func (c *Checkpoint) goOn(p keptPhase, results []Result, models int, parameters []Parameter) (over bool, at *standing, states []State, err error) {
	fresh := &standing{keptPhase: p, Active: slices.Repeat([]bool{true}, models), Finite: slices.Repeat([]bool{true}, models)}
	if c == nil || c.closed {
		return false, fresh, nil, nil
	}
	number := len(c.done)
	kept := p
	switch {
	case number < len(c.before.Done):
		kept, over = c.before.Done[number], true
	case c.before.Now != nil:
		kept, at, c.before.Now = c.before.Now.keptPhase, c.before.Now, nil
	default:
		return false, fresh, nil, nil
	}
	differ, err := settings.Difference(kept.About, p.About)
	if err == nil && differ != "" {
		err = fmt.Errorf("it is of another training, with %s: remove it to begin anew", differ)
	}
	if err == nil && len(kept.Results) != len(results) {
		err = checkpoint.ErrDamaged
	}
	if err == nil && at != nil {
		states, err = at.states(models, c.tables, parameters)
	}
	if err != nil {
		return false, nil, nil, fmt.Errorf("cannot go on with the checkpoint %s: %w", c.file, err)
	}
	for i, r := range kept.Results {
		results[i] = r.result(results[i].Member)
	}
	if over {
		c.done = append(c.done, kept)
	}
	return over, at, states, nil
}

// states are those of the active models.
func (s *standing) states(models int, tables [][]float32, parameters []Parameter) (all []State, err error) {
	if len(s.Active) != models || len(s.Finite) != models || len(s.Steps) != models {
		return nil, checkpoint.ErrDamaged
	}
	next := func() (some [][]float32) {
		if len(tables) < len(parameters) {
			err = checkpoint.ErrDamaged
			return nil
		}
		some, tables = tables[:len(parameters)], tables[len(parameters):]
		for i, p := range parameters {
			if len(some[i]) != p.Size() {
				err = checkpoint.ErrDamaged
			}
		}
		return some
	}
	for i, active := range s.Active {
		if active {
			all = append(all, State{Steps: s.Steps[i], Tables: next(), Means: next(), Squares: next()})
		}
	}
	if len(tables) > 0 {
		err = checkpoint.ErrDamaged
	}
	return all, err
}

// over notes that a phase is. A model is not kept: it is the end of the work.
func (c *Checkpoint) over(p keptPhase, results []Result) {
	if c != nil && !c.closed {
		p.Results = keptResults(results)
		c.done = append(c.done, p)
	}
}

// cut keeps a phase as it stands where the time is up, for what goes on with it: nothing is
// written from then on.
func (c *Checkpoint) cut(s standing, results []Result, p Population) error {
	return c.close(func() error { return c.write(s, results, p) })
}

// closeBetween does so between two phases.
func (c *Checkpoint) closeBetween() error {
	return c.close(func() error { return checkpoint.Write(c.file, keptWork{Done: c.done}, nil) })
}

func (c *Checkpoint) close(write func() error) error {
	if c == nil || c.closed {
		return nil
	}
	err := write()
	c.closed = true
	if err != nil && c.onError != nil {
		c.onError(err)
		return nil
	}
	return err
}

// epochOver writes the file when it is time to.
func (c *Checkpoint) epochOver(s standing, results []Result, p Population) {
	if c == nil || c.closed || time.Since(c.written) < max(c.every, 19*c.writing) {
		return
	}
	if err := c.write(s, results, p); err != nil {
		c.onError(err)
		c.written = time.Now()
	}
}

// write keeps a phase as it stands.
func (c *Checkpoint) write(s standing, results []Result, p Population) error {
	if c == nil || c.closed {
		return nil
	}
	began := time.Now()
	s.Results = keptResults(results)
	var tables [][]float32
	s.Steps = make([]int, len(s.Active))
	for i, active := range s.Active {
		if !active {
			continue
		}
		state, err := p.State(i)
		if err != nil {
			return err
		}
		s.Steps[i] = state.Steps
		tables = slices.Concat(tables, state.Tables, state.Means, state.Squares)
	}
	if err := checkpoint.Write(c.file, keptWork{Done: c.done, Now: &s}, tables); err != nil {
		return fmt.Errorf("cannot write the checkpoint %s: %w", c.file, err)
	}
	c.written, c.writing = time.Now(), time.Since(began)
	return nil
}

func keptResults(results []Result) (all []keptResult) {
	for _, r := range results {
		k := keptResult{r.CVAccuracy, r.CVLoss, r.Epochs, r.Curve, r.TestAccuracies, 0}
		if d := new(divergence); errors.As(r.Err, d) {
			k.Diverged = d.epoch
		}
		all = append(all, k)
	}
	return all
}

func (k keptResult) result(m Member) Result {
	r := Result{Member: m, CVAccuracy: k.CVAccuracy, CVLoss: k.CVLoss, Epochs: k.Epochs, Curve: k.Curve, TestAccuracies: k.TestAccuracies}
	if k.Diverged > 0 {
		r.Err = divergence{k.Diverged, m.LearningRate}
	}
	return r
}
