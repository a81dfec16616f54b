package completion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// SharedJob is what [TrainShared] is asked to do.
type SharedJob struct {
	Graph *datasets.Graph
	// Settings are those of [kge.Train], except that nothing is validated on the way.
	Settings kge.Settings
	// Member has the seed, the learning rate and the penalties; its structure is
	// not used.
	Member kge.Member
	// Candidates have one K.
	Candidates []structure.Structure
	// SampleSeed decides which candidate each step trains.
	SampleSeed uint64
	// OnEpoch, when set, is called after each epoch.
	OnEpoch func(kge.Progress)
}

// SharedReport is what shared training came to.
type SharedReport struct {
	// Candidates are those of the job, in order.
	Candidates []SharedCandidate
	// Loss is the mean loss per triple of each epoch before training diverged,
	// penalties included, over the structures that were drawn.
	Loss   []float64
	Timing kge.Timing
	// Err wraps [kge.ErrDiverged] when training diverged.
	Err error
}

// SharedCandidate is how a structure does with the shared embeddings.
type SharedCandidate struct {
	Structure structure.Structure
	// Steps is how many training steps had it.
	Steps int
	// Valid sums up the filtered ranks of the validation triples, ties counted
	// against the model. It is empty when training diverged.
	Valid Evaluation
}

// TrainShared trains one set of embeddings for all candidates: each step has a
// structure drawn uniformly from them. After the last epoch each candidate ranks
// the validation triples with these embeddings (paper, Section IV-B and Ablation
// Study 5, where this "parameter sharing" is found to tell little about models
// that are trained alone). With one candidate it is [kge.Train].
//
// The result is a function of the job. Divergence is reported in SharedReport;
// the error is for a job that makes no sense, for a graph without training or
// validation triples, and for the end of ctx.
func TrainShared(ctx context.Context, engine kge.Engine, job SharedJob) (*SharedReport, error) {
	if err := job.validate(); err != nil {
		return nil, err
	}
	start := time.Now()
	population, err := engine.NewPopulation(Data(job.Graph), job.Settings, []kge.Member{job.memberWith(0)})
	if err != nil {
		return nil, err
	}
	defer population.Close()
	run := &sharedRun{
		job:        job,
		data:       Data(job.Graph),
		population: population,
		draw:       rand.New(rand.NewPCG(job.SampleSeed, 0x736861726564)), // the second word keeps draws apart from other uses of the seed
	}
	run.report.Timing.Compile = time.Since(start).Seconds()
	for _, c := range job.Candidates {
		run.report.Candidates = append(run.report.Candidates, SharedCandidate{Structure: c})
	}
	for epoch := 1; epoch <= job.Settings.Epochs && run.report.Err == nil; epoch++ {
		if err := run.epoch(ctx, epoch); err != nil {
			return nil, err
		}
	}
	run.report.Timing.PerStep = kge.StepMedian(run.stepSeconds)
	if run.report.Err == nil {
		if err := run.evaluate(ctx); err != nil {
			return nil, err
		}
	}
	return &run.report, nil
}

// memberWith is the job's member with the structure of a candidate.
func (j SharedJob) memberWith(candidate int) kge.Member {
	m := j.Member
	m.Structure = j.Candidates[candidate]
	return m
}

func (j SharedJob) validate() error {
	if len(j.Candidates) == 0 {
		return errors.New("there are no candidates to share embeddings: give at least one structure")
	}
	for i, c := range j.Candidates {
		if c.K() != j.Candidates[0].K() {
			return fmt.Errorf("candidate %d has K=%d and candidate 0 has K=%d: only structures with one K can share embeddings", i, c.K(), j.Candidates[0].K())
		}
	}
	if err := j.Settings.ValidateFor(j.memberWith(0)); err != nil {
		return err
	}
	if j.Settings.ValidateEvery > 0 {
		return fmt.Errorf("validate-every is %d, but shared embeddings have no best epoch of each candidate: leave it at 0", j.Settings.ValidateEvery)
	}
	if len(j.Graph.Valid) == 0 {
		return fmt.Errorf("%s has no validation triples to compare the candidates by", j.Graph.Name)
	}
	if len(j.Graph.Train) == 0 {
		return fmt.Errorf("%s has nothing to train on", j.Graph.Name)
	}
	return nil
}

// sharedRun is shared training on its way.
type sharedRun struct {
	job         SharedJob
	data        *kge.Data
	population  kge.Population
	draw        *rand.Rand
	report      SharedReport
	stepSeconds [][]float64 // of each epoch
}

func (r *sharedRun) epoch(ctx context.Context, epoch int) error {
	start := time.Now()
	s := r.job.Settings
	batches := r.data.Batches(s, epoch)
	all := 0
	for _, batch := range batches {
		all += len(batch)
	}
	var loss float64
	var seconds []float64
	for _, batch := range batches {
		drawn := r.draw.IntN(len(r.job.Candidates))
		if err := r.population.SetStructure(0, r.job.Candidates[drawn]); err != nil {
			return err
		}
		step, err := r.population.Epoch(ctx, [][]kge.Example{batch}, []float64{r.job.Member.LearningRate * math.Pow(s.Decay, float64(epoch-1))})
		if err != nil {
			return err
		}
		r.report.Candidates[drawn].Steps++
		seconds = append(seconds, step.StepSeconds...)
		loss += step.Loss[0] * float64(len(batch)) / float64(all)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			r.report.Err = kge.Diverged(epoch, r.job.memberWith(drawn))
			break
		}
	}
	r.report.Timing.Train += time.Since(start).Seconds()
	r.stepSeconds = append(r.stepSeconds, seconds)
	if r.report.Err != nil {
		return nil
	}
	r.report.Loss = append(r.report.Loss, loss)
	if r.job.OnEpoch != nil {
		r.job.OnEpoch(kge.Progress{Epoch: epoch, Epochs: s.Epochs, Loss: []float64{loss}})
	}
	return nil
}

// evaluate ranks by each candidate, unless the last step spoilt the embeddings.
func (r *sharedRun) evaluate(ctx context.Context) error {
	start := time.Now()
	shared, err := r.population.Parameters(0)
	if err != nil {
		return err
	}
	if !shared.Finite() {
		member := r.job.Member
		member.Structure = shared.Structure
		r.report.Err = kge.Diverged(len(r.report.Loss), member)
		return nil
	}
	for i := range r.report.Candidates {
		c := &r.report.Candidates[i]
		if err := r.population.SetStructure(0, c.Structure); err != nil {
			return err
		}
		ranks, err := r.population.Rank(ctx, r.job.Graph.Valid, r.job.Graph.Known())
		if err != nil {
			return err
		}
		c.Valid = Summarize(ranks[0], kge.Pessimistic)
	}
	r.report.Timing.Evaluate = time.Since(start).Seconds()
	return nil
}
