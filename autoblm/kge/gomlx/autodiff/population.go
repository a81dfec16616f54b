package autodiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/encoder"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/tensors"
)

// population is a set of models in training. They take each step in turn.
type population struct {
	*ranker
	data     *kge.Data
	settings kge.Settings
	trainees []*trainee
	edges    []*tensors.Tensor // of the encoder
	steps    int               // taken so far
}

// Supports returns an error if the package lacks something that a training needs.
func Supports(c Compiler, d *kge.Data, s kge.Settings, members []kge.Member) error {
	for _, m := range members {
		f := s.FormOf(m)
		if err := SupportsForm(f); err != nil {
			return err
		}
	}
	if s.Buckets > 1 {
		return errors.New("engine gomlx has no buckets; set buckets to 0 or use engine cpu")
	}
	if err := errors.Join(s.CheckTeacher(d), s.CheckTemperature(d)); err != nil {
		return err
	}
	answers := answersPerQuestion(d, s)
	for _, m := range members {
		memory := memoryOf(c, d, s, m, answers)
		if err := memory.check(s, len(members)); err != nil {
			return err
		}
		f := s.FormOf(m)
		if _, ok := modelOf(kge.Parameters{Form: f}).graphs().(averaging); ok {
			if room := memory.room(); room < memory.questions {
				return fmt.Errorf("%v needs a whole batch, but only %d of its %d questions fit in memory "+
					"at a time: set a smaller batch", f, room, memory.questions)
			}
		}
	}
	return nil
}

// NewPopulation creates a population that is supported.
func NewPopulation(
	c Compiler, d *kge.Data, s kge.Settings, members []kge.Member,
) (kge.Population, error) {
	answers := answersPerQuestion(d, s)
	rooms := make([]int, len(members))
	for i, m := range members {
		memory := memoryOf(c, d, s, m, answers)
		if err := memory.check(s, len(members)); err != nil {
			return nil, err
		}
		c.NoteOnce(memory.note(s))
		rooms[i] = memory.room()
	}
	p := &population{
		ranker: &ranker{compiler: c}, data: d, settings: s,
		edges: encoder.New(s, members[0]).Edges(d),
	}
	for i, m := range members {
		t := newTrainee(c, d, s, m, rooms[i], p.edges)
		p.trainees, p.models = append(p.trainees, t), append(p.models, t.stored)
	}
	p.relations = len(d.Relations)
	return p, nil
}

// Epoch implements [kge.Population].
func (p *population) Epoch(
	ctx context.Context, batches kge.Batches, rates []float64,
) (kge.Epoch, error) {
	epoch := kge.Epoch{Loss: make([]float64, len(p.trainees))}
	all, first := 0, p.steps
	var memory []kge.Example
	prepare := func(i int) (b preparedBatch) {
		memory = batches.Make(i, memory)
		b.examples = len(memory)
		batch := newBatch(p.data, p.settings, memory)
		for n, t := range p.trainees {
			b.members = append(b.members, t.prepare(t.parts(batch), first+1+i, rates[n]))
		}
		return b
	}
	began := time.Now()
	err := ahead(batches.Count, prepare, func(i int, b preparedBatch) error {
		for n, t := range p.trainees {
			if err := ctx.Err(); err != nil {
				return err
			}
			loss, err := t.step(b.members[n])
			if err != nil {
				return fmt.Errorf("training step: %w", err)
			}
			epoch.Loss[n] += loss * float64(b.examples)
		}
		p.steps = first + 1 + i
		all += b.examples
		epoch.StepSeconds = append(epoch.StepSeconds, time.Since(began).Seconds())
		began = time.Now()
		p.report(float64(i+1) / float64(batches.Count))
		return nil
	})
	if err != nil {
		return epoch, err
	}
	for n := range epoch.Loss {
		epoch.Loss[n] /= float64(max(1, all))
	}
	return epoch, nil
}

// preparedBatch is a batch that is ready for the device.
type preparedBatch struct {
	examples int
	members  [][]prepared
}

// ahead calls visit with the values that create returns for 0, 1, … n-1. It creates the next value
// while it visits one.
func ahead[T any](n int, create func(i int) T, visit func(i int, x T) error) error {
	next := make(chan T, 1)
	start := func(i int) {
		if i < n {
			go func() { next <- create(i) }()
		}
	}
	start(0)
	for i := range n {
		x := <-next
		start(i + 1)
		if err := visit(i, x); err != nil {
			if i+1 < n {
				<-next // nothing is created after the return
			}
			return err
		}
	}
	return nil
}

// Parameters implements [kge.Population].
func (p *population) Parameters(member int) (kge.Parameters, error) {
	model, err := p.trainees[member].encoded()
	if err != nil {
		return kge.Parameters{}, err
	}
	return model.parameters()
}

// SetStructure implements [kge.Population]. The operators of a structure are inputs of the
// programs, so nothing is compiled, except for an encoder whose messages have the structure.
func (p *population) SetStructure(member int, s structure.Structure) error {
	t := p.trainees[member]
	if err := rules.CheckReplacement(t.Structure, s); err != nil {
		return err
	}
	t.setStructure(s)
	return nil
}

// Adjust implements [kge.Population]. Gradients are never sparse here, so no epoch needs other
// settings.
func (*population) Adjust(kge.Settings) error { return nil }

// State implements [kge.Population].
func (p *population) State() (kge.State, error) {
	s := kge.State{Steps: p.steps, Members: make([]kge.MemberState, len(p.trainees))}
	for i, t := range p.trainees {
		var err error
		if s.Members[i], err = t.state(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// SetState implements [kge.Population].
func (p *population) SetState(s kge.State) error {
	var current []kge.MemberShape
	for _, t := range p.trainees {
		current = append(current, t.shape())
	}
	if err := s.Fits(current, len(p.trainees[0].slots)); err != nil {
		return err
	}
	p.steps = s.Steps
	for i, t := range p.trainees {
		t.setState(s.Members[i])
	}
	return nil
}

// Close implements [kge.Ranker].
func (p *population) Close() {
	for _, t := range p.trainees {
		t.close()
	}
	finalize(p.edges...)
	p.trainees, p.models = nil, slices.Clip(p.models[:0])
}
