package kge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// Tests change these.
var (
	// maxCopied is the size in bytes up to which a run is copied in memory after an epoch, to be
	// written if the run is interrupted. The epochs of a larger run take long: it is written to
	// its file only.
	maxCopied = 256.0 * (1 << 20)
	// cheapCopy is the duration up to which a copy is made after each epoch. Slower copies are
	// made less often: on a GPU a copy may take a third of the time of an epoch.
	cheapCopy = 20 * time.Millisecond
)

// checkpointer writes checkpoints of a run. Without a Checkpoint it does nothing.
type checkpointer struct {
	*Checkpoint
	id      []byte // JSON of the trainingID
	engine  string
	isLarge bool // too large to keep a snapshot in memory, or in files
	// choosesEpochs is true if the training chooses its number of epochs, see [Deadline].
	choosesEpochs bool
	last          *snapshot // of the last copied epoch
	copies        checkpoint.Pace
	writer        *checkpoint.Writer
	epochs        int           // number of epochs in the file
	longest       time.Duration // longest epoch so far, with its validation
}

// snapshot holds a run after an epoch, as in a checkpoint file.
type snapshot struct {
	savedRun
	tables []checkpoint.Table
}

// savedRun is the JSON part of a checkpoint file.
type savedRun struct {
	ID      json.RawMessage `json:"training"`
	Engine  string          `json:"engine"`          // with its backend in the precision
	Epochs  int             `json:"epochs"`          // complete epochs
	Begun   int             `json:"begun,omitempty"` // steps of the next epoch, included in Steps
	Steps   int             `json:"steps"`
	Timing  Timing          `json:"timing"`
	Members []savedMember   `json:"members"`
	// ValidateBy overrides the job's value: scores on different samples are not comparable.
	ValidateBy int `json:"validate_by,omitempty"`
}

type savedMember struct {
	memberState
	// Slots is the number of optimizer slots, whose tables follow the embeddings. HasBest adds
	// the tables of the best epoch.
	Slots   int  `json:"slots"`
	HasBest bool `json:"has_best"`
}

// isComplete reports whether nothing of a run with some settings is left to train.
func (s savedRun) isComplete(settings Settings) bool {
	return s.Epochs >= settings.Epochs || s.isStopped()
}

// isStopped reports whether all members ended early.
func (s savedRun) isStopped() bool {
	return !slices.ContainsFunc(s.Members, func(m savedMember) bool { return !m.Stopped })
}

func newCheckpointer(j Job, e Engine) (*checkpointer, error) {
	c := &checkpointer{
		Checkpoint: j.Checkpoint,
		engine:     e.Name() + " " + e.Backend(j.Settings.Precision),
	}
	if c.Checkpoint == nil {
		return c, nil
	}
	c.writer = checkpoint.NewWriter(c.File, c.Every, c.OnError)
	c.choosesEpochs = j.Deadline != nil && j.Deadline.Epochs > 0
	c.isLarge = stateBytes(j.Data, j.Settings, j.Members) > maxCopied || tablesOf(e) != nil
	return c, c.identify(j)
}

// identify sets the training of the next checkpoints.
func (c *checkpointer) identify(j Job) (err error) {
	if c.Checkpoint != nil {
		c.id, err = j.id()
	}
	return err
}

// isOutOfTime reports whether another epoch would probably end after Until.
func (c *checkpointer) isOutOfTime() bool {
	if c.Checkpoint == nil || c.Until.IsZero() {
		return false
	}
	return time.Now().Add(c.longest + c.longest/10 + c.writer.Took()).After(c.Until)
}

// epochEnded takes a snapshot after an epoch if one is due, and writes it if a write is due. began
// is the start of the epoch.
func (c *checkpointer) epochEnded(r *run, began time.Time) error {
	c.longest = max(c.longest, time.Since(began))
	if c.Checkpoint == nil {
		return nil
	}
	writes := c.writer.IsDue() || c.isLarge && c.epochs == 0
	copies := !c.isLarge && (c.copies.Took() < cheapCopy || c.copies.IsDue())
	if !writes && !copies {
		return nil
	}
	if err := c.takeSnapshot(r); err != nil || !writes {
		return err
	}
	return c.writer.Tolerate(c.write())
}

// takeSnapshot copies the state of a run after an epoch.
func (c *checkpointer) takeSnapshot(r *run) error {
	take := copyOf
	if c.isLarge { // it is written at once and needs no copy
		take = streamOf
	}
	began := time.Now()
	state, err := take(r.population)
	if err == nil {
		c.last = r.snapshot(c, state)
		c.copies.Add(began)
	}
	return err
}

// finish writes a run that ends between epochs. It writes a complete run only if it is to be kept,
// or if the last write is at least Every ago.
func (c *checkpointer) finish(r *run) error {
	if c.Checkpoint == nil {
		return nil
	}
	isKept := c.Keep && r.bytes <= maxKept
	if r.isComplete() && !isKept && c.writer.SinceLast() < c.Every {
		return nil
	}
	if c.epochs != r.epochs && (c.last == nil || c.last.Epochs != r.epochs) {
		if err := c.takeSnapshot(r); err != nil {
			return err
		}
	}
	if r.isComplete() { // the model is still in memory
		return c.writer.Tolerate(c.write())
	}
	return c.write()
}

// write writes the last snapshot, unless the file already has its epoch.
func (c *checkpointer) write() error {
	if c.last == nil || c.epochs == c.last.Epochs && c.last.Begun == 0 {
		return nil
	}
	last := c.last
	if c.isLarge {
		c.last = nil
	}
	err := c.writer.Write(last.savedRun, last.tables)
	if err == nil {
		c.epochs = last.Epochs
	}
	return err
}

// resume restores a run from the file, or from that to continue, and reports whether there is one.
func (c *checkpointer) resume(r *run) (bool, error) {
	if c.Checkpoint == nil {
		return false, nil
	}
	isResumed, err := c.restoreFrom(c.File, r)
	if isResumed {
		c.epochs, r.wasInterrupted = r.epochs, true
	}
	if isResumed || err != nil || c.Continue == "" {
		return isResumed, err
	}
	return c.restoreFrom(c.Continue, r)
}

// restoreFrom restores a run from a file and reports whether there is one.
func (c *checkpointer) restoreFrom(file string, r *run) (bool, error) {
	var saved savedRun
	var to *restoration
	err := checkpoint.ReadInto(file, &saved, func(lengths []int) ([]checkpoint.Table, error) {
		if err := c.match(file, saved, r.job.Settings); err != nil {
			return nil, err
		}
		var err error
		if to, err = r.restoration(saved, lengths); err != nil {
			return nil, err
		}
		return to.tables, nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, ErrOtherTraining):
		return false, err
	case err != nil:
		return false, checkpoint.ReadError(file, err)
	}
	compiled := r.timing.Compile
	if err := to.complete(r); err != nil {
		return false, checkpoint.ReadError(file, err)
	}
	r.timing.Compile += compiled
	c.last = nil
	if c.choosesEpochs && file == c.File {
		if err := c.takeEpochs(r, saved.ID); err != nil {
			return false, checkpoint.ReadError(file, err)
		}
	}
	if !c.isLarge { // an interruption before the next copy takes the run back to it
		return true, c.takeSnapshot(r)
	}
	return true, nil
}

// takeEpochs sets the number of epochs to that which a saved training has chosen.
func (c *checkpointer) takeEpochs(r *run, id json.RawMessage) error {
	var saved struct{ Settings Settings }
	if err := json.Unmarshal(id, &saved); err != nil || saved.Settings.Epochs < 1 {
		return checkpoint.ErrDamaged
	}
	r.job.Settings.Epochs = saved.Settings.Epochs
	return c.identify(r.job)
}

// match returns an error if a saved run belongs to another training or engine. A run to continue,
// and one that chooses its number of epochs, may have another number.
func (c *checkpointer) match(file string, saved savedRun, s Settings) (err error) {
	if file == c.Continue || c.choosesEpochs {
		if saved.ID, err = withEpochs(saved.ID, s); err != nil {
			return err
		}
	}
	if err := checkpoint.Match(file, saved.ID, c.id); err != nil {
		return err
	}
	if saved.Engine != c.engine && !c.AnyEngine {
		return fmt.Errorf("%w: %w: %s has engine %s, not %s; "+
			"use that engine, use another file or remove this one",
			ErrOtherTraining, ErrOtherEngine, file, saved.Engine, c.engine)
	}
	return nil
}

// rewind takes an interrupted run back to the last snapshot and writes that; a large run goes
// back to its file. It reports whether the run was restored, also if writing failed.
func (c *checkpointer) rewind(r *run) (bool, error) {
	if c.isLarge && c.epochs > 0 {
		return c.resume(r)
	}
	if c.last == nil {
		return false, nil
	}
	if err := r.restore(*c.last); err != nil {
		return false, err
	}
	return true, c.write()
}

// saveStopped writes a run that the deadline has stopped. A run of one member is written as it is,
// also within an epoch. Several members may have taken different numbers of steps, so their last
// snapshot is written.
func (c *checkpointer) saveStopped(r *run, s Stream) error {
	if c.Checkpoint == nil {
		return nil
	}
	return c.writer.Tolerate(c.saveBegun(r, s))
}

// saveBegun writes a run of one member as it is, or else the last snapshot.
func (c *checkpointer) saveBegun(r *run, s Stream) error {
	isCopied := r.begun == 0 && c.last != nil && c.last.Epochs == r.epochs
	if !isCopied && len(r.members) == 1 {
		c.last = r.snapshot(c, s)
	}
	return c.write()
}

// snapshot returns a snapshot of the run and of the state of its population. It shares the tables.
func (r *run) snapshot(c *checkpointer, state Stream) *snapshot {
	s := &snapshot{savedRun: savedRun{
		ID: c.id, Engine: c.engine, Epochs: r.epochs, Begun: r.begun, Steps: state.Steps,
		Timing: r.timing, ValidateBy: r.job.ValidateBy,
	}}
	s.Timing.PerStep = r.perStep()
	for i, m := range state.Members {
		run := r.members[i]
		saved := savedMember{run.memberState, len(m.Slots), run.best != nil}
		s.Members = append(s.Members, saved)
		s.tables = append(s.tables, m.all()...)
		if run.best != nil {
			s.tables = append(s.tables, checkpoint.TablesOf(run.best.All())...)
		}
	}
	return s
}

// all returns the tables of a member and of its slots.
func (m MemberStream) all() []checkpoint.Table {
	return slices.Concat(m.Tables, slices.Concat(m.Slots...))
}

// restoration has the tables that a run is restored into.
type restoration struct {
	savedRun
	tables []checkpoint.Table
	best   []*Parameters // by member; nil for none
	resume func() error  // lets the population continue with the tables
}

// restoration returns the restoration of a saved run with tables of some lengths.
func (r *run) restoration(saved savedRun, lengths []int) (*restoration, error) {
	if len(saved.Members) != len(r.members) || saved.Begun < 0 {
		return nil, checkpoint.ErrDamaged
	}
	to := &restoration{savedRun: saved, best: make([]*Parameters, len(r.members))}
	var state Stream
	if large, ok := r.population.(LargePopulation); ok {
		state = large.Stream()
		to.resume = func() error { large.Resume(saved.Steps); return nil }
	} else {
		copied, err := r.population.State()
		if err != nil {
			return nil, err
		}
		state, copied.Steps = copied.Stream(), saved.Steps
		to.resume = func() error { return r.population.SetState(copied) }
	}
	for i, m := range saved.Members {
		if m.Slots != len(state.Members[i].Slots) {
			return nil, checkpoint.ErrDamaged
		}
		to.tables = append(to.tables, state.Members[i].all()...)
		if m.HasBest {
			var err error
			if to.best[i], err = r.newParameters(i, state.Members[i].Tables); err != nil {
				return nil, err
			}
			to.tables = append(to.tables, checkpoint.TablesOf(to.best[i].All())...)
		}
	}
	hasLength := func(t checkpoint.Table, n int) bool { return t.Count == n }
	if !slices.EqualFunc(to.tables, lengths, hasLength) {
		return nil, checkpoint.ErrDamaged
	}
	return to, nil
}

// newParameters returns parameters of a member's model, with tables of zeros. learned are the tables
// of the member's state.
func (r *run) newParameters(member int, learned []checkpoint.Table) (*Parameters, error) {
	m, s := r.job.Members[member], r.job.Settings
	p := &Parameters{Form: s.FormOf(m), Dim: s.Dim, Reciprocal: s.Reciprocal}
	p.Structure, _ = p.Form.Spec().Structure(m.Structure)
	counts := r.modelCounts(m, learned)
	all := make([][]float32, len(counts))
	for i, count := range counts {
		if files := tablesOf(r.engine); files != nil && i == 0 { // the entities
			var err error
			if all[i], err = files.NewTable(count); err != nil {
				return nil, err
			}
		} else {
			all[i] = make([]float32, count)
		}
	}
	p.Tables = TablesOf(all)
	return p, nil
}

// modelCounts returns the number of numbers in each table of a member's model, which an encoder makes
// from learned tables of other sizes.
func (r *run) modelCounts(m Member, learned []checkpoint.Table) (counts []int) {
	if r.job.Settings.Encoder == NoEncoder {
		for _, t := range learned {
			counts = append(counts, t.Count)
		}
		return counts
	}
	for _, t := range modelLayout(r.job.Data, r.job.Settings, m) {
		counts = append(counts, t.totalRows()*t.columns)
	}
	return counts
}

// complete sets a run to what the tables have got.
func (to *restoration) complete(r *run) error {
	for i, m := range to.Members {
		r.members[i] = memberRun{memberState: m.memberState, best: to.best[i]}
	}
	r.epochs, r.begun, r.steps = to.Epochs, to.Begun, to.Steps-to.Begun
	r.timing, r.job.ValidateBy = to.Timing, to.ValidateBy
	return to.resume()
}

// restore sets a run to a snapshot.
func (r *run) restore(from snapshot) error {
	var lengths []int
	for _, t := range from.tables {
		lengths = append(lengths, t.Count)
	}
	to, err := r.restoration(from.savedRun, lengths)
	if err != nil {
		return err
	}
	for i, t := range from.tables {
		to.tables[i].Fill(t)
	}
	return to.complete(r)
}
