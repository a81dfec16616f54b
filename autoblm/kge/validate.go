package kge

import (
	"context"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// validate validates the active members after an epoch, keeps those that improved, and applies
// patience to the others.
func (r *run) validate(ctx context.Context, epoch int) error {
	defer r.timing.MeasureEvaluation(r.engine)()
	scores, err := r.validationScores(ctx, epoch)
	if err != nil {
		return err
	}
	for i := range r.members {
		m := &r.members[i]
		if m.Stopped {
			continue
		}
		scores[i].Epoch = epoch
		m.Validations = append(m.Validations, scores[i])
		if m.best != nil && scores[i].MRR <= m.BestMRR {
			m.losePatience(r.job.Settings)
		} else if err := r.keepBest(i, epoch, scores[i].MRR); err != nil {
			return err
		}
	}
	return nil
}

// validationScores returns the validations of all members.
func (r *run) validationScores(ctx context.Context, epoch int) ([]Validation, error) {
	if r.job.OnStep != nil {
		p := r.progress(epoch, 1, 1)
		p.Validating = true
		r.job.OnStep(p)
	}
	return r.job.Data.Validate(ctx, r.population, r.job.ValidateBy)
}

// losePatience counts a validation without improvement. It may stop the member or reduce its
// learning rate.
func (m *memberRun) losePatience(s Settings) {
	m.SinceBest++
	m.Stopped = s.Patience > 0 && m.SinceBest >= s.Patience
	if s.PlateauPatience > 0 && m.SinceBest%s.PlateauPatience == 0 {
		m.Reduction *= s.PlateauFactor
	}
}

// keepBest keeps a member's current embeddings as its best.
func (r *run) keepBest(member, epoch int, mrr float64) error {
	m := &r.members[member]
	if tablesOf(r.engine) == nil {
		m.best = nil // before the next copy, which may be large
		memory.CollectGarbage(r.bytes)
	}
	p, err := r.copyOf(member)
	if err != nil {
		return err
	}
	if p == nil {
		m.diverge(epoch)
		return nil
	}
	m.best, m.BestMRR, m.SinceBest, m.BestEpoch = p, mrr, 0, epoch
	return nil
}

// copyOf returns a copy of a member's current embeddings, nil if they are not finite. If tables are
// in files, so is the copy, which overwrites that of the best epoch.
func (r *run) copyOf(member int) (*Parameters, error) {
	if tablesOf(r.engine) == nil {
		p, err := r.population.Parameters(member)
		if err != nil || !p.Finite() {
			return nil, err
		}
		return &p, nil
	}
	state, err := streamOf(r.population)
	if err != nil {
		return nil, err
	}
	from := state.Members[member].Tables
	for _, table := range from {
		for part := range table.Parts {
			if firstNotFinite(part) >= 0 {
				return nil, nil
			}
		}
	}
	p := r.members[member].best
	if p == nil {
		if p, err = r.newParameters(member, from); err != nil {
			return nil, err
		}
	}
	for i, to := range checkpoint.TablesOf(p.All()) {
		to.Fill(from[i])
	}
	return p, nil
}

// validateStopped validates the members within an epoch and keeps those that are better than
// in their best epoch. It returns which ones are.
func (r *run) validateStopped(ctx context.Context) (isBetter []bool, err error) {
	isBetter = make([]bool, len(r.members))
	scores, err := r.validationScores(ctx, r.epochs+1)
	if err != nil {
		return isBetter, err
	}
	for i := range r.members {
		m := &r.members[i]
		if m.Stopped || m.best == nil || scores[i].MRR <= m.BestMRR {
			continue
		}
		p, err := r.copyOf(i)
		if err != nil {
			return isBetter, err
		}
		if isBetter[i] = p != nil; isBetter[i] {
			m.best, m.BestMRR, m.BestEpoch = p, scores[i].MRR, r.epochs
		}
	}
	return isBetter, nil
}
