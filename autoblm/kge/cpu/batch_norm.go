package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// batchNorm normalizes the heads and queries of a batch, see form.Form.WithNorm. A batch's statistics
// need all of its questions, which are in several units. So all units make their queries before the
// first of them learns, and propagate their gradients after the last one. Sums run over units in
// order, so that they do not depend on the number of threads.
type batchNorm struct {
	dim             int
	sides           [2]normSide  // of heads and of queries
	table, gradient kernel.Table // of the model, [form.NormRows, d]
}

const (
	ofHeads = iota
	ofQueries
)

// normSide holds the normalization of heads or of queries in a step.
type normSide struct {
	gamma, beta []float32 // of the model
	count       float64   // of questions
	mean        []float64
	variance    []float64 // the mean of the squared differences from the mean
	inverse     []float64 // 1/√(σ² + ε)
	// sums has the sums of all units, see normUnit.
	sums [2][]float64
}

// normTables is the number of tables [questions, d] in a normUnit, with its mask.
const normTables = 6

// normUnit holds the questions of a unit, each once.
type normUnit struct {
	paths []int32 // the first path of each question
	// repeats is true if the first question is also the last of the unit before, which counts it.
	repeats bool
	heads   kernel.Table // normalized, before γ and β [questions, d]
	inputs  kernel.Table // with γ and β, and with dropped coordinates
	mask    *tiles.Mask
	queries kernel.Table // normalized, before γ and β
	// byQueries and byInputs are gradients.
	byQueries, byInputs kernel.Table
	// sums has sums over questions by coordinate: of the last given rows x, and of products x·y.
	sums [2][]float64
}

func newBatchNorm(dim int) *batchNorm {
	b := &batchNorm{dim: dim, gradient: tiles.NewTable(form.NormRows, dim)}
	for i := range b.sides {
		s := &b.sides[i]
		s.mean, s.variance = make([]float64, dim), make([]float64, dim)
		s.inverse, s.sums = make([]float64, dim), newSums(dim)
	}
	return b
}

func newNormUnit(questions, dim int) *normUnit {
	rows := func() kernel.Table { return tiles.NewTable(questions, dim) }
	return &normUnit{
		heads: rows(), inputs: rows(), queries: rows(), byQueries: rows(), byInputs: rows(),
		mask: tiles.NewMask(questions, dim), sums: newSums(dim),
	}
}

func newSums(dim int) [2][]float64 { return [2][]float64{make([]float64, dim), make([]float64, dim)} }

// makeNormalizedQueries makes the queries of all units.
func (t *trainer) makeNormalizedQueries(units []*unit) {
	t.norm.begin(t.global[1].Table)
	t.eachUnit(units, func(u *unit) { u.norm.loadHeads(t, u) })
	for i, u := range units[1:] {
		before := units[i]
		u.norm.repeats = u.first < before.first+len(before.norm.paths) && t.layout.isGrouped
	}
	t.eachUnit(units, func(u *unit) { u.norm.sum(u.norm.heads) })
	heads, queries := &t.norm.sides[ofHeads], &t.norm.sides[ofQueries]
	heads.collectStatistics(units)
	t.eachUnit(units, func(u *unit) {
		n := len(u.norm.paths)
		heads.normalize(u.norm.heads, n)
		heads.scale(u.norm.inputs, u.norm.heads, n)
		u.norm.dropInputs(t, u)
		clear(first(u.norm.queries, n))
		t.eachRelation(u, func(from, n int, _ int32, matrices, _ []kernel.Table) {
			t.hop.(partitions).addProducts(
				u.norm.queries.From(from), u.norm.inputs.From(from), matrices, n)
		})
		u.norm.sum(u.norm.queries)
	})
	queries.collectStatistics(units)
	t.eachUnit(units, func(u *unit) { queries.normalize(u.norm.queries, len(u.norm.paths)) })
}

// propagateNormalized propagates the gradients of all queries to the entities and matrices.
func (t *trainer) propagateNormalized(units []*unit) {
	heads, queries := &t.norm.sides[ofHeads], &t.norm.sides[ofQueries]
	queries.collectSums(units)
	t.eachUnit(units, func(u *unit) {
		n := len(u.norm.paths)
		queries.propagate(u.norm.byQueries, u.norm.queries, n, u.norm.repeats)
		clear(first(u.norm.byInputs, n))
		t.eachRelation(u, func(from, n int, relation int32, _, transposes []kernel.Table) {
			gradient := u.norm.byQueries.From(from)
			t.hop.(partitions).addProducts(u.norm.byInputs.From(from), gradient, transposes, n)
			u.gradients.outer.add(t.cores.partitionLayout, relation, u.norm.inputs.From(from), gradient, n)
		})
		if t.settings.InputDropout > 0 {
			u.norm.mask.Apply(u.norm.byInputs, n)
		}
		u.norm.sumGradients(u.norm.byInputs, u.norm.heads)
	})
	heads.collectSums(units)
	t.eachUnit(units, func(u *unit) {
		heads.propagate(u.norm.byInputs, u.norm.heads, len(u.norm.paths), u.norm.repeats)
		for question, path := range u.norm.paths {
			to := tiles.PaddedRow(u.gradients.anchors, int(path))
			t.kernels.ScaleAdd(to, tiles.PaddedRow(u.norm.byInputs, question), 1)
		}
	})
}

// eachUnit visits units in parallel.
func (t *trainer) eachUnit(units []*unit, visit func(u *unit)) {
	tiles.Parallel(t.threads, len(units), func(_, i int) { visit(units[i]) })
}

// eachRelation visits runs of questions of a unit with the same relation.
func (t *trainer) eachRelation(
	u *unit, visit func(from, n int, relation int32, matrices, transposes []kernel.Table),
) {
	paths := u.norm.paths
	relation := func(i int) int32 {
		row, _ := t.relationRow(u.examples[paths[i]].Path[0])
		return int32(row)
	}
	var tables []kernel.Table
	for from := 0; from < len(paths); {
		n := 1
		for from+n < len(paths) && relation(from+n) == relation(from) {
			n++
		}
		tables = t.cores.appendMatrices(tables[:0], relation(from))
		k := t.cores.count
		visit(from, n, relation(from), tables[:k], tables[k:2*k])
		from += n
	}
}

// loadHeads looks up the heads of the questions of a unit, and gives the unit its reverses.
func (n *normUnit) loadHeads(t *trainer, u *unit) {
	if t.objective.directions() > 1 {
		u.addReverses(1)
	}
	n.paths, n.repeats = n.paths[:0], false
	for path := range u.examples {
		if !u.repeatsQuestion(path) {
			head := tiles.PaddedRow(t.entities.Table, int(u.examples[path].Anchor))
			copy(tiles.PaddedRow(n.heads, len(n.paths)), head)
			n.paths = append(n.paths, int32(path))
		}
	}
}

// dropInputs drops coordinates of the inputs.
func (n *normUnit) dropInputs(t *trainer, u *unit) {
	share := t.settings.InputDropout
	if share == 0 {
		return
	}
	key := dropout.InputKey(t.member.Seed, t.steps)
	for question, path := range n.paths {
		n.mask.Draw(key, question, t.inputNumber(forward, u, int(path)), t.dim, share)
	}
	n.mask.Apply(n.inputs, len(n.paths))
}

// sum sums rows and their squares, without a question that another unit counts.
func (n *normUnit) sum(rows kernel.Table) {
	first := 0
	if n.repeats {
		first = 1
	}
	n.sumProducts(rows, rows, first)
}

// sumGradients sums gradients, and their products with the normalized rows.
func (n *normUnit) sumGradients(gradient, rows kernel.Table) { n.sumProducts(gradient, rows, 0) }

// sumProducts sums x and x·y over questions from the first on.
func (n *normUnit) sumProducts(x, y kernel.Table, first int) {
	sums, products := n.sums[0], n.sums[1]
	clear(sums)
	clear(products)
	for i := first; i < len(n.paths); i++ {
		rowY := y.Row(i)
		for j, v := range x.Row(i)[:len(sums)] {
			sums[j] += float64(v)
			products[j] += float64(v) * float64(rowY[j])
		}
	}
}

// begin starts a step with the table of batch normalization.
func (b *batchNorm) begin(table kernel.Table) {
	b.table = table
	for i := range b.sides {
		b.sides[i].gamma = table.Row(form.NormGamma + i)[:b.dim]
		b.sides[i].beta = table.Row(form.NormBeta + i)[:b.dim]
	}
}

// collectSums adds the sums of units. Sums of gradients are the gradients of β, and those of their
// products with normalized rows the gradients of γ.
func (s *normSide) collectSums(units []*unit) {
	for i, sums := range s.sums {
		clear(sums)
		for _, u := range units {
			for j, x := range u.norm.sums[i] {
				sums[j] += x
			}
		}
	}
}

// collectStatistics computes mean and variance from the sums of units.
func (s *normSide) collectStatistics(units []*unit) {
	s.collectSums(units)
	s.count = 0
	for _, u := range units {
		s.count += float64(len(u.norm.paths))
		if u.norm.repeats {
			s.count--
		}
	}
	for j, sum := range s.sums[0] {
		s.mean[j] = sum / s.count
		s.variance[j] = max(0, s.sums[1][j]/s.count-s.mean[j]*s.mean[j])
		s.inverse[j] = 1 / math.Sqrt(s.variance[j]+form.NormEpsilon)
	}
}

// normalize replaces rows by (x - μ)/√(σ² + ε).
func (s *normSide) normalize(rows kernel.Table, n int) {
	for i := range n {
		row := rows.Row(i)
		for j, mean := range s.mean {
			row[j] = float32((float64(row[j]) - mean) * s.inverse[j])
		}
	}
}

// scale writes γx + β for normalized rows x.
func (s *normSide) scale(to, rows kernel.Table, n int) {
	for i := range n {
		x, y := rows.Row(i), to.Row(i)
		for j, gamma := range s.gamma {
			y[j] = gamma*x[j] + s.beta[j]
		}
	}
}

// propagate replaces the gradients of γx + β, for normalized rows x, by those of the rows before.
// Each row also changes mean and variance, except the first if it repeats a question.
func (s *normSide) propagate(gradient, normalized kernel.Table, n int, repeats bool) {
	for i := range n {
		g, x := gradient.Row(i), normalized.Row(i)
		for j, gamma := range s.gamma {
			common := (s.sums[0][j] + float64(x[j])*s.sums[1][j]) / s.count
			if repeats && i == 0 {
				common = 0
			}
			g[j] = float32(float64(gamma) * s.inverse[j] * (float64(g[j]) - common))
		}
	}
}

// step takes an optimizer step with γ and β, and updates the moving averages.
func (b *batchNorm) step(u *tiles.Updater, rate float64, count int) {
	for i, s := range b.sides {
		toGamma, toBeta := b.gradient.Row(form.NormGamma+i), b.gradient.Row(form.NormBeta+i)
		for j := range b.dim {
			toBeta[j], toGamma[j] = float32(s.sums[0][j]), float32(s.sums[1][j])
		}
	}
	u.Step(0, first(b.gradient, form.NormRows), rate, count)
	for i, s := range b.sides {
		unbiased := s.count / max(1, s.count-1)
		mean, variance := b.table.Row(form.NormMean+i), b.table.Row(form.NormVariance+i)
		for j := range b.dim {
			mean[j] += form.NormMomentum * (float32(s.mean[j]) - mean[j])
			variance[j] += form.NormMomentum * (float32(s.variance[j]*unbiased) - variance[j])
		}
	}
}
