package gomlx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/autodiff"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
)

// population is a set of models in training. They train in groups: one or, if they do not fit in
// memory together, several in turn on each device.
type population struct {
	groups  []*group // in the order of the members
	devices [][]int  // the groups by their first device

	mu     sync.Mutex
	shares []float64 // of the work of each group, done in the current call
}

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
	if s.SparseGradients > 0 {
		e.noteOnce("all gradients", "engine gomlx computes the gradients of all entities, which "+
			"sparse-gradients estimates by a part")
	}
	if !isExplicit(d, s, members) {
		if e.devices.Count > 1 {
			e.noteOnce("one device", "this training uses one of the devices: only models with structures, "+
				"blocks or cores that learn triples by a softmax over all entities use several")
		}
		return autodiff.NewPopulation(compiler{e}, d, s, members)
	}
	size := sizesOf(d, s, members)
	plan, err := size.plan(e.settings.Memory, e.devices)
	if err != nil {
		return nil, err
	}
	e.noteOnce(size.note(plan, e.settings.Memory, e.devices))
	p := &population{}
	var groups [][]kge.Member
	for own := range slices.Chunk(slices.Clone(members), plan.onDevice) {
		var ofDevice []int
		for part := range slices.Chunk(own, plan.members) {
			ofDevice = append(ofDevice, len(groups))
			groups = append(groups, part)
		}
		p.devices = append(p.devices, ofDevice)
	}
	p.groups = make([]*group, len(groups))
	err = p.each(context.Background(), func(_ context.Context, device, i int) (err error) {
		shards := newShards(compute.DeviceNum(device), plan.shards)
		p.groups[i], err = e.newGroup(d, s, groups[i], size.batch, plan.parts, shards)
		return err
	})
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// groupOf returns the group of a member, and the member's index there.
func (p *population) groupOf(member int) (g *group, index int) {
	for _, g := range p.groups {
		if member < len(g.members) {
			return g, member
		}
		member -= len(g.members)
	}
	panic("no such member")
}

// OnProgress implements [progress.Reporter].
func (p *population) OnProgress(report func(share float64)) {
	for i, g := range p.groups {
		if report == nil {
			g.OnProgress(nil)
			continue
		}
		g.OnProgress(func(share float64) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.shares[i] = share
			report(floats.Sum(p.shares) / float64(len(p.shares)))
		})
	}
}

// each runs a function for all groups, at the same time for those on different devices.
func (p *population) each(
	ctx context.Context, run func(ctx context.Context, device, i int) error,
) error {
	p.shares = make([]float64, len(p.groups))
	work, ctx := errgroup.WithContext(ctx)
	for device, groups := range p.devices {
		work.Go(func() error {
			for _, i := range groups {
				if err := run(ctx, device, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return work.Wait()
}

// Epoch implements [kge.Population].
func (p *population) Epoch(
	ctx context.Context, batches kge.Batches, rates []float64,
) (kge.Epoch, error) {
	epochs, rest := make([]kge.Epoch, len(p.groups)), rates
	ratesOf := make([][]float64, len(p.groups))
	for i, g := range p.groups {
		ratesOf[i], rest = rest[:len(g.members)], rest[len(g.members):]
	}
	err := p.each(ctx, func(ctx context.Context, _, i int) (err error) {
		epochs[i], err = p.groups[i].epoch(ctx, batches, ratesOf[i])
		return err
	})
	if err != nil {
		return kge.Epoch{}, err
	}
	all := kge.Epoch{StepSeconds: make([]float64, len(epochs[0].StepSeconds))}
	for _, groups := range p.devices {
		seconds := make([]float64, len(all.StepSeconds))
		for _, i := range groups {
			all.Loss = append(all.Loss, epochs[i].Loss...)
			floats.Add(seconds, epochs[i].StepSeconds)
		}
		for step, s := range seconds {
			all.StepSeconds[step] = max(all.StepSeconds[step], s)
		}
	}
	return all, nil
}

// Rank implements [kge.Ranker].
func (p *population) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	ranks := make([][][]eval.Ranked, len(p.groups))
	err := p.each(ctx, func(ctx context.Context, _, i int) (err error) {
		ranks[i], err = p.groups[i].Rank(ctx, triples, known)
		return err
	})
	return slices.Concat(ranks...), err
}

// Parameters implements [kge.Population].
func (p *population) Parameters(member int) (kge.Parameters, error) {
	g, i := p.groupOf(member)
	parameters := g.parameters(i)
	var err error
	parameters.Tables, err = g.numbers(i, 0)
	return parameters, err
}

// parameters describes a member, without its tables.
func (g *group) parameters(member int) kge.Parameters {
	return kge.Parameters{
		Form:       g.settings.FormOf(g.members[member]),
		Structure:  g.members[member].Structure,
		Dim:        g.dim,
		Reciprocal: g.reciprocal,
	}
}

// Adjust implements [kge.Population]. No supported setting changes between epochs.
func (p *population) Adjust(kge.Settings) error { return nil }

// SetStructure implements [kge.Population]. The operators are an input of the programs, so
// nothing is recompiled.
func (p *population) SetStructure(member int, s structure.Structure) error {
	g, i := p.groupOf(member)
	if err := rules.CheckReplacement(g.members[i].Structure, s); err != nil {
		return err
	}
	g.members[i].Structure = s
	g.updateOperators()
	return nil
}

// State implements [kge.Population].
func (p *population) State() (kge.State, error) {
	s := kge.State{Steps: p.groups[0].steps, Members: make([]kge.MemberState, p.Models())}
	for i := range s.Members {
		var err error
		if s.Members[i].Parameters, err = p.Parameters(i); err != nil {
			return s, err
		}
		g, member := p.groupOf(i)
		for n := 1; n <= g.slots(); n++ {
			slot, err := g.numbers(member, n)
			if err != nil {
				return s, err
			}
			s.Members[i].Slots = append(s.Members[i].Slots, slot)
		}
	}
	return s, nil
}

// SetState implements [kge.Population].
func (p *population) SetState(s kge.State) error {
	var current []kge.MemberShape
	for i := range p.Models() {
		parameters, err := p.Parameters(i)
		if err != nil {
			return err
		}
		current = append(current, parameters.Shape())
	}
	if err := s.Fits(current, p.groups[0].slots()); err != nil {
		return err
	}
	rest := s.Members
	for _, g := range p.groups {
		g.steps = s.Steps
		g.setState(rest[:len(g.members)])
		rest = rest[len(g.members):]
	}
	return nil
}

// Models implements [kge.Ranker].
func (p *population) Models() (n int) {
	for _, g := range p.groups {
		n += len(g.members)
	}
	return n
}

// Close implements [kge.Ranker].
func (p *population) Close() {
	for _, g := range p.groups {
		if g != nil { // it failed to start
			g.Close()
		}
	}
}

const (
	// callSteps is the maximum number of steps of a call.
	callSteps = 64
	// callSeconds is the approximate duration of a call. An interruption waits for its end.
	callSeconds = 0.5
)

// group is a set of models that train together. Its tables are the embeddings, then each slot
// of the optimizer for the entities and the relations.
type group struct {
	*ranker
	settings      kge.Settings
	members       []kge.Member
	program       *graph.Exec
	parts         int     // of a step
	batches, rows int     // capacity of a call: batches, and triples of each
	steps         int     // taken so far
	perStep       float64 // seconds per step in the last call; 0 before the first
}

func (e *Engine) newGroup(
	d *kge.Data, s kge.Settings, members []kge.Member, batch, parts int, shards []*shard,
) (*group, error) {
	g := &group{
		settings: s,
		members:  members,
		parts:    parts,
		batches:  callSteps,
		rows:     (batch + parts - 1) / parts,
	}
	if parts > 1 {
		g.batches = parts
	}
	anyMember := func(has func(m kge.Member) bool) bool { return slices.ContainsFunc(members, has) }
	p := program{optimizer: s.Optimizer, maxNorm: s.MaxNorm > 0, split: parts > 1, recipe: recipe{
		shape:              shapeOf(s.FormOf(members[0]), s.Reciprocal),
		dropout:            s.Dropout > 0,
		inputDropout:       s.InputDropout > 0,
		orthogonality:      anyMember(func(m kge.Member) bool { return m.Orthogonality > 0 }),
		bfloat16:           s.Precision == kge.Bfloat16,
		n3Blocks:           n3BlocksOf(members),
		products:           anyMember(func(m kge.Member) bool { return m.Products > 0 }),
		ivr:                anyMember(func(m kge.Member) bool { return m.IVR > 0 }),
		ivrProducts:        anyMember(func(m kge.Member) bool { return m.IVRProducts > 0 }),
		relationPrediction: anyMember(func(m kge.Member) bool { return m.RelationPrediction > 0 }),
		scaled:             anyMember(func(m kge.Member) bool { return m.PenaltyFrequency > 0 }),
		sharding:           shardingOf(len(d.Entities), len(shards)),
	}}
	slots := optimizer.Rules[s.Optimizer].Slots
	state := 2 + 2*slots
	of := signature{
		inputs: state + callInputs, outputs: state + 1, inputTables: state, outputTables: state,
	}
	var err error
	g.program, err = e.program(p, "train-"+s.Optimizer.String(), p.graph, of, p.sharding)
	if err != nil {
		return nil, err
	}
	parameters := make([]kge.Parameters, len(members))
	for i, m := range members {
		parameters[i] = kge.Initialize(d, s, m)
	}
	if err := kge.CheckSameShape(parameters); err != nil {
		return nil, err
	}
	g.ranker = e.newRanker(parameters, shards)
	var inputs []*tensors.Tensor
	for _, shard := range shards {
		for range slots {
			entities, relations := shard.tables[0].Shape(), shard.tables[1].Shape()
			shard.tables = append(shard.tables,
				tensors.FromShape(entities), tensors.FromShape(relations))
		}
		shard.scales = penaltyScales(d, s, members)
		arguments := g.arguments(shard, nil, make([]float64, len(members)))
		defer finalize(arguments[callFirstFresh:]...)
		inputs = slices.Concat(inputs, shard.tables, arguments)
	}
	if err := e.compile("the training step", g.program, inputs); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// arguments returns the inputs of a call on a shard for the given batches, after the state.
func (g *group) arguments(s *shard, batches [][]kge.Example, rates []float64) []*tensors.Tensor {
	members, n := len(g.members), g.batches
	ids, counts, keys := make([]int32, n*3*g.rows), make([]int32, n), make([]uint32, n*members)
	inputKeys := make([]uint32, n*members)
	for i, batch := range batches {
		fillIDs(ids[i*3*g.rows:], triplesOf(batch), g.rows)
		counts[i] = int32(len(batch))
		for m, member := range g.members {
			step := g.steps + 1 + i/g.parts
			keys[i*members+m] = dropout.Key(member.Seed, step)
			inputKeys[i*members+m] = dropout.InputKey(member.Seed, step)
		}
	}
	penalties := make([]float64, weights*members)
	for i, m := range g.members {
		for which, weight := range [weights]float64{
			weightL2:                 m.L2,
			weightN3:                 m.N3,
			weightN3Block:            float64(max(1, m.N3Block)),
			weightRelationL2:         m.RelationL2,
			weightEntityL2:           m.EntityL2,
			weightRelationN3:         m.RelationN3,
			weightEntityN3:           m.EntityN3,
			weightProducts:           m.Products,
			weightIVR:                m.IVR,
			weightIVRProducts:        m.IVRProducts,
			weightIVRPower:           2 * m.IVRExponent(),
			weightRelationPrediction: m.RelationPrediction,
			weightOrthogonality:      m.Orthogonality,
		} {
			penalties[which*members+i] = weight
		}
	}
	narrow := func(values []float64, dimensions ...int) *tensors.Tensor {
		x := make([]float32, len(values))
		for i, v := range values {
			x[i] = float32(v)
		}
		return tensors.FromFlatDataAndDimensions(x, dimensions...)
	}
	shared := []float64{
		scalarDropout:      g.settings.Dropout,
		scalarInputDropout: g.settings.InputDropout,
		scalarMaxNorm:      g.settings.MaxNorm,
	}
	return []*tensors.Tensor{
		callOperators:      s.operators,
		callEntityScales:   s.scales[0],
		callRelationScales: s.scales[1],
		callTriples:        tensors.FromFlatDataAndDimensions(ids, n, 3, g.rows),
		callCounts:         tensors.FromFlatDataAndDimensions(counts, n),
		callBatches:        tensors.FromScalar(int32(len(batches))),
		callStep:           tensors.FromScalar(int32(g.steps + 1)),
		callKeys:           tensors.FromFlatDataAndDimensions(keys, n, members),
		callInputKeys:      tensors.FromFlatDataAndDimensions(inputKeys, n, members),
		callRates:          narrow(rates, members),
		callWeights:        narrow(penalties, weights, members),
		callScalars:        narrow(shared, scalars),
		callThreshold:      tensors.FromScalar(dropout.Threshold(g.settings.Dropout)),
		callInputThreshold: tensors.FromScalar(dropout.Threshold(g.settings.InputDropout)),
	}
}

// penaltyScales returns the factors of penalties on all rows of the members: entities [S·E, 1] and
// relations [S·R, 1]. They have one number each if no member scales its penalties.
func penaltyScales(d *kge.Data, s kge.Settings, members []kge.Member) (scales [2]*tensors.Tensor) {
	var entities, relations []float32
	for _, m := range members {
		of := d.PenaltyScales(m.Weights)
		if of.Entities == nil {
			of.Entities = slices.Repeat([]float32{1}, len(d.Entities))
			of.Relations = slices.Repeat([]float32{1}, len(d.Relations))
		}
		entities = append(entities, of.Entities...)
		relations = append(relations, of.Relations...)
		if s.Reciprocal { // rows of the reverses
			relations = append(relations, of.Relations...)
		}
	}
	if !slices.ContainsFunc(members, func(m kge.Member) bool { return m.PenaltyFrequency > 0 }) {
		entities, relations = []float32{1}, []float32{1}
	}
	for i, numbers := range [][]float32{entities, relations} {
		scales[i] = tensors.FromFlatDataAndDimensions(numbers, len(numbers), 1)
	}
	return scales
}

// triplesOf returns the triples of examples, which have one hop along a relation.
func triplesOf(examples []kge.Example) []datasets.Triple {
	triples := make([]datasets.Triple, len(examples))
	for i, x := range examples {
		triples[i] = datasets.Triple{Head: x.Anchor, Relation: x.Path[0] / 2, Tail: x.Target}
	}
	return triples
}

// epoch trains on batches that are full except the last, and makes those of a call at once. The first
// call takes one step, to measure its duration.
func (g *group) epoch(
	ctx context.Context, batches kge.Batches, rates []float64,
) (kge.Epoch, error) {
	epoch := kge.Epoch{Loss: make([]float64, len(g.members))}
	examples := 0
	for next := 0; next < batches.Count; {
		if err := ctx.Err(); err != nil {
			return epoch, err
		}
		steps := 1
		if g.parts == 1 && g.perStep > 0 {
			steps = max(1, min(int(callSeconds/g.perStep), callSteps, batches.Count-next))
		}
		var made []kge.Example
		for i := range steps {
			made = append(made, batches.Make(next+i, nil)...)
		}
		began := time.Now()
		losses, err := g.step(slices.Collect(slices.Chunk(made, g.rows)), rates)
		if err != nil {
			return epoch, err
		}
		g.steps += steps
		g.perStep = time.Since(began).Seconds() / float64(steps)
		epoch.StepSeconds = append(epoch.StepSeconds, slices.Repeat([]float64{g.perStep}, steps)...)
		for i, l := range losses {
			epoch.Loss[i] += float64(l)
		}
		next, examples = next+steps, examples+len(made)
		g.report(float64(next) / float64(batches.Count))
	}
	for i := range epoch.Loss {
		epoch.Loss[i] /= float64(examples)
	}
	return epoch, nil
}

// step runs a training call and returns each member's summed losses of all triples.
func (g *group) step(batches [][]kge.Example, rates []float64) ([]float32, error) {
	var inputs []any
	for _, s := range g.shards {
		for _, t := range s.tables { // the call overwrites the state
			donated, err := graph.DonateTensorBuffer(t, g.engine.backend, s.device)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, donated)
		}
		arguments := g.arguments(s, batches, rates)
		for _, t := range arguments {
			inputs = append(inputs, t)
		}
		defer finalize(arguments[callFirstFresh:]...)
	}
	outputs, err := g.call(g.program, inputs)
	if err != nil {
		return nil, fmt.Errorf("training step: %w", outOfMemory(err))
	}
	tables := len(g.shards[0].tables)
	var losses []*tensors.Tensor // of the shards, all equal
	for _, s := range g.shards {
		s.tables, losses = outputs[:tables], append(losses, outputs[tables])
		outputs = outputs[tables+1:]
	}
	defer finalize(losses...)
	return tensors.CopyFlatData[float32](losses[0])
}

func (g *group) slots() int { return len(g.shards[0].tables)/2 - 1 }

// numbers returns a member's embeddings for n = 0, and slot n of its optimizer from n = 1.
func (r *ranker) numbers(member, n int) (t kge.Tables, err error) {
	t.Entities = make([]float32, r.entities*r.dim)
	for i, s := range r.shards {
		from, to := rowsOf(r.entities, i, len(r.shards))
		err = errors.Join(err, r.read(t.Entities[from*r.dim:to*r.dim], s.tables[2*n], member))
	}
	stacked := r.shards[0].tables[2*n+1]
	relations := make([]float32, stacked.Shape().Dim(1)*stacked.Shape().Dim(2))
	err = errors.Join(err, r.read(relations, stacked, member))
	return kge.TablesOf(append([][]float32{t.Entities}, r.divided(relations)...)), err
}

// read copies the first rows of a member's table.
func (r *ranker) read(to []float32, stacked *tensors.Tensor, member int) error {
	size := stacked.Shape().Dim(1) * stacked.Shape().Dim(2)
	return tensors.ConstFlatData(stacked, func(all []float32) {
		interleave(to, all[member*size:][:len(to)], r.dim, r.dim/r.k)
	})
}

// setState replaces the state of the members.
func (g *group) setState(members []kge.MemberState) {
	for i, m := range members {
		g.members[i].Structure = m.Structure
	}
	for part, s := range g.shards {
		slots := g.slots()
		finalize(s.tables...)
		s.tables = nil
		for n := range slots + 1 {
			tables := make([]kge.Tables, len(members))
			for i, m := range members {
				tables[i] = append([]kge.Tables{m.Tables}, m.Slots...)[n]
			}
			s.tables = append(s.tables, g.stack(tables, part, len(g.shards))...)
		}
	}
	g.updateOperators()
}

func (g *group) updateOperators() {
	structures := make([]structure.Structure, len(g.members))
	for i, m := range g.members {
		structures[i] = m.Structure
	}
	for _, s := range g.shards {
		finalize(s.operators)
		s.operators = operators(structures)
	}
}
