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
	scales     kge.PenaltyScales
	slots      [][]*tensors.Tensor // of the optimizer, by slot and table
	columns    []int               // of the tables
	encoder    encoder.Encoder
	edges      []*tensors.Tensor // of the encoder, those of all members
	outputs    *stored           // of the encoder; nil if they are not made
}

func newTrainee(
	c Compiler, d *kge.Data, s kge.Settings, m kge.Member, edges []*tensors.Tensor,
) *trainee {
	t := &trainee{
		compiler: c, data: d, settings: s, member: m,
		relations: len(d.Relations), candidates: candidatesOf(d, s), scales: d.PenaltyScales(m.Weights),
		columns: columnsOf(s.LearnedDim(), s.LearnedTables(m)), encoder: encoder.New(s, m),
		edges: edges,
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

// step takes a step on the parts of a batch and returns its loss. steps counts from 1.
func (t *trainee) step(parts []part, step int, rate float64) (loss float64, err error) {
	var byTable []*tensors.Tensor
	defer func() { finalize(byTable...) }()
	for _, p := range parts {
		var ofPart float64
		if byTable, ofPart, err = t.addGradients(byTable, p, step); err != nil {
			return 0, err
		}
		loss += ofPart
	}
	return loss, t.update(byTable, step, rate)
}

// addGradients adds the gradients of a part to those of the parts before, which are nil at first. It
// returns the sums, and the loss of the part.
func (t *trainee) addGradients(
	before []*tensors.Tensor, p part, step int,
) (byTable []*tensors.Tensor, loss float64, err error) {
	n := len(t.tables)
	program := gradients{recipe: t.recipe(), learned: n, isFirst: before == nil}
	size := n + len(t.edges) + len(before) + int(inputs)
	exec, err := t.compiler.Program(program, "gradients", size, n+1, program.graph)
	if err != nil {
		return before, 0, err
	}
	in := t.inputsOf(p, step)
	in[inOperators] = t.operators
	defer finalize(in[inOperators+1:]...)
	all := slices.Concat(t.tables, t.edges, before)
	c := call{what: "the gradients", program: exec, other: append(all, in...)}
	outputs, err := c.run(t.compiler)
	if err != nil {
		return before, 0, err
	}
	finalize(before...)
	ofPart := tensors.ToScalar[float32](outputs[n])
	finalize(outputs[n])
	return outputs[:n:n], float64(ofPart), nil
}

// update takes a step.
func (t *trainee) update(byTable []*tensors.Tensor, step int, rate float64) error {
	t.forget()
	s := t.settings
	program := update{
		model: modelOf(t.Parameters), learned: len(t.tables), optimizer: s.Optimizer,
		maxNorm: s.MaxNorm > 0,
	}
	state := append([]*tensors.Tensor{}, t.tables...)
	for _, slot := range t.slots {
		state = append(state, slot...)
	}
	rates := []float32{float32(rate)}
	for _, table := range s.LearnedTables(t.member) {
		ofTable := rate
		if s.RelationRate > 0 && !table.Global {
			ofTable *= s.RelationRate
		}
		rates = append(rates, float32(ofTable))
	}
	scalars := []*tensors.Tensor{
		vectorOf(rates...), tensors.FromScalar(int32(step)), tensors.FromScalar(float32(s.MaxNorm)),
	}
	defer finalize(scalars...)
	exec, err := t.compiler.Program(program, "update",
		len(state)+len(byTable)+len(scalars), len(state), program.graph)
	if err != nil {
		return err
	}
	c := call{"the update", exec, state, append(append([]*tensors.Tensor{}, byTable...), scalars...)}
	after, err := c.run(t.compiler)
	if err != nil {
		return err
	}
	n := len(t.tables)
	t.tables = after[:n:n]
	for i := range t.slots {
		t.slots[i] = after[n*(1+i):][:n:n]
	}
	return nil
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
