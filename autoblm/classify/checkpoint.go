package classify

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// Checkpoint holds the state of [Tune] and a following [Train], or of one of them, in a file. The
// work can then end early and resume later, also in another process, with the results of
// uninterrupted work. It holds the models of one member only.
type Checkpoint struct {
	path   string
	writer *checkpoint.Writer
	saved  savedWork   // content of the file that is not resumed yet
	tables [][]float32 // of saved.Current
	done   []savedPhase
	closed bool // no more writes
}

// savedWork is the JSON part of a checkpoint file. The tables are those of each active model of
// the current phase: parameters, Adam's means and Adam's squares.
type savedWork struct {
	Done    []savedPhase `json:"done"`
	Current *phaseState  `json:"current"`
}

// savedPhase holds the results of a phase: the cross-validation or the test of some members.
type savedPhase struct {
	ID      json.RawMessage `json:"phase"`
	Results []Result        `json:"results"`
}

// phaseState holds an unfinished phase.
type phaseState struct {
	savedPhase
	Epoch int `json:"epoch"` // last epoch that all models have completed
	// Active, Diverged and Steps have an entry for each model. After an interruption some models
	// may already have taken the step of the next epoch.
	Active   []bool `json:"active"`
	Diverged []bool `json:"diverged"`
	Steps    []int  `json:"steps"`
}

// OpenCheckpoint reads a checkpoint file, if it exists. The following work writes it at most once
// in the given time, and spends at most a twentieth of the time on that. Failures to write are
// passed to onError and do not end the work.
func OpenCheckpoint(path string, every time.Duration, onError func(error)) (*Checkpoint, error) {
	c := &Checkpoint{path: path, writer: checkpoint.NewWriter(path, every, onError)}
	var err error
	c.tables, err = checkpoint.Read(path, &c.saved)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, checkpoint.ReadError(path, err)
	}
	return c, nil
}

// begin restores the results of a phase. It returns the state of the phase, nil for a finished one,
// and the states of its active models in order, none for a new one.
func (c *Checkpoint) begin(
	id json.RawMessage, results []Result, models int, parameters []Parameter,
) (*phaseState, []State, error) {
	fresh := &phaseState{
		savedPhase: savedPhase{ID: id},
		Active:     slices.Repeat([]bool{true}, models), Diverged: make([]bool, models),
	}
	if !c.isOpen() {
		return fresh, nil, nil
	}
	var saved savedPhase
	var current *phaseState
	switch {
	case len(c.done) < len(c.saved.Done):
		saved = c.saved.Done[len(c.done)]
	case c.saved.Current != nil:
		current, c.saved.Current = c.saved.Current, nil
		saved = current.savedPhase
	default:
		return fresh, nil, nil
	}
	if err := checkpoint.Match(c.path, saved.ID, id); err != nil {
		return nil, nil, err
	}
	if len(saved.Results) != len(results) {
		return nil, nil, checkpoint.ReadError(c.path, checkpoint.ErrDamaged)
	}
	copy(results, saved.Results)
	for i := range results {
		if epoch := results[i].Diverged; epoch > 0 {
			results[i].diverged(epoch) // restores the error
		}
	}
	if current == nil {
		c.done = append(c.done, saved)
		return nil, nil, nil
	}
	states, err := current.states(models, c.tables, parameters)
	if err != nil {
		return nil, nil, checkpoint.ReadError(c.path, err)
	}
	return current, states, nil
}

// states returns the states of the active models from the tables of a file.
func (s *phaseState) states(
	models int, tables [][]float32, parameters []Parameter,
) ([]State, error) {
	if len(s.Active) != models || len(s.Diverged) != models || len(s.Steps) != models {
		return nil, checkpoint.ErrDamaged
	}
	n := len(parameters)
	if len(tables) != 3*n*countTrue(s.Active) {
		return nil, checkpoint.ErrDamaged
	}
	for i, table := range tables {
		if len(table) != parameters[i%n].Size() {
			return nil, checkpoint.ErrDamaged
		}
	}
	var all []State
	for i, active := range s.Active {
		if active {
			all = append(all, State{
				Steps: s.Steps[i], Tables: tables[:n], Means: tables[n : 2*n], Squares: tables[2*n : 3*n],
			})
			tables = tables[3*n:]
		}
	}
	return all, nil
}

// isOpen reports whether there is a checkpoint that is still written.
func (c *Checkpoint) isOpen() bool { return c != nil && !c.closed }

// end records a finished phase. It does not save trained models, because the work ends with them.
func (c *Checkpoint) end(id json.RawMessage, results []Result) {
	if c.isOpen() {
		c.done = append(c.done, savedPhase{id, slices.Clone(results)})
	}
}

// epochEnded writes the current phase if a write is due.
func (c *Checkpoint) epochEnded(s *phaseState, results []Result, p Population) error {
	if !c.isOpen() || !c.writer.IsDue() {
		return nil
	}
	return c.writer.Tolerate(c.write(s, results, p))
}

// close writes the phase that the deadline stops, nil between two phases, and ends all writing. So
// work that resumes without a deadline trains the rest.
func (c *Checkpoint) close(s *phaseState, results []Result, p Population) error {
	if !c.isOpen() {
		return nil
	}
	err := c.write(s, results, p)
	c.closed = true
	return c.writer.Tolerate(err)
}

// write writes the finished phases and the current one, if any.
func (c *Checkpoint) write(s *phaseState, results []Result, p Population) error {
	if !c.isOpen() {
		return nil
	}
	if s == nil {
		return c.writer.Write(savedWork{Done: c.done}, nil)
	}
	s.Results, s.Steps = results, make([]int, len(s.Active))
	var tables [][]float32
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
	return c.writer.Write(savedWork{Done: c.done, Current: s}, checkpoint.TablesOf(tables))
}
