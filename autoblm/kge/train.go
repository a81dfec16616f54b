package kge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/internal/deadline"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// Train trains the members of a job together. A member that diverges has an error in its
// [Result], and the others go on. Train returns an error if no member can go on: for invalid
// settings, empty data, or the end of ctx.
//
// If ctx is cancelled after a step, Train returns a report together with the error. With a
// checkpoint, report and file have the state after the last copied epoch. That is the last complete
// epoch, with two exceptions: if a copy takes more than 20 ms, copies are made less often and take
// at most a twentieth of the time; a state above 256 MiB is copied to the file only. If tables are in
// files too, the end of ctx leaves the checkpoint as it is, and the results have no model: reading
// and writing larger tables than memory would take too long.
func Train(ctx context.Context, engine Engine, job Job) (*Report, error) {
	s, err := job.Resolve(engine)
	if err != nil {
		return nil, err
	}
	job.Settings = s
	if job.ValidateBy == 0 && s.ValidateSample < job.Data.HeldOut {
		job.ValidateBy = s.ValidateSample
	}
	if err := checkTrainable(engine, job); err != nil {
		return nil, err
	}
	start := time.Now()
	population, err := engine.NewPopulation(job.Data, s, job.Members)
	if err != nil {
		return nil, err
	}
	run := newRun(job, engine, population)
	defer run.close()
	run.timing.Compile = time.Since(start).Seconds()
	t := &trainer{run: run, settings: s, batches: &prefetcher{data: job.Data, settings: s}}
	if t.saver, err = newCheckpointer(job, engine); err != nil {
		return nil, err
	}
	isResumed, err := t.saver.resume(run)
	if err != nil {
		return nil, err
	}
	if job.Start != nil && !isResumed {
		if err := job.Start.begin(ctx, run); err != nil {
			return nil, err
		}
	}
	run.resumed = run.epochs
	t.setEpochs(run.job.Settings.Epochs)
	return t.train(ctx)
}

// checkTrainable returns an error if a job with resolved settings cannot be trained.
func checkTrainable(engine Engine, job Job) error {
	d, s := job.Data, job.Settings
	if d.Count == 0 {
		return fmt.Errorf("%s has nothing to train on", cmp.Or(d.Name, "the graph"))
	}
	if s.ValidateEvery > 0 && d.Validate == nil {
		return fmt.Errorf("%s has no validation data to choose the best epoch: "+
			"leave validate-every at 0", d.Name)
	}
	if s.Encoder != NoEncoder && d.Triples == nil {
		return fmt.Errorf("%s has no triples to send messages along: leave encoder at none", d.Name)
	}
	if err := job.Start.check(s); err != nil {
		return err
	}
	if err := engine.Supports(d, s, job.Members); err != nil {
		return err
	}
	if tablesOf(engine) != nil && job.Start == nil { // which copies the tables
		return nil
	}
	return s.CheckMemory(d, job.Members, 0)
}

// trainer is the training loop of a run.
type trainer struct {
	*run
	settings Settings // of the population, see [Settings.In]
	batches  *prefetcher
	saver    *checkpointer
	budget   *budget
}

// train trains until the run is complete or must end.
func (t *trainer) train(ctx context.Context) (*Report, error) {
	var err error
	if t.budget, err = newBudget(ctx, t.run); err != nil {
		return t.interrupted(ctx, err)
	}
	for !t.isComplete() && !t.saver.isOutOfTime() {
		began := time.Now()
		err := t.nextEpoch(ctx)
		if errors.Is(err, deadline.ErrExceeded) {
			return t.stopEarly(ctx)
		}
		if err != nil {
			return t.interrupted(ctx, err)
		}
		if err := t.fitEpochs(); err != nil {
			return nil, err
		}
		if err := t.saver.epochEnded(t.run, began); err != nil {
			return nil, err
		}
		t.budget.saved(t.saver)
		memory.CollectGarbage(t.bytes)
	}
	if err := t.saver.finish(t.run); err != nil {
		return nil, err
	}
	return t.report()
}

// nextEpoch trains for an epoch and validates if due. It returns [deadline.ErrExceeded] if the
// deadline ended the steps. If the deadline ended the validation, the epoch is complete.
func (t *trainer) nextEpoch(ctx context.Context) error {
	epoch := t.epochs + 1
	if err := t.adjust(t.job.Settings.In(epoch)); err != nil {
		return err
	}
	stepping, stop := t.budget.forSteps(ctx, t.hasValidated(), t.job.ValidateBy)
	defer stop()
	rate := t.rates(epoch)[0] // before a validation reduces it
	err := t.trainEpoch(stepping, t.batches, epoch)
	if deadline.HasEnded(ctx, stepping, err) {
		return deadline.ErrExceeded
	}
	if err != nil {
		return err
	}
	if t.mustValidate(epoch) {
		if err := t.validateInTime(ctx, epoch); err != nil {
			return err
		}
	}
	t.epochs = epoch
	t.reportRow(epoch, rate)
	return nil
}

// adjust changes the settings of the population to those of an epoch.
func (t *trainer) adjust(s Settings) error {
	if s == t.settings {
		return nil
	}
	t.settings = s
	return t.population.Adjust(s)
}

// mustValidate reports whether an epoch ends with a validation.
func (t *trainer) mustValidate(epoch int) bool {
	every := t.job.Settings.ValidateEvery
	isDue := every > 0 && (epoch%every == 0 || epoch == t.job.Settings.Epochs)
	return isDue && t.hasActive()
}

// validateInTime validates after an epoch. Before the first validation with a deadline it
// chooses the sample of questions.
func (t *trainer) validateInTime(ctx context.Context, epoch int) error {
	if t.budget != nil && !t.hasValidated() {
		interval := t.timing.Train / float64(epoch) * float64(t.job.Settings.ValidateEvery)
		if n := t.budget.sampleSize(interval); n > 0 && (t.job.ValidateBy == 0 || n < t.job.ValidateBy) {
			t.job.ValidateBy = n
		}
	}
	validating, stop := t.budget.forSteps(ctx, false, 0)
	defer stop()
	began := time.Now()
	err := t.validate(validating, epoch)
	if deadline.HasEnded(ctx, validating, err) {
		return nil
	}
	t.budget.validated(began, t.job.ValidateBy)
	return err
}

// interrupted handles an error during training. If ctx has ended, it returns a report together with
// the error: of the last copied epoch or, without one, of the last step.
func (t *trainer) interrupted(ctx context.Context, err error) (*Report, error) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return nil, err
	}
	if t.saver.Checkpoint != nil && tablesOf(t.engine) != nil {
		return t.leave(err)
	}
	isRestored, failed := t.saver.rewind(t.run)
	if failed != nil {
		err = fmt.Errorf("%w; %w", err, failed)
	}
	if !isRestored {
		state, failed := streamOf(t.population)
		if failed != nil {
			return nil, failed
		}
		if state.Steps == 0 {
			return nil, err
		}
		err = t.keepBegun(state, err)
	}
	report, failed := t.report()
	if failed != nil {
		return nil, failed
	}
	return report, err
}

// report returns the results so far.
func (t *trainer) report() (*Report, error) {
	report, err := t.run.report()
	if err == nil {
		report.Saved = t.saver.epochs
	}
	return report, err
}

// keepBegun notes the steps of an interrupted epoch and writes a checkpoint of them if there is none.
// It adds a failure to write to the error of the interruption.
func (t *trainer) keepBegun(state Stream, err error) error {
	if t.isValidating() {
		t.steps -= t.next
	}
	t.begun = max(0, state.Steps-t.steps)
	if t.saver.Checkpoint == nil || t.saver.epochs > 0 {
		return err
	}
	if failed := t.saver.saveBegun(t.run, state); failed != nil {
		err = fmt.Errorf("%w; %w", err, failed)
	}
	return err
}

// leave handles an interruption of a training with tables in files. It writes a checkpoint only if
// there is none, and returns a report without models.
func (t *trainer) leave(err error) (*Report, error) {
	state, failed := streamOf(t.population)
	if failed != nil {
		return nil, failed
	}
	if state.Steps == 0 {
		return nil, err
	}
	err = t.keepBegun(state, err)
	report := t.reportWithout()
	report.Saved = t.saver.epochs
	for i, m := range t.members {
		report.Results = append(report.Results, m.resultWithout(t.job.Members[i]))
	}
	return report, err
}

// stopEarly returns the report of a training that the deadline has stopped. The current
// embeddings, perhaps after a part of an epoch, count like those after an epoch.
func (t *trainer) stopEarly(ctx context.Context) (*Report, error) {
	state, err := streamOf(t.population)
	if err != nil {
		return nil, err
	}
	t.begun = max(0, state.Steps-t.steps)
	if err := t.saver.saveStopped(t.run, state); err != nil {
		return nil, err
	}
	if t.next == 0 { // the deadline ended before the batches were made
		t.next = t.job.Data.Batches(t.job.Settings, t.epochs+1).Count
	}
	stop := &EarlyStop{
		Epoch: t.epochs, Epochs: t.job.Settings.Epochs, Step: t.begun, Steps: t.next,
	}
	isBetter := make([]bool, len(t.members))
	if t.begun > 0 && t.hasValidated() {
		if isBetter, err = t.lastValidation(ctx); err != nil {
			return t.interrupted(ctx, err)
		}
	}
	report, err := t.report()
	if err != nil {
		return nil, err
	}
	report.StoppedEarly = stop
	for i, better := range isBetter {
		if better {
			report.Results[i].Model.Position.Steps = state.Steps
		}
	}
	return report, nil
}

// lastValidation validates the members within an epoch, if there is time. It returns which
// ones are better than in their best epoch.
func (t *trainer) lastValidation(ctx context.Context) ([]bool, error) {
	defer t.timing.MeasureEvaluation(t.engine)()
	validating, stop := t.budget.forLastValidation(ctx)
	defer stop()
	isBetter, err := t.validateStopped(validating)
	if deadline.HasEnded(ctx, validating, err) {
		return isBetter, nil
	}
	return isBetter, err
}
