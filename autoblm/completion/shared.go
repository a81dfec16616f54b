package completion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
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
	shared := &sharedEngine{Engine: engine}
	shared.population.draw = rand.New(rand.NewPCG(job.SampleSeed, 0x736861726564)) // the second word keeps draws apart from other uses of the seed
	for _, c := range job.Candidates {
		shared.population.candidates = append(shared.population.candidates, SharedCandidate{Structure: c})
	}
	data, s := Data(job.Graph), job.Settings
	data.Validate = func(ctx context.Context, _ kge.Ranker, _ int) ([]float64, error) {
		return []float64{0}, shared.population.evaluate(ctx, job.Graph)
	}
	s.ValidateEvery = s.Epochs // all candidates, at the end
	trained, err := kge.Train(ctx, shared, kge.Job{Data: data, Settings: s, Members: []kge.Member{job.memberWith(0)}, OnEpoch: job.OnEpoch})
	if err != nil {
		return nil, err
	}
	result := trained.Results[0]
	report := &SharedReport{Candidates: shared.population.candidates, Loss: result.Loss, Timing: trained.Timing}
	if result.Err != nil {
		report.Err = job.memberWith(shared.population.drawn).Diverged(min(len(result.Loss)+1, s.Epochs))
	}
	return report, nil
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
	return nil
}

// sharedEngine makes the population of one member that candidates share.
type sharedEngine struct {
	kge.Engine
	population sharedPopulation
}

func (e *sharedEngine) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (_ kge.Population, err error) {
	e.population.Population, err = e.Engine.NewPopulation(d, s, members)
	return &e.population, err
}

// sharedPopulation draws a structure for each step.
type sharedPopulation struct {
	kge.Population
	candidates []SharedCandidate
	draw       *rand.Rand
	drawn      int // the candidate of the last step
}

// Epoch ends where the loss is no number any more.
func (p *sharedPopulation) Epoch(ctx context.Context, batches [][]kge.Example, rates []float64) (all kge.Epoch, err error) {
	examples := 0
	for _, batch := range batches {
		examples += len(batch)
	}
	all.Loss = []float64{0}
	for _, batch := range batches {
		p.drawn = p.draw.IntN(len(p.candidates))
		if err := p.SetStructure(0, p.candidates[p.drawn].Structure); err != nil {
			return all, err
		}
		step, err := p.Population.Epoch(ctx, [][]kge.Example{batch}, rates)
		if err != nil {
			return all, err
		}
		p.candidates[p.drawn].Steps++
		all.StepSeconds = append(all.StepSeconds, step.StepSeconds...)
		all.Loss[0] += step.Loss[0] * float64(len(batch)) / float64(examples)
		if math.IsNaN(all.Loss[0]) || math.IsInf(all.Loss[0], 0) {
			break
		}
	}
	return all, nil
}

// evaluate ranks by each candidate, unless the last step spoilt the embeddings.
func (p *sharedPopulation) evaluate(ctx context.Context, g *datasets.Graph) error {
	if embeddings, err := p.Parameters(0); err != nil || !embeddings.Finite() {
		return err
	}
	for i := range p.candidates {
		c := &p.candidates[i]
		if err := p.SetStructure(0, c.Structure); err != nil {
			return err
		}
		ranks, err := rank(ctx, p, g.Valid, g)
		if err != nil {
			return err
		}
		c.Valid = Summarize(ranks[0], eval.Pessimistic)
	}
	return nil
}
