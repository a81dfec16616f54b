package kge

import (
	"context"
	"math"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/progress"
)

// prefetcher makes the batches of epochs in order, one epoch ahead.
type prefetcher struct {
	data     *Data
	settings Settings
	next     chan Batches
}

// batches returns the batches of an epoch and starts to make those of the next one.
func (p *prefetcher) batches(ctx context.Context, epoch int) (batches Batches, err error) {
	if p.next == nil {
		p.start(epoch)
	}
	select {
	case batches = <-p.next:
	case <-ctx.Done():
		return batches, ctx.Err()
	}
	if epoch < p.settings.Epochs {
		p.start(epoch + 1)
	}
	return batches, nil
}

func (p *prefetcher) start(epoch int) {
	next := make(chan Batches, 1)
	p.next = next
	s := p.settings
	go func() { next <- p.data.Batches(s, epoch) }()
}

// trainEpoch takes the steps of an epoch, or of the rest of a begun one.
func (r *run) trainEpoch(ctx context.Context, source *prefetcher, epoch int) error {
	start := time.Now()
	batches, err := source.batches(ctx, epoch)
	if err != nil {
		return err
	}
	all, rest := batches.Count, batches.From(r.begun)
	r.next = all
	if rest.Count == 0 {
		if r.begun != all || !r.isValidating() {
			return checkpoint.ErrDamaged
		}
		r.steps, r.begun = r.steps+all, 0 // the checkpoint is of the validation
		return nil
	}
	detach := progress.Attach(r.population, r.stepReporter(epoch, all))
	result, err := r.population.Epoch(ctx, rest, r.rates(epoch))
	detach()
	r.timing.Train += time.Since(start).Seconds()
	if err != nil {
		return err
	}
	r.timing.Epochs = append(r.timing.Epochs, r.timing.Train)
	r.steps, r.begun = r.steps+all, 0
	r.stepSeconds = append(r.stepSeconds, result.StepSeconds)
	r.recordLosses(epoch, result.Loss)
	if r.job.OnEpoch != nil {
		p := r.progress(epoch, all, all)
		p.Loss = result.Loss
		r.job.OnEpoch(p)
	}
	return nil
}

// recordLosses records the losses of an epoch and stops members that diverged.
func (r *run) recordLosses(epoch int, losses []float64) {
	for i, loss := range losses {
		m := &r.members[i]
		if m.Stopped {
			continue
		}
		if HasExploded(loss, r.lossOfEqualScores(r.job.Members[i])) {
			m.diverge(epoch)
			continue
		}
		m.Loss = append(m.Loss, loss)
		if m.best == nil {
			m.BestEpoch = epoch
		}
	}
}

// lossOfEqualScores returns the loss of a member that scores all answers alike.
func (r *run) lossOfEqualScores(m Member) float64 {
	d := r.job.Data
	return 2*math.Log(float64(len(d.Entities))) + // in both directions
		m.RelationPrediction*math.Log(float64(len(d.Relations)))
}

// stepReporter returns a function that passes progress within an epoch to OnStep, or nil if OnStep
// is nil.
func (r *run) stepReporter(epoch, steps int) func(share float64) {
	if r.job.OnStep == nil {
		return nil
	}
	begun := r.begun
	return func(share float64) {
		step := begun + int(math.Round(share*float64(steps-begun)))
		r.job.OnStep(r.progress(epoch, step, steps))
	}
}

// rates returns the members' learning rates in an epoch.
func (r *run) rates(epoch int) []float64 {
	rates := make([]float64, len(r.members))
	s := r.job.Settings
	cooldown := s.cooldownAt(epoch)
	decay := math.Pow(s.Decay, float64(epoch-1))
	for i, m := range r.members {
		rates[i] = r.job.Members[i].LearningRate * m.Reduction * decay * cooldown
	}
	return rates
}

// cooldownAt returns the factor of the cooldown on the learning rate in an epoch.
func (s Settings) cooldownAt(epoch int) float64 {
	return min(1, float64(s.Epochs+1-epoch)/(s.cooldownEpochs()+1))
}

// cooldownEpochs returns the number of last epochs with a falling learning rate.
func (s Settings) cooldownEpochs() float64 {
	if s.Cooldown < 1 {
		return math.Round(s.Cooldown * float64(s.Epochs))
	}
	return math.Floor(s.Cooldown)
}
