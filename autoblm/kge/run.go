package kge

import (
	"slices"

	"github.com/autoblm/autoblm-go/internal/memory"
)

// run is the state of a training.
type run struct {
	job        Job
	engine     Engine
	population Population
	bytes      float64 // size of the population
	members    []memberRun
	epochs     int // complete epochs
	resumed    int // epochs taken from a checkpoint
	// wasInterrupted is true if that is the checkpoint of an interrupted training, false if it is
	// that of a finished one.
	wasInterrupted bool
	steps          int // in complete epochs
	begun          int // steps taken in the next epoch
	next           int // steps of the next epoch; 0 before its first step
	timing         Timing
	// stepSeconds has the durations of the steps of each epoch in this process.
	stepSeconds [][]float64
}

// memberRun is the state of the training of one member.
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
	SinceBest   int          `json:"since_best"` // number of validations
	Reduction   float64      `json:"reduction"`  // of the learning rate by plateaus
	Stopped     bool         `json:"stopped"`    // diverged or out of patience
	Diverged    int          `json:"diverged"`   // epoch; 0 if not diverged
}

func newRun(job Job, engine Engine, population Population) *run {
	r := &run{
		job: job, engine: engine, population: population,
		bytes:   stateBytes(job.Data, job.Settings, job.Members),
		members: make([]memberRun, len(job.Members)),
	}
	for i := range r.members {
		r.members[i].Reduction = 1
	}
	return r
}

// close closes the population. The results stay valid.
func (r *run) close() {
	r.population.Close()
	r.population = nil
	memory.CollectGarbage(r.bytes) // engines need not do so
}

func (r *run) hasActive() bool {
	return slices.ContainsFunc(r.members, func(m memberRun) bool { return !m.Stopped })
}

// isComplete reports whether nothing is left to train.
func (r *run) isComplete() bool { return r.epochs >= r.job.Settings.Epochs || !r.hasActive() }

// hasValidated reports whether there was a validation.
func (r *run) hasValidated() bool {
	return slices.ContainsFunc(r.members, func(m memberRun) bool {
		return len(m.Validations) > 0
	})
}

// diverge stops a member that diverged in an epoch.
func (m *memberRun) diverge(epoch int) {
	m.Stopped, m.Diverged, m.best, m.BestEpoch = true, epoch, nil, 0
}

// progress returns the progress of the run.
func (r *run) progress(epoch, step, steps int) Progress {
	p := Progress{Epoch: epoch, Epochs: r.job.Settings.Epochs, Step: step, Steps: steps}
	if m := r.members[0]; m.BestMRR > 0 {
		p.Best = &Validation{Epoch: m.BestEpoch, MRR: m.BestMRR}
		for _, v := range m.Validations {
			if v.Epoch == m.BestEpoch {
				p.Best.Error = v.Error
			}
		}
	}
	if r.job.ValidateBy > 0 {
		p.ValidatedBy, p.HeldOut = r.job.ValidateBy, r.job.Data.HeldOut
	}
	return p
}

// perStep returns [Timing.PerStep]. Without epochs in this process it returns the value of the
// checkpoint.
func (r *run) perStep() float64 {
	if len(r.stepSeconds) == 0 {
		return r.timing.PerStep
	}
	return medianStep(r.stepSeconds) / float64(len(r.members))
}

// isValidating reports whether the steps of the next epoch are done but not its validation.
func (r *run) isValidating() bool {
	return slices.ContainsFunc(r.members, func(m memberRun) bool { return len(m.Loss) > r.epochs })
}

// report returns the results so far.
func (r *run) report() (*Report, error) {
	report := r.reportWithout()
	for i := range r.members {
		result, err := r.result(i)
		if err != nil {
			return nil, err
		}
		report.Results = append(report.Results, *result)
	}
	return report, nil
}

// reportWithout returns a report without results.
func (r *run) reportWithout() *Report {
	report := &Report{
		Timing: r.timing, Resumed: r.resumed, Precision: r.job.Settings.Precision,
		Epochs: r.job.Settings.Epochs, Complete: r.isComplete(),
	}
	if r.hasValidated() {
		report.ValidatedBy = r.job.ValidateBy
	}
	report.Timing.PerStep = r.perStep()
	return report
}

// resultWithout returns the result of a member without its model.
func (m memberRun) resultWithout(settings Member) Result {
	return Result{
		Member: settings, Loss: m.Loss, Validations: m.Validations, BestEpoch: m.BestEpoch,
	}
}

// result returns the result of a member. Without a validation its model is the current one.
func (r *run) result(member int) (*Result, error) {
	m, position := &r.members[member], Position{Interrupted: !r.isComplete()}
	if m.Diverged == 0 && m.best == nil {
		if r.begun > 0 {
			position.Steps = r.steps + r.begun
		}
		p, err := finish(r.population, member)
		if err != nil {
			return nil, err
		}
		if p.Finite() {
			m.best = &p
		} else {
			m.diverge(m.BestEpoch)
		}
	}
	settings := r.job.Members[member]
	result := m.resultWithout(settings)
	if m.best == nil {
		result.Err = settings.Diverged(m.Diverged)
		return &result, nil
	}
	var err error
	result.Model, err = r.job.newModel(settings, *m.best)
	if err != nil {
		return nil, err
	}
	position.Epoch = m.BestEpoch
	result.Model.Position = &position
	return &result, nil
}
