package enginetest

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// reference computes the loss of a model in float64, directly from the definitions.
type reference struct {
	kge.Parameters
	data     *kge.Data
	settings kge.Settings
	member   kge.Member
	tables   [][]float64 // entities, then those of relations
	learned  [][]float64 // with an encoder, which makes the tables of these

	orthogonalities map[int]float64 // of the relations of a batch
	// adversarial has the weights of the negatives of a batch by query. slope keeps them.
	adversarial     map[int][]float64
	keepAdversarial bool
	// With batch normalization: queries of a batch by number, without dropout, and the table of the
	// normalization with its moving averages after the step.
	queries  [][]float64
	averages []float64
	// beforeRelations has outputs of RSN before the last relations of queries.
	beforeRelations [][]float64
}

func newReference(d *kge.Data, s kge.Settings, m kge.Member, p kge.Parameters) *reference {
	r := &reference{Parameters: p, data: d, settings: s, member: m, tables: float64Tables(p.Tables),
		orthogonalities: map[int]float64{}, adversarial: map[int][]float64{}}
	if s.Encoder != kge.NoEncoder {
		r.learned = r.tables
	}
	return r
}

// numbers returns the tables that have gradients.
func (r *reference) numbers() [][]float64 {
	if r.learned != nil {
		return r.learned
	}
	return r.tables
}

// float64Tables converts the tables of a model.
func float64Tables(t kge.Tables) (tables [][]float64) {
	for _, table := range t.All() {
		tables = append(tables, toFloat64(table))
	}
	return tables
}

func toFloat64(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func (r *reference) entity(id int32) []float64 { return r.tables[0][int(id)*r.Dim:][:r.Dim] }

// hop is a relation of a path, as its number in the tables.
type hop struct {
	number     int
	transposed bool
}

func (r *reference) hops(path []int32) (hops []hop) {
	for _, id := range path {
		number, transposed := rules.RelationRow(id, len(r.data.Relations), r.Reciprocal)
		hops = append(hops, hop{number, transposed})
	}
	return hops
}

// rows returns the rows of relation number, and global tables.
func (r *reference) rows(number int) (rows [][]float64) {
	for i, t := range r.Specs() {
		size, first := t.Rows*t.Columns, 0
		if !t.Global {
			first = number * size
		}
		rows = append(rows, r.tables[1+i][first:][:size])
	}
	return rows
}

// walk returns the state after hops from an entity.
func (r *reference) walk(entity int32, hops ...hop) []float64 {
	spec := r.Form.Spec()
	state := make([]float64, r.Dim*spec.Capabilities().StateRows)
	copy(state, r.entity(entity))
	for _, h := range hops {
		state = spec.DefineHop(r.Structure, state, r.rows(h.number), h.transposed)
	}
	return state
}

// trainedQuery returns the query of a question in a step, without the dropout of queries. number is
// its number in the batch.
func (r *reference) trainedQuery(q kge.Question, step, number int) []float64 {
	if r.normalizesBatches() {
		return slices.Clone(r.queries[number])
	}
	if r.settings.InputDropout == 0 {
		return r.query(q)
	}
	row := r.entity(q.Anchor)
	if cell, ok := r.Form.Cell(); ok { // a path that returns to its anchor reads the whole row there
		row = slices.Clone(row)
		r.drop(row, dropout.InputKey(r.member.Seed, step), number, r.settings.InputDropout)
		return r.read(q, cell, row)
	}
	whole := slices.Clone(row)
	defer copy(row, whole)
	r.drop(row, dropout.InputKey(r.member.Seed, step), number, r.settings.InputDropout)
	return r.query(q)
}

// drop drops a share of the coordinates of x.
func (r *reference) drop(x []float64, key uint32, number int, share float64) {
	for i := range x {
		x[i] /= 1 - share
		if dropout.Dropped(key, number, i, len(x), share) {
			x[i] = 0
		}
	}
}

// isConvE reports whether the form is ConvE.
func (r *reference) isConvE() bool {
	_, ok := r.Form.ConvE()
	return ok
}

// dropsInside reports whether all dropouts are within the hop.
func (r *reference) dropsInside() bool { return r.isConvE() || r.Form == form.RSN }

// normalizesBatches reports whether the queries of a batch depend on each other.
func (r *reference) normalizesBatches() bool { return r.Form.HasNorm() || r.dropsInside() }

// query returns the query of a question.
func (r *reference) query(q kge.Question) []float64 {
	if cell, ok := r.Form.Cell(); ok && (len(q.Path) == 1 || q.Through != nil) {
		return r.read(q, cell, r.entity(q.Anchor))
	}
	return r.walk(q.Anchor, r.hops(q.Path)...)
}

// scoreScale returns the maximum over a batch of the root sum of squares of the terms of a score.
// The rounding error of a score grows with it, even if the score itself is small.
func (r *reference) scoreScale(batch []kge.Example) float64 {
	largest := 0.0
	for _, x := range batch {
		query := r.query(x.Question)
		for id := range r.data.Entities {
			squares := 0.0
			for i, e := range r.entity(int32(id)) {
				squares += query[i] * query[i] * e * e
			}
			largest = math.Max(largest, squares)
		}
	}
	return math.Sqrt(largest)
}

// backQuery returns the state after the path of a question, walked backward from an answer.
func (r *reference) backQuery(q kge.Question, answer int32) []float64 {
	hops := r.hops(q.Path)
	slices.Reverse(hops)
	for i := range hops {
		hops[i].transposed = !hops[i].transposed
	}
	return r.walk(answer, hops...)
}

func (r *reference) score(query []float64, entity int32) float64 {
	return r.Form.Spec().DefineScore(query, r.entity(entity))
}

// scores returns the scores of all entities for a query.
func (r *reference) scores(query []float64) (all []float64) {
	for e := range r.data.Entities {
		all = append(all, r.score(query, int32(e)))
	}
	return all
}

// reversed returns the example that asks for the anchor along the reversed path.
func reversed(x kge.Example) kge.Example {
	path := slices.Clone(x.Path)
	slices.Reverse(path)
	for i := range path {
		path[i] ^= 1
	}
	return kge.Example{Question: kge.Question{Anchor: x.Target, Path: path}, Target: x.Anchor,
		Targets: []int32{x.Anchor}, Weight: x.BackWeight, BackWeight: x.Weight,
		FactWeight: x.FactWeight}
}

// loss returns the mean loss per example of a batch, as [kge.Settings], [kge.Weights] and
// [kge.Data] define it.
func (r *reference) loss(batch []kge.Example, step int) (loss float64) {
	if r.learned != nil {
		r.tables = r.encode(step)
	}
	clear(r.orthogonalities)
	if !r.keepAdversarial {
		clear(r.adversarial)
	}
	if r.normalizesBatches() {
		r.normalizeBatch(batch, step)
	}
	if r.settings.AnswersPerQuery > 0 {
		return r.groupedLoss(batch, step)
	}
	if r.settings.Loss == kge.BCE {
		return r.binaryLoss(batch, step)
	}
	for i, x := range batch {
		directions := []kge.Example{x}
		bothDirections := r.data.BothDirections && r.settings.WalkHops == 0
		if bothDirections {
			directions = append(directions, reversed(x))
		}
		examples := directions[:1] // with penalties and relation prediction
		if bothDirections && r.Reciprocal {
			examples = directions
		}
		for direction, x := range directions {
			loss += r.exampleLoss(x, step, len(directions)*i+direction)
			if r.Form == form.RSN {
				loss += float64(x.Weight) * r.nextRelation(x.Question, i)
			}
		}
		for _, x := range examples {
			if w := r.member.RelationPrediction; w > 0 {
				loss += w * float64(x.FactWeight) * r.relationEntropy(x)
			}
			loss += r.penalty(x) / float64(len(examples))
		}
	}
	return loss / float64(len(batch))
}

// groupedLoss returns the loss of a batch of answers grouped by query. Two answers make a triple.
func (r *reference) groupedLoss(batch []kge.Example, step int) (loss float64) {
	number := -1
	for i, x := range batch {
		same := func(other kge.Example) bool {
			return x.Anchor == other.Anchor && slices.Equal(x.Path, other.Path)
		}
		if i == 0 || !same(batch[i-1]) {
			number++
		}
		var others []int32
		for _, other := range batch {
			if same(other) {
				others = append(others, other.Target)
			}
		}
		loss += r.exampleLoss(x, step, number, others...) + r.penalty(x)/2
		if w := r.member.RelationPrediction; w > 0 {
			loss += w * float64(x.FactWeight) * r.relationEntropy(x)
		}
	}
	return 2 * loss / float64(len(batch))
}

// exampleLoss returns the loss of an example's answers. number is its number in the batch; others
// are the other answers of its group.
func (r *reference) exampleLoss(x kge.Example, step, number int, others ...int32) (loss float64) {
	query := r.trainedQuery(x.Question, step, number)
	if r.settings.Dropout > 0 && !r.dropsInside() {
		r.drop(query, dropout.Key(r.member.Seed, step), number, r.settings.Dropout)
	}
	if r.settings.Negatives > 0 && r.data.BothDirections {
		return float64(x.Weight) * r.selfAdversarial(x, query, step, number)
	}
	if r.settings.Negatives > 0 {
		loss = math.Log1p(math.Exp(-r.settings.Margin - r.score(query, x.Target)))
		count := r.settings.Negatives
		addNegative := func(e int32) {
			loss += math.Log1p(math.Exp(r.settings.Margin+r.score(query, e))) / float64(count)
		}
		entities := len(r.data.Entities)
		rules.DrawNegatives(r.member.Seed, step, number, entities, count, x.Targets, addNegative)
		return loss * float64(x.Weight)
	}
	total := 0.0
	scores := r.scores(query)
	weights := r.candidateWeights(append(others, x.Targets...), step)
	for entity, score := range scores {
		total += math.Exp(score) * weights[entity]
	}
	for _, answer := range x.Targets {
		loss += (math.Log(total) - scores[answer]) / float64(len(x.Targets))
	}
	if a, square := r.settings.TeacherWeight, math.Pow(r.settings.Temperature, 2); a > 0 {
		loss = (1-a)*loss + a*square*r.teacherEntropy(x.Question, scores)
	}
	return float64(x.Weight) * loss
}

// teacherEntropy returns the cross entropy between a teacher's answer and scores of a model.
func (r *reference) teacherEntropy(q kge.Question, scores []float64) (sum float64) {
	answer := r.data.Teacher(q.Anchor, q.Path[0])
	var scaled []float64 // of the entities of the answer
	for _, entity := range answer.Entities {
		scaled = append(scaled, scores[entity]/r.settings.Temperature)
	}
	for i, score := range scaled {
		sum -= float64(answer.Shares[i]) * (score - floats.LogSumExp(scaled))
	}
	return sum
}

// selfAdversarial returns the loss of negative sampling for an answer.
func (r *reference) selfAdversarial(
	x kge.Example, query []float64, step, number int,
) (loss float64) {
	entities, n := len(r.data.Entities), r.settings.Negatives
	drawn := make([]int32, min(n, entities))
	block := number / 2 / rules.NegativeBlock
	rules.DrawSample(r.member.Seed, rules.BlockStep(step, block), drawn, make([]bool, entities))
	answers := r.data.Answers(x.Anchor, x.Path[0])
	var scores, weights []float64
	for _, e := range drawn {
		if !slices.Contains(answers, e) {
			scores = append(scores, r.score(query, e))
			weights = append(weights, math.Exp(r.settings.AdversarialTemperature*r.score(query, e)))
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	if kept, ok := r.adversarial[number]; ok {
		weights = kept
	}
	r.adversarial[number] = weights
	for i, score := range scores {
		loss += weights[i] * math.Log1p(math.Exp(r.settings.Margin+score))
	}
	return loss + math.Log1p(math.Exp(-r.settings.Margin-r.score(query, x.Target)))
}

// candidateWeights returns the weight of each entity in the softmax of a step. With sampled softmax
// it is the inverse sampling rate for sampled entities, 1 for other answers and 0 for the rest.
func (r *reference) candidateWeights(answers []int32, step int) []float64 {
	all, n := len(r.data.Entities), r.settings.SampledSoftmax
	weights := make([]float64, all)
	if n == 0 || n >= all {
		for e := range weights {
			weights[e] = 1
		}
		return weights
	}
	drawn := make([]int32, n)
	rules.DrawSample(r.member.Seed, uint64(step), drawn, make([]bool, all))
	for _, answer := range answers {
		weights[answer] = 1
	}
	for _, e := range drawn {
		weights[e] = float64(all) / float64(n)
	}
	return weights
}

// relationEntropy returns the cross entropy of the relation of a triple among all relations.
func (r *reference) relationEntropy(x kge.Example) float64 {
	score := func(number int) float64 {
		return r.score(r.walk(x.Anchor, hop{number: number}), x.Target)
	}
	count := len(r.data.Relations)
	if r.Reciprocal {
		count *= 2
	}
	total := 0.0
	for number := range count {
		total += math.Exp(score(number))
	}
	return math.Log(total) - score(r.hops(x.Path)[0].number)
}

// penalty returns the penalties of an example: on its rows, and on the queries from both ends.
func (r *reference) penalty(x kge.Example) (sum float64) {
	w := r.member.Weights
	if w.Products > 0 {
		forward, backward := r.query(x.Question), r.backQuery(x.Question, x.Target)
		sum += w.Products * (r.scale(x.Anchor)*powerSum(forward, 2) +
			r.scale(x.Target)*powerSum(backward, 2))
	}
	if w.HasIVR() {
		sum += r.intermediates(x)
	}
	ofEntity := func(id int32, row []float64) float64 {
		return r.scale(id) *
			((w.L2+w.EntityL2)*powerSum(row, 2) + (w.N3+w.EntityN3)*r.cubes(row))
	}
	sum += ofEntity(x.Anchor, r.movedAnchor(x)) + ofEntity(x.Target, r.entity(x.Target))
	for i, h := range r.hops(x.Path) {
		scale := r.relationScale(x.Path[i])
		if w.Orthogonality > 0 {
			sum += scale * w.Orthogonality * r.orthogonality(h.number)
		}
		for n, numbers := range r.rows(h.number) {
			if t := r.Specs()[n]; t.Global || t.Moves {
				continue
			}
			sum += scale *
				((w.L2+w.RelationL2)*powerSum(numbers, 2) + (w.N3+w.RelationN3)*r.cubes(numbers))
		}
	}
	return sum
}

// orthogonality returns Σ_k |M_kᵀM_k - I|² for a relation with cores, which the examples of a batch
// share. The matrices of all partitions are one block-diagonal matrix M, whose rows are the states
// after a hop from unit vectors.
func (r *reference) orthogonality(relation int) (sum float64) {
	if known, ok := r.orthogonalities[relation]; ok {
		return known
	}
	m := mat.NewDense(r.Dim, r.Dim, nil)
	for i := range r.Dim {
		unit := make([]float64, r.Dim)
		unit[i] = 1
		m.SetRow(i, r.Form.WithoutNorm().Spec().DefineHop(r.Structure, unit, r.rows(relation), false))
	}
	var difference mat.Dense
	difference.Mul(m.T(), m)
	for i := range r.Dim {
		difference.Set(i, i, difference.At(i, i)-1)
	}
	sum = powerSum(difference.RawMatrix().Data, 2)
	r.orthogonalities[relation] = sum
	return sum
}

// movedAnchor returns the row of an example's anchor plus the rows of its first relation that move
// it.
func (r *reference) movedAnchor(x kge.Example) []float64 {
	moved := slices.Clone(r.entity(x.Anchor))
	for table, row := range r.rows(r.hops(x.Path)[0].number) {
		if r.Specs()[table].Moves {
			floats.Add(moved, row)
		}
	}
	return moved
}

// scale returns the factor of penalties on an entity.
func (r *reference) scale(entity int32) float64 {
	n := r.occurrences().Entities
	return frequencyScale(n, int(entity), r.member.PenaltyFrequency)
}

// relationScale returns the factor of penalties on a relation or its reverse.
func (r *reference) relationScale(id int32) float64 {
	n := r.occurrences().Relations
	return frequencyScale(n, int(id/2), r.member.PenaltyFrequency)
}

// occurrences returns the uses of the data, which may lack them without penalties by frequency.
func (r *reference) occurrences() (o kge.Occurrences) {
	if r.member.PenaltyFrequency > 0 {
		o = r.data.Occurrences()
	}
	return o
}

// frequencyScale returns n^-p for a row with n uses, divided by its mean over all uses.
func frequencyScale(uses []float64, row int, p float64) float64 {
	if p == 0 {
		return 1
	}
	all, mean := 0.0, 0.0
	for _, n := range uses {
		all += n
		if n > 0 {
			mean += n * math.Pow(n, -p)
		}
	}
	return math.Pow(uses[row], -p) / (mean / all)
}

// powerSum returns Σ|x|^p.
func powerSum(x []float64, p float64) (sum float64) {
	if p == 2 {
		return floats.Dot(x, x)
	}
	for _, v := range x {
		sum += math.Pow(math.Abs(v), p)
	}
	return sum
}

// cubes returns the sum of the cubed norms of the groups of a row, see [kge.Weights].
func (r *reference) cubes(row []float64) float64 {
	k := max(1, r.Structure.K())
	groups := k / max(1, r.member.N3Block) // at each position
	width := len(row) / k
	norms := make([]float64, groups*width)
	for chunk := range k {
		for position := range width {
			norm := &norms[chunk%groups*width+position]
			*norm = math.Hypot(*norm, row[chunk*width+position])
		}
	}
	return powerSum(norms, 3)
}

// slope returns the difference quotient of the loss with respect to number i of a table, after loss
// of the same batch and step.
func (r *reference) slope(table, i int, batch []kge.Example, step int) float64 {
	const width = 1e-6
	number := &r.numbers()[table][i]
	x := *number
	r.keepAdversarial = true
	defer func() { *number, r.keepAdversarial = x, false }()
	*number = x + width
	above := r.loss(batch, step)
	*number = x - width
	return (above - r.loss(batch, step)) / (2 * width)
}
