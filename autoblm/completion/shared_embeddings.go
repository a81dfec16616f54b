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

// SharedJob describes a call of [TrainSharedEmbeddings].
type SharedJob struct {
	Graph *datasets.Graph
	// Settings are the settings of [kge.Train], without validation during training.
	Settings kge.Settings
	// Member has the seed, the learning rate and the penalties. Its structure is not used.
	Member kge.Member
	// Candidates have the same K.
	Candidates []structure.Structure
	// SampleSeed draws the candidate of each step.
	SampleSeed uint64
	// OnEpoch, when set, is called after each epoch.
	OnEpoch func(kge.Progress)
}

// SharedReport holds the results of [TrainSharedEmbeddings].
type SharedReport struct {
	// Candidates has the candidates of the job, in order.
	Candidates []SharedCandidate
	// Loss is the mean loss per triple, with penalties, of each epoch before divergence.
	Loss   []float64
	Timing kge.Timing
	// Err wraps [kge.ErrDiverged] if training diverged.
	Err error
}

// SharedCandidate holds the result of a structure with the shared embeddings.
type SharedCandidate struct {
	Structure structure.Structure
	// Steps is the number of training steps with the structure.
	Steps int
	// Valid has the filtered metrics of the validation triples, with ties counted against the model.
	// It is empty if training diverged.
	Valid Evaluation
}

// TrainSharedEmbeddings trains one set of embeddings for all candidates. Each step uses a structure
// drawn uniformly from them. After the last epoch each candidate ranks the validation triples with
// these embeddings. The paper calls this "parameter sharing" (Section IV-B) and finds that it
// predicts little about models that are trained alone (Ablation Study 5). With one candidate it
// equals [kge.Train].
//
// The result depends only on the job. If training diverges, the report says so. An error means an
// invalid job, a graph without training or validation triples, or the end of ctx.
func TrainSharedEmbeddings(
	ctx context.Context, engine kge.Engine, job SharedJob,
) (*SharedReport, error) {
	if err := job.validate(); err != nil {
		return nil, err
	}
	shared := &sharedEngine{Engine: engine}
	// The second number separates this use of the seed from others.
	shared.population.draw = rand.New(rand.NewPCG(job.SampleSeed, 0x736861726564))
	for _, c := range job.Candidates {
		shared.population.candidates = append(shared.population.candidates, SharedCandidate{Structure: c})
	}
	data, s := Data(job.Graph), job.Settings
	data.Validate = func(ctx context.Context, _ kge.Ranker, _ int) ([]kge.Validation, error) {
		return make([]kge.Validation, 1), shared.population.evaluate(ctx, job.Graph)
	}
	s.ValidateEvery = s.Epochs // validate all candidates at the end
	trained, err := kge.Train(ctx, shared, kge.Job{
		Data: data, Settings: s, Members: []kge.Member{job.memberWith(0)}, OnEpoch: job.OnEpoch,
	})
	if err != nil {
		return nil, err
	}
	result := trained.Results[0]
	report := &SharedReport{Candidates: shared.population.candidates, Loss: result.Loss,
		Timing: trained.Timing}
	if result.Err != nil {
		report.Err = job.memberWith(shared.population.drawn).Diverged(min(len(result.Loss)+1, s.Epochs))
	}
	return report, nil
}

// memberWith returns the job's member with the structure of a candidate.
func (j SharedJob) memberWith(candidate int) kge.Member {
	m := j.Member
	m.Structure = j.Candidates[candidate]
	return m
}

func (j SharedJob) validate() error {
	if len(j.Candidates) == 0 {
		return errors.New("there are no candidates: give at least one structure")
	}
	for i, c := range j.Candidates {
		if c.K() != j.Candidates[0].K() {
			return fmt.Errorf("candidate %d has K=%d and candidate 0 has K=%d: "+
				"only structures with the same K can share embeddings",
				i, c.K(), j.Candidates[0].K())
		}
	}
	if err := j.Settings.ValidateFor(j.memberWith(0)); err != nil {
		return err
	}
	if j.Settings.ValidateEvery > 0 {
		return fmt.Errorf("validate-every is %d, but shared embeddings have no best epoch: set it to 0",
			j.Settings.ValidateEvery)
	}
	if len(j.Graph.Valid) == 0 {
		return fmt.Errorf("%s has no validation triples to compare the candidates by", j.Graph.Name)
	}
	return nil
}

// sharedEngine wraps an engine. It creates the population of one member that the candidates share.
type sharedEngine struct {
	kge.Engine
	population sharedPopulation
}

func (e *sharedEngine) NewPopulation(
	d *kge.Data, s kge.Settings, members []kge.Member,
) (_ kge.Population, err error) {
	e.population.Population, err = e.Engine.NewPopulation(d, s, members)
	return &e.population, err
}

// sharedPopulation draws a structure for each step.
type sharedPopulation struct {
	kge.Population
	candidates []SharedCandidate
	draw       *rand.Rand
	drawn      int // candidate of the last step
}

// Epoch ends once the loss is not finite.
func (p *sharedPopulation) Epoch(
	ctx context.Context, made kge.Batches, rates []float64,
) (all kge.Epoch, err error) {
	batches, examples := made.All(), 0
	for _, batch := range batches {
		examples += len(batch)
	}
	all.Loss = []float64{0}
	for _, batch := range batches {
		p.drawn = p.draw.IntN(len(p.candidates))
		if err := p.SetStructure(0, p.candidates[p.drawn].Structure); err != nil {
			return all, err
		}
		step, err := p.Population.Epoch(ctx, kge.BatchesOf(batch), rates)
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

// evaluate ranks with each candidate, unless the embeddings are not finite.
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
