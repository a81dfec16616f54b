package cpu

import (
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"github.com/autoblm/autoblm-go/internal/progress"
)

// population is a set of models in training.
type population struct {
	ranker
	data     *kge.Data
	members  []kge.Member
	trainers []*trainer
	needs    requirements
	// perThread has a workspace for each thread, used by members that train on one core each.
	perThread []*workspace
	// shared is used by members that train on all cores, one after the other.
	shared *workspace
}

var _ interface {
	kge.LargePopulation
	progress.Reporter
} = (*population)(nil)

// NewPopulation implements [kge.Engine].
func (e *Engine) NewPopulation(
	d *kge.Data, s kge.Settings, members []kge.Member,
) (kge.Population, error) {
	var err error
	s.Precision, err = e.Precision(s.RequestedPrecision(d.BothDirections), s.FormOf(members[0]),
		len(d.Entities), s.Dim)
	if err != nil {
		return nil, err
	}
	extra := max(e.extraBytes(d, s, members), e.extraBytes(d, s.In(1), members))
	if !e.HasTablesInFiles() {
		if err := s.CheckMemory(d, members, extra); err != nil {
			return nil, err
		}
	}
	p := &population{
		ranker: ranker{threads: e.threads, precision: s.Precision}, data: d, members: members,
	}
	o := objectiveOf(d, s)
	for _, member := range members {
		m, err := e.initialModel(d, s, member)
		if err != nil {
			return nil, err
		}
		t, err := newTrainer(m, o, s, member, d.PenaltyScales(member.Weights))
		if err != nil {
			return nil, err
		}
		t.trainingAnswers = d.Answers
		p.models, p.trainers = append(p.models, m), append(p.trainers, t)
	}
	p.allocate(s)
	return p, nil
}

// initialModel returns the initial model of a member.
func (e *Engine) initialModel(d *kge.Data, s kge.Settings, member kge.Member) (*model, error) {
	entities, err := tiles.NewEmbeddingsIn(e.tables, len(d.Entities), s.Dim)
	if err != nil {
		return nil, err
	}
	m := newModelOf(e.kernels, kge.InitializeInto(d, s, member, entities.Stream(s.Dim)), entities)
	if bf16 := e.bf16(s.Precision); bf16 != nil && s.FormOf(member).Capabilities().Products {
		if s.Candidates(entities.Count) < entities.Count { // steps round only the sample
			m.entities.EnableLazyBF16(bf16)
		} else {
			m.entities.EnableBF16(bf16)
		}
		m.relations[0].EnableBF16(bf16)
	}
	return m, nil
}

// allocate allocates the workspaces for settings.
func (p *population) allocate(s kge.Settings) {
	layout, o := p.trainers[0].layout, p.trainers[0].objective
	candidates := softmaxCandidates(p.data, s)
	p.needs = requirements{
		model:            p.models[0],
		units:            layout.maxUnits(min(s.Batch, p.data.Count)),
		paths:            layout.maxExamples * o.directions(),
		softmax:          candidates > 0,
		negatives:        s.Negatives > 0 && p.data.BothDirections,
		classifies:       s.Loss == kge.BCE,
		candidates:       candidates,
		sparse:           s.SparseGradients,
		predictRelations: slices.ContainsFunc(p.members, predictsRelations),
		pairs:            !p.data.BothDirections,
		teacher:          s.HasTeacher(),
		touched: p.data.BothDirections && s.Optimizer == kge.Adagrad && s.MaxNorm == 0 &&
			!s.HasTeacher(),
	}
	p.perThread, p.shared = nil, nil
	count := p.onOneCore()
	for range min(count, p.threads) {
		w := newWorkspace(p.needs, 1, p.needs.maxKept()/p.threads)
		p.perThread = append(p.perThread, w)
	}
	if count < len(p.members) {
		p.shared = newWorkspace(p.needs, p.threads, p.needs.maxKept())
	}
}

// Adjust implements [kge.Population].
func (p *population) Adjust(s kge.Settings) error {
	for _, t := range p.trainers {
		t.settings = s
	}
	p.allocate(s)
	return nil
}

func predictsRelations(m kge.Member) bool { return m.RelationPrediction > 0 }

func objectiveOf(d *kge.Data, s kge.Settings) objective {
	if d.BothDirections {
		o := tripleObjective{isGrouped: s.AnswersPerQuery > 0 || s.Loss == kge.BCE}
		if s.HasTeacher() {
			o.teacher = d.Teacher
		}
		return o
	}
	return pathObjective{}
}

const float32Bytes, bfloat16Bytes = 4, 2

// extraBytes returns a lower bound of the memory of a population without its tables and
// optimizer. Each unit has rows for both ends of its paths and for relations, and each thread has
// rows for their states. As many units as fit keep exponentials; with sparse gradients, each
// thread does. For relation prediction these units have queries as wide as relations, and their
// gradients. In bfloat16 there are also the rounded entities.
func (e *Engine) extraBytes(d *kge.Data, s kge.Settings, members []kge.Member) float64 {
	isBF16 := s.Precision == kge.Bfloat16
	queries, exponentialBytes := tiles.MaxQueries, float32Bytes
	if isBF16 {
		queries, exponentialBytes = tiles.MaxRoundedQueries, bfloat16Bytes
	}
	o := objectiveOf(d, s)
	layout := newLayout(queries, o, s)
	units := layout.maxUnits(min(s.Batch, d.Count))
	paths := layout.maxExamples * o.directions()
	perUnit, perThread := float64(2*s.Dim*paths), float64(8*s.Dim*paths)
	bytes := 0.0
	if members[0].Form.Partitions() > 0 {
		bytes += coreBytes(d, s, members, e.threads)
	}
	if s.BatchNorm {
		perUnit += float64(normTables * queries * s.Dim)
	}
	for _, t := range s.FormOf(members[0]).Spec().Tables(s.Dim) {
		if t.Global {
			continue
		}
		slots := paths
		if t.Shared {
			slots = min(slots, queries)
		}
		perUnit += float64(slots) * float64(t.Rows) * float64(t.Columns)
	}
	bytes += float32Bytes * (perUnit*float64(units) + perThread*float64(e.threads))
	entities := float64(len(d.Entities))
	active := 1.0 // units at a time
	shared := softmaxCandidates(d, s)
	switch {
	case s.SparseGradients > 0:
		bytes += float32Bytes * entities * float64(queries) * float64(e.threads)
		active = float64(units)
	case shared > 0:
		if s.Negatives > 0 {
			bytes += float32Bytes * float64(shared) * float64(s.Dim) * float64(units)
		}
		kept := float64(exponentialBytes) * float64(shared) * float64(queries) // by a unit
		keptUnits := math.Floor(float64(maxKept(isBF16)) / kept)
		active = max(1, min(float64(units), keptUnits))
		bytes += kept * active
	}
	if slices.ContainsFunc(members, predictsRelations) {
		columns := s.FormOf(members[0]).Spec().Tables(s.Dim)[0].Columns
		bytes += float32Bytes * 2 * active * float64(paths) * float64(columns)
	}
	if isBF16 && shared == len(d.Entities) { // those of a sample are rounded alone
		bytes += bfloat16Bytes * entities * float64(s.Dim) * float64(len(members))
	}
	return bytes
}

// onOneCore returns the number of members that train on one core each. It is a multiple of the
// number of threads, and 0 if the graph is too large for each core to keep the exponentials of two
// units. The other members train on all cores, one after the other.
func (p *population) onOneCore() int {
	switch {
	case p.threads == 1:
		return len(p.trainers)
	case 2*p.threads*p.needs.unitBytes() > p.needs.maxKept():
		return 0
	}
	return len(p.trainers) / p.threads * p.threads
}

// Epoch implements [kge.Population].
func (p *population) Epoch(
	ctx context.Context, batches kge.Batches, rates []float64,
) (kge.Epoch, error) {
	epoch := kge.Epoch{Loss: make([]float64, len(p.trainers))}
	seconds := make([][]float64, len(p.trainers))
	errs := make([]error, len(p.trainers))
	onStep := p.progressOf(len(p.trainers) * batches.Count)
	train := func(i int, w *workspace) {
		t := p.trainers[i]
		t.workspace, t.onStep = w, onStep
		epoch.Loss[i], seconds[i], errs[i] = t.epoch(ctx, batches, rates[i])
	}
	onOneCore := p.onOneCore()
	tiles.Parallel(p.threads, onOneCore, func(worker, i int) { train(i, p.perThread[worker]) })
	for i := onOneCore; i < len(p.trainers); i++ {
		train(i, p.shared)
	}
	for i, err := range errs {
		if err != nil {
			return epoch, err
		}
		if epoch.StepSeconds == nil {
			epoch.StepSeconds = make([]float64, len(seconds[i]))
		}
		parallel := 1.0 // members that trained at the same time
		if i < onOneCore {
			parallel = float64(p.threads)
		}
		for step, s := range seconds[i] {
			epoch.StepSeconds[step] += s / parallel
		}
	}
	return epoch, nil
}

// Close implements [kge.Ranker].
func (p *population) Close() {
	for _, t := range p.trainers {
		t.freeState()
		mapped.Free(t.entities.Data)
	}
	r := p.ranker
	*p = population{}
	r.Close()
}

// Parameters implements [kge.Population].
func (p *population) Parameters(member int) (kge.Parameters, error) {
	return p.models[member].parameters(copyRows), nil
}

// SetStructure implements [kge.Population].
func (p *population) SetStructure(member int, s structure.Structure) error {
	t := p.trainers[member]
	if err := rules.CheckReplacement(t.structure, s); err != nil {
		return err
	}
	t.setStructure(s)
	return nil
}

// State implements [kge.Population].
func (p *population) State() (kge.State, error) {
	s := kge.State{Steps: p.trainers[0].steps}
	for _, t := range p.trainers {
		m := kge.MemberState{Parameters: t.parameters(copyRows)}
		for _, slot := range t.slots() {
			m.Slots = append(m.Slots, t.unpadded(slot, copyRows))
		}
		s.Members = append(s.Members, m)
	}
	return s, nil
}

// Stream implements [kge.LargePopulation].
func (p *population) Stream() kge.Stream {
	s := kge.Stream{Steps: p.trainers[0].steps}
	for _, t := range p.trainers {
		m := kge.MemberStream{Tables: t.stream(t.tables())}
		for _, slot := range t.slots() {
			m.Slots = append(m.Slots, t.stream(slot))
		}
		s.Members = append(s.Members, m)
	}
	return s
}

// Resume implements [kge.LargePopulation].
func (p *population) Resume(steps int) {
	for _, t := range p.trainers {
		t.steps = steps
		for _, table := range t.tables() {
			table.RoundAll()
		}
	}
}

// Finish implements [kge.LargePopulation].
func (p *population) Finish(member int) kge.Parameters {
	p.trainers[member].freeState()
	m := p.models[member]
	parameters := m.parameters(tiles.Embeddings.Compact)
	m.entities.Data = nil // Close keeps what it returns
	return parameters
}

// SetState implements [kge.Population].
func (p *population) SetState(s kge.State) error {
	var current []kge.MemberShape
	for _, m := range p.models {
		current = append(current, m.parameters(viewRows).Shape())
	}
	if err := s.Fits(current, len(p.trainers[0].slots())); err != nil {
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
