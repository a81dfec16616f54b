package kge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/deadline"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/progress"
)

// ErrDiverged marks a member whose loss, or whose embeddings when they were to
// be kept, stopped being finite numbers; a smaller learning rate is the usual mend.
var ErrDiverged = errors.New("training diverged")

// Job is what [Train] is asked to do.
type Job struct {
	Data     *Data
	Settings Settings
	Members  []Member
	// ValidateBy is how much of what is held out is validated by: 0 all, else a [eval.Sample]. A
	// training that is gone on with has that of before.
	ValidateBy int
	// OnEpoch, when set, is called after each epoch.
	OnEpoch func(Progress)
	// OnStep, when set, is called now and then within an epoch, a few times a second at most,
	// and from any thread.
	OnStep func(Progress)
	// Checkpoint, when set, lets the training end early and go on later.
	Checkpoint *Checkpoint
	// Deadline, when set, ends the training in time, also in the middle of an epoch: without
	// an error, with what there is. Where validations would take much of the time, they are by
	// a [eval.Sample], whatever ValidateBy says.
	Deadline *Deadline
}

// Report is what a population came to.
type Report struct {
	Results []Result // one for each member, in order
	// Timing has the time of all processes that trained, where there is a checkpoint.
	Timing Timing
	// Resumed is how many epochs were taken from a checkpoint.
	Resumed int
	// Precision is what the asked one came to.
	Precision Precision
	// Complete is whether the training came to its end; see [Checkpoint] and [Deadline].
	Complete bool
	// StoppedEarly says where the deadline has stopped the training; nil if it has not.
	StoppedEarly *EarlyStop
	// ValidatedBy is by how much of what is held out was validated; 0 is all.
	ValidatedBy int
}

// Result is what one member came to.
type Result struct {
	Member Member
	// Model has the embeddings of the best epoch; nil when the member diverged.
	Model *Model
	// Loss is the mean loss per example, penalties included, of each epoch
	// before the member stopped; all are finite.
	Loss []float64
	// Validations is the learning curve; empty unless the settings validate.
	Validations []Validation
	// BestEpoch, from 1, is the epoch that Model is of; 0 when the member diverged.
	BestEpoch int
	// Err wraps [ErrDiverged] when the member diverged.
	Err error
}

// Validation is the score of the validation data after an epoch, for triples and paths
// the filtered MRR.
type Validation struct {
	Epoch int     `json:"epoch"`
	MRR   float64 `json:"mrr"`
}

// Timing is where the time went, in seconds.
type Timing struct {
	Compile  float64 `json:"compile"`
	Train    float64 `json:"train"`
	Evaluate float64 `json:"evaluate"`
	// PerStep is the median duration of a training step divided by the number of
	// members, the first epoch left out, or the first step when training ended
	// after one epoch.
	PerStep float64 `json:"per_step"`
}

// Evaluating returns a function that adds the time since now to Evaluate, less what
// the engine took for compiling, which goes to Compile.
func (t *Timing) Evaluating(engine Engine) (stop func()) {
	start, before := time.Now(), compileSeconds(engine)
	return func() {
		compiling := compileSeconds(engine) - before
		t.Compile += compiling
		t.Evaluate += time.Since(start).Seconds() - compiling
	}
}

// compileSeconds is how long an engine has compiled so far: 0 for one that
// compiles nothing.
func compileSeconds(engine Engine) float64 {
	if e, compiles := engine.(interface{ CompileSeconds() float64 }); compiles {
		return e.CompileSeconds()
	}
	return 0
}

// Train trains the members of a job together. A member that diverges is
// reported in its Result and the others go on; the error is for what stops
// all: settings that make no sense, an empty split, the end of ctx. When ctx
// ends after a step, the report of what there is comes beside its error: with a
// checkpoint, which is written then too, as after the last whole epoch, if there was one, or,
// where a copy of the numbers takes more than 20 ms, after one before it, so that copies take a
// twentieth of the time at most; of members whose tables take more than 256 MiB as after the
// last epoch that was written.
func Train(ctx context.Context, engine Engine, job Job) (*Report, error) {
	s, err := job.Settled(engine)
	if err != nil {
		return nil, err
	}
	d := job.Data
	job.Settings = s
	if d.Count == 0 {
		return nil, fmt.Errorf("%s has nothing to train on", d.Name)
	}
	if s.ValidateEvery > 0 && d.Validate == nil {
		return nil, fmt.Errorf("%s has no validation data to choose the best epoch by: leave validate-every at 0", d.Name)
	}
	if err := engine.Supports(d, s, job.Members); err != nil {
		return nil, err
	}
	if err := Fits(d, s, job.Members, 0); err != nil {
		return nil, err
	}
	start := time.Now()
	population, err := engine.NewPopulation(d.heeding(ctx), s, job.Members)
	if err != nil {
		return nil, err
	}
	run := &run{bytes: stateBytes(d, s, job.Members), job: job, engine: engine, population: population, settings: s, members: make([]memberRun, len(job.Members)), batches: orders{data: d, settings: s}}
	defer run.close()
	run.timing.Compile = time.Since(start).Seconds()
	for i := range run.members {
		run.members[i].Reduction = 1
	}
	saver, err := newCheckpointer(job, engine)
	if err != nil {
		return nil, err
	}
	if _, err := saver.resume(run); err != nil {
		return nil, err
	}
	run.resumed = run.epochs
	if run.budget, err = newBudget(ctx, run); err != nil {
		return run.interrupted(ctx, saver, err)
	}
	for !run.complete() && !saver.isOutOfTime() {
		began := time.Now()
		if err := run.nextEpoch(ctx); err == deadline.ErrExceeded {
			return run.stopEarly(ctx, saver)
		} else if err != nil {
			return run.interrupted(ctx, saver, err)
		}
		if err := saver.epochEnded(run, began); err != nil {
			return nil, err
		}
		memory.Collect(run.bytes)
	}
	if err := saver.finish(run); err != nil {
		return nil, err
	}
	return run.report()
}

// run is a population on its way.
type run struct {
	job         Job
	engine      Engine
	population  Population
	settings    Settings // of the population
	bytes       float64  // that its numbers take
	members     []memberRun
	batches     orders
	epochs      int // that are over
	resumed     int // of these, before this process
	steps       int // of these
	begun       int // steps of the next epoch, which has so many:
	next        int
	budget      *budget
	timing      Timing
	stepSeconds [][]float64 // of each epoch
}

// memberRun is one of its members.
type memberRun struct {
	memberState
	best *Parameters // of the best validated epoch
}

// memberState is the training loop's state for one member.
type memberState struct {
	Loss        []float64    `json:"loss"`
	Validations []Validation `json:"validations"`
	BestEpoch   int          `json:"best_epoch"`
	BestMRR     float64      `json:"best_mrr"`
	SinceBest   int          `json:"since_best"` // validations
	Reduction   float64      `json:"reduction"`  // of the learning rate so far, by plateaus
	Stopped     bool         `json:"stopped"`    // diverged, or out of patience
	Diverged    int          `json:"diverged"`   // in this epoch; 0 when it did not
}

// close ends the population, of which only the results are left.
func (r *run) close() {
	r.population.Close()
	r.population = nil
	memory.Collect(r.bytes) // also of engines that do not
}

// end is a member's numbers after the last epoch.
func (r *run) end(member int) (Parameters, error) {
	if s, is := r.population.(Shower); is {
		return s.Shown().Members[member].Parameters, nil
	}
	return r.population.Parameters(member)
}

func (r *run) anyActive() bool {
	return slices.ContainsFunc(r.members, func(m memberRun) bool { return !m.Stopped })
}

// complete is whether nothing is left to train.
func (r *run) complete() bool { return r.epochs >= r.job.Settings.Epochs || !r.anyActive() }

// nextEpoch trains for an epoch, and validates when it is time to. It returns
// [deadline.ErrExceeded] if the deadline ended the steps. An epoch whose validation the deadline
// ended is complete.
func (r *run) nextEpoch(ctx context.Context) error {
	s, epoch := r.job.Settings, r.epochs+1
	if err := r.adjust(s.In(epoch)); err != nil {
		return err
	}
	stepping, stop := r.budget.forSteps(ctx, r.validated(), r.job.ValidateBy)
	defer stop()
	if err := r.epoch(stepping, epoch); deadline.HasEnded(ctx, stepping, err) {
		return deadline.ErrExceeded
	} else if err != nil {
		return err
	}
	if s.ValidateEvery > 0 && (epoch%s.ValidateEvery == 0 || epoch == s.Epochs) && r.anyActive() {
		if r.budget != nil && !r.validated() {
			r.job.ValidateBy = r.budget.sampleSize(r.timing.Train / float64(epoch) * float64(s.ValidateEvery))
		}
		validating, stop := r.budget.forValidation(ctx)
		defer stop()
		if err := r.validate(validating, epoch); err != nil && !deadline.HasEnded(ctx, validating, err) {
			return err
		}
	}
	r.epochs = epoch
	return nil
}

// adjust takes the population to the settings of an epoch.
func (r *run) adjust(s Settings) error {
	if s == r.settings {
		return nil
	}
	r.settings = s
	return r.population.(Adjuster).Adjust(s)
}

// validated says whether some member was.
func (r *run) validated() bool {
	return slices.ContainsFunc(r.members, func(m memberRun) bool { return len(m.Validations) > 0 })
}

func (r *run) epoch(ctx context.Context, epoch int) error {
	start := time.Now()
	batches, err := r.batches.of(ctx, epoch)
	if err != nil {
		return err
	}
	all, rest := len(batches), batches[min(r.begun, len(batches)):]
	r.next = all
	if len(rest) == 0 {
		return checkpoint.ErrDamaged // since no checkpoint is of an epoch without steps to take
	}
	detach := progress.Attach(r.population, r.onStep(epoch, all))
	done, err := r.population.Epoch(ctx, rest, r.rates(epoch))
	detach()
	r.timing.Train += time.Since(start).Seconds()
	if err != nil {
		return err
	}
	r.steps, r.begun = r.steps+all, 0
	r.stepSeconds = append(r.stepSeconds, done.StepSeconds)
	for i := range r.members {
		m := &r.members[i]
		if m.Stopped {
			continue
		}
		if math.IsNaN(done.Loss[i]) || math.IsInf(done.Loss[i], 0) {
			m.diverge(epoch)
			continue
		}
		m.Loss = append(m.Loss, done.Loss[i])
		if m.best == nil {
			m.BestEpoch = epoch
		}
	}
	if r.job.OnEpoch != nil {
		p := r.progress(epoch, all, all)
		p.Loss = done.Loss
		r.job.OnEpoch(p)
	}
	return nil
}

// onStep tells how far an epoch of so many steps is; nil where nobody wants to know.
func (r *run) onStep(epoch, steps int) func(share float64) {
	if r.job.OnStep == nil {
		return nil
	}
	begun := r.begun
	return func(share float64) {
		r.job.OnStep(r.progress(epoch, begun+int(math.Round(share*float64(steps-begun))), steps))
	}
}

// progress is how far the run is.
func (r *run) progress(epoch, step, steps int) Progress {
	p := Progress{Epoch: epoch, Epochs: r.job.Settings.Epochs, Step: step, Steps: steps}
	if m := r.members[0]; m.BestMRR > 0 {
		p.Best = &Validation{Epoch: m.BestEpoch, MRR: m.BestMRR}
	}
	return p
}

// orders are the batches of epochs. Those of the next one are made meanwhile.
type orders struct {
	data     *Data
	settings Settings
	next     chan [][]Example
}

func (o *orders) of(ctx context.Context, epoch int) (batches [][]Example, err error) {
	if o.next == nil {
		o.begin(epoch)
	}
	select {
	case batches = <-o.next:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if epoch < o.settings.Epochs {
		o.begin(epoch + 1)
	}
	return batches, nil
}

// begin has batches made.
func (o *orders) begin(epoch int) {
	next := make(chan [][]Example, 1)
	o.next = next
	go func() { next <- o.data.Batches(o.settings, epoch) }()
}

// rates are the members' learning rates in an epoch.
func (r *run) rates(epoch int) []float64 {
	rates := make([]float64, len(r.members))
	s := r.job.Settings
	risen := min(1, float64(epoch)/float64(s.Warmup+1))
	fallen := min(1, float64(s.Epochs+1-epoch)/float64(s.Cooldown+1))
	for i, m := range r.members {
		rates[i] = r.job.Members[i].LearningRate * m.Reduction * math.Pow(s.Decay, float64(epoch-1)) * risen * fallen
	}
	return rates
}

func (r *run) validate(ctx context.Context, epoch int) error {
	defer r.timing.Evaluating(r.engine)()
	s := r.job.Settings
	scores, err := r.scores(ctx, epoch)
	if err != nil {
		return err
	}
	for i := range r.members {
		m := &r.members[i]
		if m.Stopped {
			continue
		}
		mrr := scores[i]
		m.Validations = append(m.Validations, Validation{Epoch: epoch, MRR: mrr})
		if m.best != nil && mrr <= m.BestMRR {
			m.SinceBest++
			m.Stopped = s.Patience > 0 && m.SinceBest >= s.Patience
			if s.PlateauPatience > 0 && m.SinceBest%s.PlateauPatience == 0 {
				m.Reduction *= s.PlateauFactor
			}
			continue
		}
		m.best = nil // before there is another, which may be large
		memory.Collect(r.bytes)
		p, err := r.population.Parameters(i)
		if err != nil {
			return err
		}
		if !p.Finite() {
			m.diverge(epoch)
			continue
		}
		m.best, m.BestMRR, m.SinceBest, m.BestEpoch = &p, mrr, 0, epoch
	}
	return nil
}

// scores are those of the members as they are, in an epoch.
func (r *run) scores(ctx context.Context, epoch int) ([]float64, error) {
	if r.job.OnStep != nil {
		p := r.progress(epoch, 1, 1)
		p.Validating = true
		r.job.OnStep(p)
	}
	return r.job.Data.Validate(ctx, r.population, r.job.ValidateBy)
}

func (m *memberRun) diverge(epoch int) {
	m.Stopped, m.Diverged, m.best, m.BestEpoch = true, epoch, nil, 0
}

// Diverged is the error of a member that diverged in an epoch; it wraps [ErrDiverged].
func Diverged(epoch int, m Member) error {
	return fmt.Errorf("%w in epoch %d (%s, learning rate %g): try a smaller learning rate", ErrDiverged, epoch, m.name(), m.LearningRate)
}

// interrupted is the report of what was trained, beside the error that ended it, where that
// is the end of ctx: of the last epoch that was copied, if any, else of the last
// whole step.
func (r *run) interrupted(ctx context.Context, c *checkpointer, err error) (*Report, error) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return nil, err
	}
	whole, failed := c.rewind(r)
	if failed != nil {
		err = fmt.Errorf("%w; %w", err, failed)
	}
	if !whole {
		state, failed := shown(r.population)
		if failed != nil {
			return nil, failed
		}
		if state.Steps == 0 {
			return nil, err
		}
		r.begun = max(0, state.Steps-r.steps)
	}
	report, failed := r.report()
	if failed != nil {
		return nil, failed
	}
	return report, err
}

// stopEarly returns the report of a training that the deadline has stopped. The current numbers,
// perhaps after a part of an epoch, count like those after an epoch.
func (r *run) stopEarly(ctx context.Context, c *checkpointer) (*Report, error) {
	state, err := shown(r.population)
	if err != nil {
		return nil, err
	}
	r.begun = max(0, state.Steps-r.steps)
	if err := c.saveStopped(r, state); err != nil {
		return nil, err
	}
	if r.next == 0 { // the deadline was over before there were any
		r.next = len(r.job.Data.Batches(r.job.Settings, r.epochs+1))
	}
	stop := &EarlyStop{Epoch: r.epochs, Epochs: r.job.Settings.Epochs, Step: r.begun, Steps: r.next}
	better := make([]bool, len(r.members)) // than the best epoch
	if r.begun > 0 && r.validated() {
		if better, err = r.judge(ctx); err != nil {
			return r.interrupted(ctx, c, err)
		}
	}
	report, err := r.report()
	if err != nil {
		return nil, err
	}
	report.StoppedEarly = stop
	for i, is := range better {
		if is {
			report.Results[i].Model.Reached.Steps = state.Steps
		}
	}
	return report, nil
}

// judge validates the members as they are, if there is time for that, and takes those that are
// better than in their best epoch.
func (r *run) judge(ctx context.Context) ([]bool, error) {
	defer r.timing.Evaluating(r.engine)()
	better := make([]bool, len(r.members))
	validating, stop := r.budget.forLastValidation(ctx)
	defer stop()
	scores, err := r.scores(validating, r.epochs+1)
	if deadline.HasEnded(ctx, validating, err) {
		return better, nil
	}
	for i := range r.members {
		m := &r.members[i]
		if err != nil || m.Stopped || m.best == nil || scores[i] <= m.BestMRR {
			continue
		}
		p, failed := r.population.Parameters(i)
		if failed != nil {
			return nil, failed
		}
		if better[i] = p.Finite(); better[i] {
			m.best, m.BestMRR, m.BestEpoch = &p, scores[i], r.epochs
		}
	}
	return better, err
}

func (r *run) report() (*Report, error) {
	report := &Report{Timing: r.timing, Resumed: r.resumed, Precision: r.job.Settings.Precision, Complete: r.complete()}
	if r.validated() {
		report.ValidatedBy = r.job.ValidateBy
	}
	report.Timing.PerStep = r.perStep()
	for i := range r.members {
		m, member := &r.members[i], r.job.Members[i]
		reached := Reached{Interrupted: !report.Complete}
		if m.Diverged == 0 && m.best == nil {
			if r.begun > 0 {
				reached.Steps = r.steps + r.begun
			}
			p, err := r.end(i)
			if err != nil {
				return nil, err
			}
			if p.Finite() {
				m.best = &p
			} else {
				m.diverge(m.BestEpoch)
			}
		}
		result := Result{Member: member, Loss: m.Loss, Validations: m.Validations, BestEpoch: m.BestEpoch}
		if m.best == nil {
			result.Err = Diverged(m.Diverged, member)
		} else {
			var err error
			if result.Model, err = newModel(r.job.Data, r.job.Settings, member, *m.best); err != nil {
				return nil, err
			}
			reached.Epoch = m.BestEpoch
			result.Model.Reached = &reached
		}
		report.Results = append(report.Results, result)
	}
	return report, nil
}

// perStep is that of [Timing], from the epochs of this process, if there were some.
func (r *run) perStep() float64 {
	if len(r.stepSeconds) == 0 {
		return r.timing.PerStep
	}
	return stepMedian(r.stepSeconds) / float64(len(r.members))
}

// stepMedian is the median duration of the steps of epochs, those that warm up left
// out: the first epoch, or the first step of the only one.
func stepMedian(epochs [][]float64) float64 {
	switch {
	case len(epochs) > 1:
		epochs = epochs[1:]
	case len(epochs[0]) > 1:
		epochs = [][]float64{epochs[0][1:]}
	}
	x := slices.Sorted(slices.Values(slices.Concat(epochs...)))
	if len(x) == 0 {
		return 0
	}
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
