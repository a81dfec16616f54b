package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
)

// Job is what [Train] is asked to do.
type Job struct {
	Data     *Data
	Settings Settings
	Members  []Member
	// OnEpoch, when set, is called after each epoch of each member.
	OnEpoch func(Progress)
}

// Progress tells how far a job is.
type Progress struct {
	// Member, from 0, has finished Epoch, from 1.
	Member, Members int
	Epoch, Epochs   int
	// Loss is the mean loss per query in this epoch.
	Loss float64
}

// Share is what is done of the job, from 0 to 1. Members that end early count as
// if they went on.
func (p Progress) Share() float64 {
	return (float64(p.Member) + float64(p.Epoch)/float64(p.Epochs)) / float64(p.Members)
}

// Report is what the members came to.
type Report struct {
	// Results has one for each member, in order; after the end of ctx there are
	// fewer, and the last may have stopped short.
	Results []Result
	Timing  completion.Timing
}

// Result is what one member came to.
type Result struct {
	Member Member
	// Model has the numbers of the best epoch; nil when the member diverged.
	Model *Model
	// Loss is the mean loss per query, penalties included, of each epoch before the
	// member stopped; all are finite.
	Loss []float64
	// Validations is the learning curve; empty unless the settings validate.
	Validations []completion.Validation
	// BestEpoch, from 1, is the epoch that Model is of; 0 when the member diverged.
	BestEpoch int
	// Err wraps [completion.ErrDiverged] when the member diverged.
	Err error
}

// Train trains the members of a job one after the other, each on all threads of
// the engine. What a member comes to is a function of the data, the settings and
// the member. One that diverges is reported in its Result and the others go on; the
// error is for what stops all: settings that make no sense, queries that are not
// there, the end of ctx, beside which comes the report of what there is.
func Train(ctx context.Context, engine Engine, job Job) (*Report, error) {
	if err := job.validate(); err != nil {
		return nil, err
	}
	report := &Report{}
	var steps []float64
	for i, m := range job.Members {
		r := &run{job: job, member: i, result: Result{Member: m}, reduction: 1}
		err := r.train(ctx, engine)
		report.Timing.Train += r.timing.Train
		report.Timing.Evaluate += r.timing.Evaluate
		if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			return nil, err
		}
		if err == nil || len(r.result.Loss) > 0 {
			report.Results = append(report.Results, r.result)
		}
		if err != nil {
			return report, err
		}
		steps = append(steps, r.stepSeconds...)
	}
	report.Timing.PerStep = median(steps)
	return report, nil
}

func (j Job) validate() error {
	if len(j.Members) == 0 {
		return errors.New("there is nothing to train: at least one member is needed")
	}
	for i, m := range j.Members {
		if err := j.Settings.Validate(m); err != nil {
			if len(j.Members) == 1 {
				return err
			}
			return fmt.Errorf("member %d: %w", i, err)
		}
	}
	for _, hops := range j.Settings.Trained() {
		if err := j.Data.Needs(InTrain, hops); err != nil {
			return err
		}
	}
	if j.Settings.ValidateEvery == 0 {
		return nil
	}
	for _, hops := range j.Settings.Hops {
		if err := j.Data.Needs(InValid, hops); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoQueries says that a split has no queries of a length.
var ErrNoQueries = errors.New("draw some first")

// Needs says so if a split has no queries of a length.
func (d *Data) Needs(split Split, hops int) error {
	if d.Queries(split, hops) == nil {
		return fmt.Errorf("%s has no %v queries of %d hops: %w", d.Name, split, hops, ErrNoQueries)
	}
	return nil
}

// run is a member in training.
type run struct {
	job         Job
	member      int
	trainer     Trainer
	result      Result
	best        *Parameters // of the best validated epoch
	bestMRR     float64
	sinceBest   int     // validations
	reduction   float64 // of the learning rate so far, by plateaus
	timing      completion.Timing
	stepSeconds []float64
}

func (r *run) train(ctx context.Context, engine Engine) (err error) {
	s := r.job.Settings
	if r.trainer, err = engine.NewTrainer(r.job.Data, s, r.result.Member); err != nil {
		return err
	}
	defer func() { r.finish() }()
	for epoch := 1; epoch <= s.Epochs && r.result.Err == nil; epoch++ {
		if err := r.epoch(ctx, epoch); err != nil {
			return err
		}
		if s.ValidateEvery > 0 && (epoch%s.ValidateEvery == 0 || epoch == s.Epochs) && r.result.Err == nil {
			if err := r.validate(ctx, epoch); err != nil {
				return err
			}
			if s.Patience > 0 && r.sinceBest >= s.Patience {
				break
			}
		}
	}
	return nil
}

func (r *run) epoch(ctx context.Context, epoch int) error {
	s, start := r.job.Settings, time.Now()
	rate := r.result.Member.LearningRate * r.reduction * math.Pow(s.Decay, float64(epoch-1))
	loss, seconds, err := r.trainer.Epoch(ctx, r.job.Data.batches(s, epoch), rate)
	if err != nil {
		return err
	}
	r.timing.Train += time.Since(start).Seconds()
	r.stepSeconds = append(r.stepSeconds, seconds...)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		r.diverge(epoch)
		return nil
	}
	r.result.Loss = append(r.result.Loss, loss)
	if r.best == nil {
		r.result.BestEpoch = epoch
	}
	if r.job.OnEpoch != nil {
		r.job.OnEpoch(Progress{Member: r.member, Members: len(r.job.Members), Epoch: epoch, Epochs: s.Epochs, Loss: loss})
	}
	return nil
}

func (r *run) validate(ctx context.Context, epoch int) error {
	defer func(start time.Time) { r.timing.Evaluate += time.Since(start).Seconds() }(time.Now())
	s := r.job.Settings
	e, err := Evaluate(ctx, r.trainer, r.job.Data.together(InValid, s.Hops))
	if err != nil {
		return err
	}
	r.result.Validations = append(r.result.Validations, completion.Validation{Epoch: epoch, MRR: e.MRR})
	if r.best != nil && e.MRR <= r.bestMRR {
		r.sinceBest++
		if s.PlateauPatience > 0 && r.sinceBest%s.PlateauPatience == 0 {
			r.reduction *= s.PlateauFactor
		}
		return nil
	}
	p := r.trainer.Parameters()
	if !p.finite() {
		r.diverge(epoch)
		return nil
	}
	r.best, r.bestMRR, r.sinceBest, r.result.BestEpoch = &p, e.MRR, 0, epoch
	return nil
}

// finish makes the model of the best epoch, or of the last one.
func (r *run) finish() {
	if r.result.Err == nil && r.best == nil && len(r.result.Loss) > 0 {
		if p := r.trainer.Parameters(); p.finite() {
			r.best = &p
		} else {
			r.diverge(len(r.result.Loss))
		}
	}
	if r.best != nil {
		r.result.Model = newModel(r.job.Data, r.job.Settings, r.result.Member, *r.best)
	}
}

func (r *run) diverge(epoch int) {
	m := r.result.Member
	what := m.Kind.String()
	if m.Kind == Bilinear {
		what = "structure " + m.Structure.String()
	}
	r.best, r.result.BestEpoch = nil, 0
	r.result.Err = fmt.Errorf("%w in epoch %d (%s, learning rate %g): try a smaller learning rate", completion.ErrDiverged, epoch, what, m.LearningRate)
}

// together are the queries of a split of several lengths.
func (d *Data) together(split Split, hops []int) (all []Query) {
	for _, h := range hops {
		all = append(all, d.Queries(split, h)...)
	}
	return all
}

// batches are the training queries in the order of the given epoch, each with one
// of its answers, cut to the steps that the settings allow. The paths of a batch
// have one length; batches of different lengths are shuffled.
func (d *Data) batches(s Settings, epoch int) (all [][]Example) {
	rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
	for _, hops := range s.Trained() {
		queries := d.Queries(InTrain, hops)
		order := make([]Example, len(queries))
		for i, place := range rng.Perm(len(queries)) {
			q := &queries[place]
			order[i] = Example{q, q.Hard[rng.IntN(len(q.Hard))]}
		}
		all = slices.AppendSeq(all, slices.Chunk(order, s.Batch))
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if s.MaxSteps > 0 {
		all = all[:min(s.MaxSteps, len(all))]
	}
	return all
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func (p Parameters) finite() bool {
	for _, table := range [][]float32{p.Entities, p.Relations} {
		for _, x := range table {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return false
			}
		}
	}
	return true
}
