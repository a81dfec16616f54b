package cpu

import (
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/progress"
)

// population is a set of models in training.
type population struct {
	ranker
	data     *kge.Data
	members  []kge.Member
	trainers []*trainer
	demand   demand
	// One workspace for each thread, whose members train one per core; and one
	// for all threads, whose members share the cores.
	single []*workspace
	shared *workspace
}

var _ interface {
	kge.StateViewer
	progress.Reporter
} = (*population)(nil)

// NewPopulation implements [kge.Engine].
func (e *Engine) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population, error) {
	var err error
	if s.Precision, err = e.Precision(s.Precision, members[0].Form, len(d.Entities), s.Dim); err != nil {
		return nil, err
	}
	if err := s.CheckMemory(d, members, max(e.besides(d, s, members), e.besides(d, s.In(1), members))); err != nil {
		return nil, err
	}
	p := &population{ranker: ranker{threads: e.threads, precision: s.Precision}, data: d, members: members}
	l := lessonOf(d, s)
	for _, member := range members {
		first := kge.Initialize(d, s, member)
		if err := d.Err(); err != nil { // before the tables are copied, which may be large
			return nil, err
		}
		m := newModel(e.kernels, e.unit(s.Precision), first)
		memory.CollectGarbage(float * float64(len(first.Entities))) // which are copied, before the optimizer has its own
		p.models = append(p.models, m)
		p.trainers = append(p.trainers, newTrainer(m, l, s, member))
	}
	p.makeRoom(s)
	return p, nil
}

// makeRoom makes the workspaces for the settings.
func (p *population) makeRoom(s kge.Settings) {
	layout, entities := p.trainers[0].layout, len(p.data.Entities)
	p.demand = demand{
		model: p.models[0], units: layout.units(min(s.Batch, p.data.Count)), paths: layout.examples * p.trainers[0].lesson.ways(), smoothing: s.LabelSmoothing, softmax: s.Negatives == 0, among: s.Candidates(entities), few: s.SparseGradients, pairs: !p.data.BothDirections,
		relations: slices.ContainsFunc(p.members, func(m kge.Member) bool { return m.RelationPrediction > 0 }),
	}
	p.single, p.shared = nil, nil
	alone := p.alone()
	for range min(alone, p.threads) {
		p.single = append(p.single, newWorkspace(p.demand, 1, p.demand.kept()/p.threads))
	}
	if alone < len(p.members) {
		p.shared = newWorkspace(p.demand, p.threads, p.demand.kept())
	}
}

// Adjust implements [kge.Population].
func (p *population) Adjust(s kge.Settings) error {
	for _, t := range p.trainers {
		t.set = s
	}
	p.makeRoom(s)
	return nil
}

func lessonOf(d *kge.Data, s kge.Settings) lesson {
	if d.BothDirections {
		return triples{oneWay: s.AnswersPerQuery > 0}
	}
	return answers{}
}

const float, half = 4, 2 // bytes

// besides is how many bytes a population takes at least beside its tables: each unit has a row
// for both ends of its paths and those of a relation, each thread besides those of what it
// makes of them, and some units keep their exponentials, or where slopes are few each thread.
// In bfloat16 there are the rounded entities too.
func (e *Engine) besides(d *kge.Data, s kge.Settings, members []kge.Member) float64 {
	rounded := s.Precision == kge.Bfloat16
	queries, number := tiles.MaxQueries, float // of an exponential
	if rounded {
		queries, number = tiles.MaxRoundedQueries, half
	}
	l := lessonOf(d, s)
	layout := newLayout(queries, l)
	units, paths := layout.units(min(s.Batch, d.Count)), layout.examples*l.ways()
	ofUnit, ofThread := float64(2*s.Dim*paths), float64(8*s.Dim*paths)
	for _, t := range members[0].Form.Spec().Tables(s.Dim) {
		slots := paths
		if t.Shared {
			slots = min(slots, queries)
		}
		ofUnit += float64(slots) * float64(t.Rows) * float64(t.Columns)
	}
	bytes := float * (ofUnit*float64(units) + ofThread*float64(e.threads))
	switch {
	case s.SparseGradients > 0:
		bytes += float * float64(len(d.Entities)) * float64(queries) * float64(e.threads)
	case s.Negatives == 0:
		kept := float64(number) * float64(s.Candidates(len(d.Entities))) * float64(queries) // by a unit
		bytes += kept * max(1, min(float64(units), math.Floor(float64(mostKept(rounded))/kept)))
	}
	if rounded {
		bytes += half * float64(len(d.Entities)) * float64(s.Dim) * float64(len(members))
	}
	return bytes
}

// alone is how many members train one per core: whole rounds of them, where the
// graph is small enough that each core can keep a few units. The rest share the
// cores, one after the other.
func (p *population) alone() int {
	switch {
	case p.threads == 1:
		return len(p.trainers)
	case 2*p.threads*p.demand.unitBytes() > p.demand.kept():
		return 0
	}
	return len(p.trainers) / p.threads * p.threads
}

// Epoch implements [kge.Population].
func (p *population) Epoch(ctx context.Context, batches [][]kge.Example, rates []float64) (kge.Epoch, error) {
	epoch := kge.Epoch{Loss: make([]float64, len(p.trainers))}
	seconds := make([][]float64, len(p.trainers))
	errs := make([]error, len(p.trainers))
	over := p.doing(len(p.trainers) * len(batches))
	train := func(i int, w *workspace) {
		t := p.trainers[i]
		t.workspace, t.stepped = w, over
		epoch.Loss[i], seconds[i], errs[i] = t.epoch(ctx, batches, rates[i])
	}
	alone := p.alone()
	tiles.Parallel(p.threads, alone, func(worker, i int) { train(i, p.single[worker]) })
	for i := alone; i < len(p.trainers); i++ {
		train(i, p.shared)
	}
	for i, err := range errs {
		if err != nil {
			return epoch, err
		}
		if epoch.StepSeconds == nil {
			epoch.StepSeconds = make([]float64, len(seconds[i]))
		}
		side := 1.0 // of the members that train at a time
		if i < alone {
			side = float64(p.threads)
		}
		for step, s := range seconds[i] {
			epoch.StepSeconds[step] += s / side
		}
	}
	return epoch, nil
}

// Close implements [kge.Ranker].
func (p *population) Close() {
	r := p.ranker
	*p = population{}
	r.Close()
}

// Parameters implements [kge.Population].
func (p *population) Parameters(member int) (kge.Parameters, error) {
	return p.models[member].parameters(copied), nil
}

// SetStructure implements [kge.Population].
func (p *population) SetStructure(member int, s structure.Structure) error {
	m := p.models[member]
	if err := rules.CheckReplacement(m.structure, s); err != nil {
		return err
	}
	m.setStructure(s)
	return nil
}

// State implements [kge.Population].
func (p *population) State() (kge.State, error) { return p.state(copied), nil }

// Shown implements [kge.StateViewer].
func (p *population) View() kge.State { return p.state(shown) }

func (p *population) state(made withoutPadding) kge.State {
	s := kge.State{Steps: p.trainers[0].steps}
	for _, t := range p.trainers {
		m := kge.MemberState{Parameters: t.parameters(made)}
		for _, slot := range t.slots() {
			m.Slots = append(m.Slots, t.dense(slot, made))
		}
		s.Members = append(s.Members, m)
	}
	return s
}

// SetState implements [kge.Population].
func (p *population) SetState(s kge.State) error {
	var present []kge.Parameters
	for _, m := range p.models {
		present = append(present, m.parameters(shown))
	}
	if err := s.Fits(present, len(p.trainers[0].slots())); err != nil {
		return err
	}
	for i, t := range p.trainers {
		m := s.Members[i]
		t.steps = s.Steps
		t.setStructure(m.Structure)
		t.fill(t.tables(), m.Tables)
		for n, slot := range t.slots() {
			t.fill(slot, m.Slots[n])
		}
	}
	return nil
}
