package cpu

import (
	"context"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/internal/mapped"
)

// objective is the loss function of examples.
type objective interface {
	// directions returns the number of questions per example.
	directions() int
	// learn returns a unit's part of the loss and leaves the gradients in the unit. weight is
	// the weight of an example in the mean over the batch.
	learn(t *trainer, s *scratch, u *unit, a *activeUnit, weight float32) float64
	// mean returns the mean loss of an epoch, given the mean losses of steps and their numbers
	// of examples. The objectives sum in different orders, which recorded losses depend on.
	mean(losses []float64, sizes []int, all int) float64
}

// trainer trains one member.
type trainer struct {
	*model
	objective objective
	settings  kge.Settings
	member    kge.Member
	steps     int
	scales    kge.PenaltyScales
	updates   []*tiles.Updater // by table of the model
	entries   [3][]entry       // of W×h, W×r and W×t, by role; empty without IVR
	loaded    []kge.Span       // entities of the current batch; nil for all
	layout    layout
	inOrder   []kge.Example // memory of sorted
	order     []int32       // memory of sorted

	trainingAnswers func(anchor, relation int32) []int32 // see [kge.Data]

	*workspace
	isCancelled func() bool // reports whether to abandon the step
	onStep      func()      // called after each step
}

func newTrainer(
	m *model, o objective, s kge.Settings, member kge.Member, scales kge.PenaltyScales,
) (*trainer, error) {
	t := &trainer{
		model: m, objective: o, settings: s, member: member, scales: scales,
		layout: newLayout(m.maxQueries(), o, s),
	}
	t.prepareIVR()
	slots := 1
	if s.Optimizer == kge.Adam {
		slots = 2
	}
	for _, table := range m.tables() {
		u, err := tiles.NewUpdater(m.kernels, table, slots)
		if err != nil {
			return nil, err
		}
		t.updates = append(t.updates, u)
	}
	return t, nil
}

// slots returns the optimizer's numbers by slot and table.
func (t *trainer) slots() [][]tiles.Embeddings {
	all := make([][]tiles.Embeddings, len(t.updates[0].Slots()))
	for i, table := range t.tables() {
		for n, numbers := range t.updates[i].Slots() {
			slot := kernel.Table{Data: numbers, Stride: table.Stride}
			all[n] = append(all[n], tiles.Embeddings{
				Table: slot, Count: table.Count, Folder: table.Folder,
			})
		}
	}
	return all
}

// freeState frees the state of the optimizer.
func (t *trainer) freeState() {
	if t.updates == nil {
		return
	}
	for _, slot := range t.slots() {
		mapped.Free(slot[0].Data)
	}
	t.updates = nil
}

// epoch takes a step per batch. It returns the mean loss per example and the seconds of each
// step.
func (t *trainer) epoch(
	ctx context.Context, batches kge.Batches, rate float64,
) (loss float64, seconds []float64, err error) {
	all, losses, sizes := 0, make([]float64, batches.Count), make([]int, batches.Count)
	var batch []kge.Example
	if t.sample != nil { // steps round only the sample
		defer t.entities.RoundAll()
	}
	if batches.Loaded != nil {
		defer t.load(nil)
	}
	for i := range batches.Count {
		began := time.Now()
		if batches.Loaded != nil {
			t.load(batches.Loaded(i))
		}
		batch = batches.Make(i, batch)
		if losses[i], err = t.step(ctx, batch, rate); err != nil {
			return 0, nil, err
		}
		sizes[i] = len(batch)
		all += len(batch)
		seconds = append(seconds, time.Since(began).Seconds())
		t.onStep()
	}
	return t.objective.mean(losses, sizes, all), seconds, nil
}

// load makes some entities those of the next batches. Tables in files keep only their rows in memory.
func (t *trainer) load(spans []kge.Span) {
	if slices.Equal(spans, t.loaded) {
		return
	}
	tables := []tiles.Embeddings{t.entities}
	for _, slot := range t.slots() {
		tables = append(tables, slot[0])
	}
	for _, table := range tables {
		for _, s := range t.loaded {
			if !slices.Contains(spans, s) {
				table.Release(s.Start, s.End)
			}
		}
		for _, s := range spans {
			if !slices.Contains(t.loaded, s) {
				table.Load(s.Start, s.End)
			}
		}
	}
	t.loaded = spans
}

// round holds the units of a batch that are active at the same time.
type round struct {
	active          []*activeUnit
	isFirst, isLast bool // of the batch
}

// step trains on a batch and returns its mean loss per example. If ctx is cancelled, nothing
// is updated.
func (t *trainer) step(ctx context.Context, batch []kge.Example, rate float64) (float64, error) {
	t.steps++
	batch, numbers := t.sorted(batch)
	weight := 1 / float32(len(batch))
	units := t.layout.divide(batch, numbers, t.units)
	if t.cores != nil {
		t.deriveFor(batch)
	}
	if t.sample != nil {
		t.sample.draw(t)
	}
	if t.norm != nil {
		t.makeNormalizedQueries(units)
	}
	t.isCancelled = func() bool { return ctx.Err() != nil }
	penalty := 0.0
	for start := 0; start < len(units); start += len(t.active) {
		r := round{active: t.active[:min(len(t.active), len(units)-start)], isFirst: start == 0}
		r.isLast = start+len(r.active) == len(units)
		t.learn(r, units[start:], weight)
		if err := ctx.Err(); err != nil {
			t.steps--
			return 0, err
		}
		if r.isLast && t.norm != nil {
			t.propagateNormalized(units)
		}
		if r.isLast {
			penalty = t.gather(units, weight)
		}
		if t.sample != nil {
			t.sample.collect(t, r)
		}
		t.update(r, rate)
	}
	if t.norm != nil {
		t.norm.step(t.updates[len(t.updates)-1], rate, t.steps)
	}
	loss := penalty
	for _, u := range units {
		loss += u.loss
	}
	return loss, nil
}

// sorted returns the batch sorted by path if more examples can then share rows of relations, and
// the number of each example before; else nil. The next call overwrites both. Negatives are drawn for
// neighbours in the batch, so that these stay together.
func (t *trainer) sorted(batch []kge.Example) (sorted []kge.Example, numbers []int32) {
	if !t.sharesRows || t.objective.directions() == 1 || t.drawsNegatives {
		return batch, nil
	}
	t.order, t.inOrder = t.order[:0], t.inOrder[:0]
	for i := range batch {
		t.order = append(t.order, int32(i))
	}
	slices.SortStableFunc(t.order, func(a, b int32) int {
		return slices.Compare(batch[a].Path, batch[b].Path)
	})
	for _, n := range t.order {
		t.inOrder = append(t.inOrder, batch[n])
	}
	return t.inOrder, t.order
}

// deriveFor computes the matrices of the relations of a batch.
func (t *trainer) deriveFor(batch []kge.Example) {
	used := t.cores.used[:0]
	for _, x := range batch {
		for _, relation := range x.Path {
			row, _ := t.relationRow(relation)
			used = append(used, int32(row))
			if t.objective.directions() > 1 {
				row, _ = t.relationRow(relation ^ 1)
				used = append(used, int32(row))
			}
		}
	}
	slices.Sort(used)
	t.cores.used = slices.Compact(used)
	t.cores.derive(t.threads)
	if t.member.HasIVR() {
		t.cores.prepareIVR(t.workspace, t.member.Weights, t.entities.BF16())
	}
}

// learn computes the losses and gradients of the units of a round.
func (t *trainer) learn(r round, units []*unit, weight float32) {
	// Batch normalization has added them already.
	withReverses := t.reciprocal && t.objective.directions() > 1 && t.norm == nil
	tiles.Parallel(t.threads, len(r.active), func(worker, i int) {
		if t.isCancelled() {
			return
		}
		u, a := units[i], r.active[i]
		u.load(t, a, withReverses)
		u.loss = t.objective.learn(t, t.scratch[worker], u, a, weight)
	})
}

// prefetch loads into the cache what an example needs of an entity.
func (t *trainer) prefetch(entity int32) {
	t.kernels.Prefetch(tiles.PaddedRow(t.entities.Table, int(entity)))
	if t.scales.Entities != nil {
		t.kernels.Prefetch(t.scales.Entities[entity : entity+1])
	}
}

// drawMask decides which coordinates of the queries of a unit are dropped. The questions of an
// example have consecutive numbers.
func (t *trainer) drawMask(mask *tiles.Mask, u *unit, queries int) {
	key := dropout.Key(t.member.Seed, t.steps)
	directions := t.objective.directions()
	n := queries / directions
	for direction := range directions {
		for i := range n {
			number := directions*u.number(i) + direction
			mask.Draw(key, direction*n+i, number, t.dim, t.settings.Dropout)
		}
	}
}

// sampling returns the random choice of sparse gradients for a unit.
func (t *trainer) sampling(u *unit) tiles.Sampling {
	return tiles.Sampling{
		Key:   tiles.SamplingKey(t.member.Seed, t.steps),
		First: u.first, Directions: t.objective.directions(),
	}
}

// gather assigns the gradients and pairs of a batch's units to tiles. It returns the penalties of
// the whole batch, which are not in the losses of units.
func (t *trainer) gather(units []*unit, weight float32) (penalty float64) {
	if t.touched != nil {
		t.touched.Reset()
	} else {
		t.byEntity.Reset()
	}
	if t.cores != nil && t.cores.hasEnds {
		penalty = t.penalizeCoreEnds(units, t.exampleWeight(weight))
	}
	for _, g := range t.byRelation {
		g.Reset()
	}
	for tile := range t.pairs {
		t.pairs[tile] = t.pairs[tile][:0]
	}
	for _, u := range units {
		for i := range u.examples {
			x := &u.examples[i]
			t.addGradient(x.Anchor, tiles.PaddedRow(u.gradients.anchors, i))
			t.addGradient(x.Target, tiles.PaddedRow(u.gradients.targets, i))
			for hop := range x.Path {
				if u.gradients.startsSlot(hop, i) {
					t.gatherRelation(u, hop, u.gradients.slots[hop][i])
				}
			}
		}
		for i, entity := range u.negatives.drawn {
			t.addGradient(entity, tiles.PaddedRow(u.negatives.gradient, i))
		}
		for _, p := range u.pairs {
			tile := p.entity / tiles.Rows
			t.pairs[tile] = append(t.pairs[tile], unitPair{u, p})
		}
	}
	if t.cores == nil {
		return 0
	}
	t.countUses(units, float64(t.exampleWeight(weight)))
	return penalty + t.cores.collect(t.threads, units, t.member.Weights, t.byRelation[0].Add)
}

// exampleWeight returns the weight of an example, or of its reverse, in penalties.
func (t *trainer) exampleWeight(weight float32) float32 {
	if t.reciprocal && t.objective.directions() > 1 {
		return weight / 2
	}
	return weight
}

// countUses sums the weights of the uses of each relation that has matrices.
func (t *trainer) countUses(units []*unit, weight float64) {
	g := &t.cores.gradients
	g.uses = append(g.uses[:0], make([]float64, len(t.cores.used))...)
	for _, u := range units {
		for i := range u.examples {
			for hop := range u.examples[i].Path {
				relation := u.gradients.slots[hop][i].relation
				g.uses[t.cores.position[relation]] += weight * float64(t.hopScale(&u.examples[i], hop))
			}
		}
	}
}

// addGradient assigns a gradient to its entity.
func (t *trainer) addGradient(entity int32, gradient []float32) {
	if t.touched != nil {
		t.touched.Add(entity, gradient)
		return
	}
	t.byEntity.Add(entity, gradient)
}

// gatherRelation assigns the gradients of a slot to tiles.
func (t *trainer) gatherRelation(u *unit, hop int, s slot) {
	for n, table := range t.relations {
		from := u.gradients.relations[hop][n]
		for row := range table.rows {
			relation := s.relation*int32(table.rows) + int32(row)
			gradient := tiles.PaddedRow(from, int(s.number)*table.rows+row)
			t.byRelation[n].Add(relation, gradient)
		}
	}
}

// update adds a round to the gradients of all tiles. After the last round it also takes the
// optimizer step.
func (t *trainer) update(r round, rate float64) {
	ends := []int{t.entities.Tiles()} // of the tables, in tiles
	if t.touched != nil {
		ends[0] = 0
		if r.isLast {
			ends[0] = t.touched.Parts()
		}
	}
	for i, table := range t.relations {
		end := ends[i]
		if r.isLast || i == 0 && t.member.RelationPrediction > 0 {
			end += table.Tiles()
		}
		ends = append(ends, end)
	}
	if t.cores != nil && r.isLast {
		ends = append(ends, ends[len(ends)-1]+t.cores.parts())
	}
	tiles.Parallel(t.threads, ends[len(ends)-1], func(worker, i int) {
		if i < ends[0] {
			if s := t.scratch[worker]; t.touched == nil {
				t.updateEntities(s, i, r, rate)
			} else {
				sum := tiles.PaddedRow(s.tile, 0)[:t.entities.Stride]
				t.touched.Step(t.kernels, t.updates[0], i, sum, rate, t.steps)
			}
			return
		}
		table := 1
		for i >= ends[table] {
			table++
		}
		if table > len(t.relations) {
			t.cores.step(t.updates[table], i-ends[table-1], worker, rate, t.steps)
			return
		}
		t.updateRelations(t.scratch[worker], table-1, i-ends[table-1], r, rate)
	})
}

func (t *trainer) updateEntities(s *scratch, tile int, r round, rate float64) {
	if t.hasSparseUpdates() {
		if r.isLast {
			t.updateTouched(s, tile, len(r.active), rate)
		}
		return
	}
	start, count, rows := t.entities.Tile(tile)
	gradient := gradientOf(s, t.entities, tile, t.allEntities)
	if t.overEntities == nil || t.sample != nil || t.drawsNegatives {
		clear(first(gradient, rows))
	} else {
		t.overEntities.Collect(
			t.kernels, t.entities, len(r.active), tile, gradient, s.rows, !r.isFirst)
	}
	if !r.isLast {
		return
	}
	t.collectRows(tile, gradient)
	for row := 0; row < rows; row += tiles.Band { // few rows at a time, which stay in cache
		n := min(tiles.Band, rows-row)
		band := gradient.From(row).Data[:n*gradient.Stride]
		t.updates[0].Step(start+row, band, rate, t.steps)
		n = min(n, count-row) // without padding rows
		if t.settings.MaxNorm > 0 {
			tiles.ClipNorms(t.kernels, t.entities.From(start+row), n, t.settings.MaxNorm)
		}
		if t.sample == nil {
			t.entities.Round(start+row, n)
		}
	}
}

// collectRows adds the gradients of individual rows to the gradient of a tile of entities.
func (t *trainer) collectRows(tile int, gradient kernel.Table) {
	t.byEntity.Collect(t.kernels, tile, gradient)
	for _, pair := range t.pairs[tile] {
		entity := int(pair.entity)
		to := tiles.PaddedRow(gradient, entity-tile*tiles.Rows)
		query := part(pair.queries, int(pair.query), t.stateRows)
		row := tiles.PaddedRow(t.entities.Table, entity)
		t.measure.AddGradRow(t.kernels, to, query, row, pair.slope)
	}
}

func (t *trainer) updateRelations(s *scratch, table, tile int, r round, rate float64) {
	relations := t.relations[table].Embeddings
	start, count, rows := relations.Tile(tile)
	isPredicted := table == 0 && t.member.RelationPrediction > 0
	all := kernel.Table{}
	if isPredicted {
		all = t.allRelations
	}
	gradient := gradientOf(s, relations, tile, all)
	if isPredicted {
		softmaxes := len(r.active) * len(r.active[0].overRelations)
		t.overRelations.Collect(
			t.kernels, relations, softmaxes, tile, gradient, s.relationQueries, !r.isFirst)
	} else {
		clear(first(gradient, rows))
	}
	if !r.isLast {
		return
	}
	t.byRelation[table].Collect(t.kernels, tile, gradient)
	if factor := t.settings.RelationRate; factor > 0 {
		rate *= factor
	}
	t.updates[1+table].Step(start, first(gradient, rows), rate, t.steps)
	relations.Round(start, count)
}
