package autodiff

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/encoder"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/tensors"
)

// trainee is a model in training.
type trainee struct {
	*stored
	compiler   Compiler
	data       *kge.Data
	settings   kge.Settings
	member     kge.Member
	relations  int // without reverses
	candidates candidates
	room       int // questions of a part of a batch
	scales     kge.PenaltyScales
	slots      [][]*tensors.Tensor // of the optimizer, by slot and table
	columns    []int               // of the tables
	encoder    encoder.Encoder
	edges      []*tensors.Tensor // of the encoder, those of all members
	outputs    *stored           // of the encoder; nil if they are not made
}

func newTrainee(
	c Compiler, d *kge.Data, s kge.Settings, m kge.Member, room int, edges []*tensors.Tensor,
) *trainee {
	t := &trainee{
		compiler: c, data: d, settings: s, member: m,
		relations: len(d.Relations), candidates: candidatesOf(d, s), room: room,
		scales: d.PenaltyScales(m.Weights), columns: columnsOf(s.LearnedDim(), s.LearnedTables(m)),
		encoder: encoder.New(s, m), edges: edges,
	}
	t.stored = storeAs(kge.Initialize(d, s, m), t.columns)
	for range optimizer.Rules[s.Optimizer].Slots {
		var slot []*tensors.Tensor
		for _, table := range t.tables {
			slot = append(slot, tensors.FromShape(table.Shape()))
		}
		t.slots = append(t.slots, slot)
	}
	return t
}

// parts divides a batch.
func (t *trainee) parts(b *batch) (parts []part) {
	room, n := t.room, len(b.questions)
	if t.settings.AnswersPerQuery > 0 { // steps have different numbers of questions
		room = min(room, roomy(n))
	}
	for from := 0; from < n; from += room {
		parts = append(parts, part{b, from, min(n, from+room), room})
	}
	return parts
}

// roomy rounds a number of questions up, to one of eight between powers of two: padding takes time, but
// each number of questions has a program.
func roomy(n int) int {
	unit := max(1, powerOfTwo(n)/16)
	return divideUp(n, unit) * unit
}

// prepared is a part of a batch for a member, ready for the device.
type prepared struct {
	layout
	inputs          []*tensors.Tensor // see [packed.tensors]
	isFirst, isLast bool
}

// prepare makes the inputs of a step on the parts of a batch. steps count from 1.
func (t *trainee) prepare(parts []part, step int, rate float64) (all []prepared) {
	for i, p := range parts {
		inputs, layout := t.inputsOf(p, step, rate)
		all = append(all, prepared{layout, inputs, i == 0, i == len(parts)-1})
	}
	return all
}

// step takes a step on all parts of a batch and returns its loss.
func (t *trainee) step(parts []prepared) (loss float64, err error) {
	t.forget()
	var sums []*tensors.Tensor // of gradients
	defer func() { finalize(sums...) }()
	for _, p := range parts {
		var ofPart float64
		if sums, ofPart, err = t.run(p, sums); err != nil {
			return 0, err
		}
		loss += ofPart
	}
	return loss, nil
}

// run runs a part, given the sums of the gradients of those before, which are nil at first. It returns
// the new sums, nil after the last part, and the loss of the part.
func (t *trainee) run(p prepared, before []*tensors.Tensor) (sums []*tensors.Tensor, loss float64, err error) {
	defer finalize(p.inputs...)
	program := step{
		recipe: t.recipe(), layout: p.layout, optimizer: t.settings.Optimizer,
		maxNorm: t.settings.MaxNorm > 0, isFirst: p.isFirst, isLast: p.isLast,
	}
	n := len(t.tables)
	donated, other := before, t.tables
	outputs := n
	if p.isLast {
		donated, other = slices.Concat(append([][]*tensors.Tensor{before, t.tables}, t.slots...)...), nil
		outputs += n * len(t.slots)
	}
	other = slices.Concat(other, t.edges, []*tensors.Tensor{t.operators}, p.inputs)
	exec, err := t.compiler.Program(
		program, "step", len(donated)+len(other), outputs+1, program.graph)
	if err != nil {
		return before, 0, err
	}
	c := call{what: "the training step", program: exec, donated: donated, other: other}
	after, err := c.run(t.compiler)
	if err != nil {
		return before, 0, err
	}
	ofPart := after[outputs]
	defer finalize(ofPart)
	loss = float64(tensors.ToScalar[float32](ofPart))
	if !p.isLast {
		return after[:n:n], loss, nil
	}
	t.tables = after[:n:n]
	for i := range t.slots {
		t.slots[i] = after[n*(1+i):][:n:n]
	}
	return nil, loss, nil
}

// state copies the state from the device.
func (t *trainee) state() (m kge.MemberState, err error) {
	if m.Parameters, err = t.parameters(); err != nil {
		return m, err
	}
	for _, slot := range t.slots {
		numbers, err := copied(slot)
		if err != nil {
			return m, err
		}
		m.Slots = append(m.Slots, numbers)
	}
	return m, nil
}

// setState replaces the state by another of the same shape.
func (t *trainee) setState(m kge.MemberState) {
	t.setStructure(m.Structure)
	finalize(t.tables...)
	t.tables = tensorsOf(m.Tables, t.columns)
	for i, slot := range m.Slots {
		finalize(t.slots[i]...)
		t.slots[i] = tensorsOf(slot, t.columns)
	}
}

// setStructure replaces the structure, and that of an encoder's messages if it is the same.
func (t *trainee) setStructure(a structure.Structure) {
	t.forget()
	t.stored.setStructure(a)
	t.member.Structure = a
	t.encoder = encoder.New(t.settings, t.member)
}

func (t *trainee) close() {
	t.forget()
	t.stored.close()
	for _, slot := range t.slots {
		finalize(slot...)
	}
}
