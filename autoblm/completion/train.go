package completion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/datasets"
)

// ErrDiverged marks a member whose loss, or whose embeddings when they were to
// be kept, stopped being finite numbers; a smaller learning rate is the usual mend.
var ErrDiverged = errors.New("training diverged")

// Job is what [Train] is asked to do.
type Job struct {
	Graph    *datasets.Graph
	Settings Settings
	Members  []Member
	// OnEpoch, when set, is called after each epoch.
	OnEpoch func(Progress)
}

// Progress tells how far a population is.
type Progress struct {
	Epoch, Epochs int
	// Loss has each member's mean loss per triple in this epoch.
	Loss []float64
}

// Report is what a population came to.
type Report struct {
	Results []Result // one for each member, in order
	Timing  Timing
}

// Result is what one member came to.
type Result struct {
	Member Member
	// Model has the embeddings of the best epoch; nil when the member diverged.
	Model *Model
	// Loss is the mean loss per triple, penalties included, of each epoch
	// before the member stopped; all are finite.
	Loss []float64
	// Validations is the learning curve; empty unless the settings validate.
	Validations []Validation
	// BestEpoch, from 1, is the epoch that Model is of; 0 when the member diverged.
	BestEpoch int
	// Err wraps [ErrDiverged] when the member diverged.
	Err error
}

// Validation is the filtered validation MRR after an epoch.
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

// Train trains the members of a job together. A member that diverges is
// reported in its Result and the others go on; the error is for what stops
// all: settings that make no sense, an empty split, the end of ctx. When ctx
// ends after an epoch, the report of what there is comes beside its error.
func Train(ctx context.Context, engine Engine, job Job) (*Report, error) {
	g, s := job.Graph, job.Settings
	if err := validatePopulation(s, job.Members); err != nil {
		return nil, err
	}
	if err := trainable(g); err != nil {
		return nil, err
	}
	if s.ValidateEvery > 0 && len(g.Valid) == 0 {
		return nil, fmt.Errorf("%s has no validation triples to choose the best epoch by: leave validate-every at 0", g.Name)
	}
	start := time.Now()
	population, err := engine.NewPopulation(g, s, job.Members)
	if err != nil {
		return nil, err
	}
	defer population.Close()
	run := &run{job: job, population: population, members: make([]memberState, len(job.Members))}
	run.timing.Compile = time.Since(start).Seconds()
	for i, m := range job.Members {
		run.members[i].result.Member = m
	}
	for epoch := 1; epoch <= s.Epochs && run.anyActive(); epoch++ {
		if err := run.epoch(ctx, epoch); err != nil {
			return run.interrupted(ctx, err)
		}
		if s.ValidateEvery > 0 && (epoch%s.ValidateEvery == 0 || epoch == s.Epochs) && run.anyActive() {
			if err := run.validate(ctx, epoch); err != nil {
				return run.interrupted(ctx, err)
			}
		}
	}
	return run.report()
}

func trainable(g *datasets.Graph) error {
	if len(g.Train) == 0 {
		return fmt.Errorf("%s has no training triples", g.Name)
	}
	return nil
}

// run is a population on its way.
type run struct {
	job         Job
	population  Population
	members     []memberState
	timing      Timing
	stepSeconds [][]float64 // of each epoch
}

type memberState struct {
	result    Result
	stopped   bool        // diverged, or out of patience
	best      *Parameters // of the best validated epoch
	bestMRR   float64
	sinceBest int // validations
}

func (r *run) anyActive() bool {
	return slices.ContainsFunc(r.members, func(m memberState) bool { return !m.stopped })
}

func (r *run) epoch(ctx context.Context, epoch int) error {
	s := r.job.Settings
	start := time.Now()
	done, err := r.population.Epoch(ctx, epochOrder(r.job.Graph.Train, s, epoch), math.Pow(s.Decay, float64(epoch-1)))
	if err != nil {
		return err
	}
	r.timing.Train += time.Since(start).Seconds()
	r.stepSeconds = append(r.stepSeconds, done.StepSeconds)
	for i := range r.members {
		m := &r.members[i]
		if m.stopped {
			continue
		}
		if math.IsNaN(done.Loss[i]) || math.IsInf(done.Loss[i], 0) {
			m.diverge(epoch)
			continue
		}
		m.result.Loss = append(m.result.Loss, done.Loss[i])
		if m.best == nil {
			m.result.BestEpoch = epoch
		}
	}
	if r.job.OnEpoch != nil {
		r.job.OnEpoch(Progress{Epoch: epoch, Epochs: s.Epochs, Loss: done.Loss})
	}
	return nil
}

func (r *run) validate(ctx context.Context, epoch int) error {
	start := time.Now()
	ranks, err := r.population.Rank(ctx, r.job.Graph.Valid, r.job.Graph.Known())
	if err != nil {
		return err
	}
	for i := range r.members {
		m := &r.members[i]
		if m.stopped {
			continue
		}
		mrr := Summarize(ranks[i], Pessimistic).Both.MRR
		m.result.Validations = append(m.result.Validations, Validation{Epoch: epoch, MRR: mrr})
		if m.best != nil && mrr <= m.bestMRR {
			m.sinceBest++
			m.stopped = r.job.Settings.Patience > 0 && m.sinceBest >= r.job.Settings.Patience
			continue
		}
		p, err := r.population.Parameters(i)
		if err != nil {
			return err
		}
		if !p.finite() {
			m.diverge(epoch)
			continue
		}
		m.best, m.bestMRR, m.sinceBest, m.result.BestEpoch = &p, mrr, 0, epoch
	}
	r.timing.Evaluate += time.Since(start).Seconds()
	return nil
}

func (m *memberState) diverge(epoch int) {
	m.stopped = true
	m.best = nil
	m.result.BestEpoch = 0
	m.result.Err = diverged(epoch, m.result.Member)
}

func diverged(epoch int, m Member) error {
	return fmt.Errorf("%w in epoch %d (structure %s, learning rate %g): try a smaller learning rate", ErrDiverged, epoch, m.Structure, m.LearningRate)
}

// interrupted is the report of the epochs that were finished, beside the error
// that ended them, where that is the end of ctx.
func (r *run) interrupted(ctx context.Context, err error) (*Report, error) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) || len(r.stepSeconds) == 0 {
		return nil, err
	}
	report, failed := r.report()
	if failed != nil {
		return nil, failed
	}
	return report, err
}

func (r *run) report() (*Report, error) {
	report := &Report{Timing: r.timing}
	report.Timing.PerStep = stepMedian(r.stepSeconds) / float64(len(r.members))
	for i := range r.members {
		m := &r.members[i]
		if m.result.Err == nil && m.best == nil {
			p, err := r.population.Parameters(i)
			if err != nil {
				return nil, err
			}
			if p.finite() {
				m.best = &p
			} else {
				m.diverge(m.result.BestEpoch)
			}
		}
		if m.best != nil {
			m.result.Model = newModel(r.job.Graph, r.job.Settings, m.result.Member, *m.best)
		}
		report.Results = append(report.Results, m.result)
	}
	return report, nil
}

// epochOrder is the training triples in the order of the given epoch, cut to
// the steps that the settings allow.
func epochOrder(train []datasets.Triple, s Settings, epoch int) []datasets.Triple {
	rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
	order := slices.Clone(train)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if s.MaxSteps > 0 && s.MaxSteps <= (len(order)-1)/s.Batch { // the product below cannot overflow
		order = order[:s.MaxSteps*s.Batch]
	}
	return order
}

// stepMedian is the median duration of a step, those that warm up left out.
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

func (p Parameters) finite() bool {
	return firstNotFinite(p.Entities) < 0 && firstNotFinite(p.Relations) < 0
}

func firstNotFinite(table []float32) int {
	return slices.IndexFunc(table, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}
