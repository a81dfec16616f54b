package enginetest

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// reference is a model in float64, with the loss that it is trained by, straight from
// the definitions.
type reference struct {
	kge.Parameters
	data   *kge.Data
	set    kge.Settings
	member kge.Member
	tables [][]float64 // entities, then those of relations
}

func newReference(d *kge.Data, s kge.Settings, m kge.Member, p kge.Parameters) *reference {
	r := &reference{Parameters: p, data: d, set: s, member: m}
	for _, table := range append([][]float32{p.Entities}, p.OfRelations()...) {
		r.tables = append(r.tables, widen(table))
	}
	return r
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func (r *reference) entity(id int32) []float64 { return r.tables[0][int(id)*r.Dim:][:r.Dim] }

func (r *reference) entities() int { return len(r.tables[0]) / r.Dim }

// numbered is the rows of a relation by its number in the tables.
func (r *reference) numbered(number int) (rows [][]float64) {
	for i, t := range r.Specs() {
		size := t.Rows * t.Columns
		rows = append(rows, r.tables[1+i][number*size:][:size])
	}
	return rows
}

func (r *reference) relation(id int32) (rows [][]float64, transposed bool) {
	number, transposed := kge.Place(id, len(r.data.Relations), r.Reciprocal)
	return r.numbered(number), transposed
}

// hop is the state after a relation.
func (r *reference) hop(state []float64, rows [][]float64, transposed bool) []float64 {
	return r.Form.Spec().DefineHop(r.Structure, state, rows, transposed)
}

// start is the state that an entity begins with.
func (r *reference) start(entity int32) []float64 {
	state := make([]float64, r.Dim*r.Form.Spec().Measure(r.Dim).RowsOfQuery())
	copy(state, r.entity(entity))
	return state
}

// ask is the query that a question makes.
func (r *reference) ask(q kge.Question) []float64 {
	state := r.start(q.Anchor)
	for _, id := range q.Path {
		rows, transposed := r.relation(id)
		state = r.hop(state, rows, transposed)
	}
	return state
}

// askBack is what the path of a question makes of an answer, walked backward.
func (r *reference) askBack(q kge.Question, answer int32) []float64 {
	state := r.start(answer)
	for i := len(q.Path) - 1; i >= 0; i-- {
		rows, transposed := r.relation(q.Path[i])
		state = r.hop(state, rows, !transposed)
	}
	return state
}

func (r *reference) score(query []float64, entity int32) float64 {
	return r.Form.Spec().DefineScore(query, r.entity(entity))
}

// back asks for the anchor of an example, by the reverses of its relations.
func back(x kge.Example) kge.Example {
	var path []int32
	for i := len(x.Path) - 1; i >= 0; i-- {
		path = append(path, x.Path[i]^1)
	}
	return kge.Example{Question: kge.Question{Anchor: x.Target, Path: path}, Target: x.Anchor, Targets: []int32{x.Anchor}, Weight: x.Weight}
}

// loss is the mean loss per example of a batch in a step, as [kge.Settings],
// [kge.Weights] and [kge.Data] define it.
func (r *reference) loss(batch []kge.Example, step int) (loss float64) {
	for i, x := range batch {
		ways := []kge.Example{x}
		if r.data.BothWays {
			ways = append(ways, back(x))
		}
		examples := ways[:1] // whose rows are penalized, and whose relations are asked for
		if r.data.BothWays && r.Reciprocal {
			examples = ways
		}
		for way, x := range ways {
			loss += r.learnt(x, step, len(ways)*i+way)
		}
		for _, x := range examples {
			if w := r.member.RelationPrediction; w > 0 {
				loss += w * r.relationEntropy(x)
			}
			loss += r.penalty(x) / float64(len(examples))
		}
	}
	return loss / float64(len(batch))
}

// learnt is the loss of an example's answers, given its number in the batch.
func (r *reference) learnt(x kge.Example, step, number int) (loss float64) {
	query := r.ask(x.Question)
	if r.set.Dropout > 0 {
		key := dropout.Key(r.member.Seed, step)
		for i := range query {
			if dropout.Dropped(key, number, i, r.Dim, r.set.Dropout) {
				query[i] = 0
			}
			query[i] /= 1 - r.set.Dropout
		}
	}
	if r.set.Negatives > 0 {
		loss = math.Log1p(math.Exp(-r.set.Margin - r.score(query, x.Target)))
		kge.Negatives{Seed: r.member.Seed, Entities: r.entities(), Count: r.set.Negatives}.Draw(step, number, &x, func(e int32) {
			loss += math.Log1p(math.Exp(r.set.Margin+r.score(query, e))) / float64(r.set.Negatives)
		})
		return loss * float64(x.Weight)
	}
	total, mean := 0.0, 0.0
	for e := range int32(r.entities()) {
		score := r.score(query, e)
		total += math.Exp(score)
		mean += score / float64(r.entities())
	}
	for _, answer := range x.Targets {
		loss += (math.Log(total) - r.score(query, answer)) / float64(len(x.Targets))
	}
	smoothing := r.set.LabelSmoothing
	return float64(x.Weight) * ((1-smoothing)*loss + smoothing*(math.Log(total)-mean))
}

// relationEntropy is the cross entropy of the relation of a triple among all.
func (r *reference) relationEntropy(x kge.Example) float64 {
	score := func(number int) float64 {
		return r.score(r.hop(r.start(x.Anchor), r.numbered(number), false), x.Target)
	}
	truth, _ := kge.Place(x.Path[0], len(r.data.Relations), r.Reciprocal)
	count := len(r.data.Relations)
	if r.Reciprocal {
		count *= 2
	}
	total := 0.0
	for number := range count {
		total += math.Exp(score(number))
	}
	return math.Log(total) - score(truth)
}

// penalty is that of the rows of an example, and of what its path makes of both ends.
func (r *reference) penalty(x kge.Example) (sum float64) {
	w := r.member.Weights
	if w.Products > 0 {
		sum += w.Products * (power(r.ask(x.Question), 2) + power(r.askBack(x.Question, x.Target), 2))
	}
	for _, end := range []int32{x.Anchor, x.Target} {
		sum += (w.L2+w.EntityL2)*power(r.entity(end), 2) + w.N3*power(r.entity(end), 3)
	}
	for _, id := range x.Path {
		rows, _ := r.relation(id)
		for _, numbers := range rows {
			sum += (w.L2+w.RelationL2)*power(numbers, 2) + w.N3*power(numbers, 3)
		}
	}
	return sum
}

// power is Σ|x|^p.
func power(x []float64, p float64) (sum float64) {
	for _, v := range x {
		sum += math.Pow(math.Abs(v), p)
	}
	return sum
}

// slope is the difference quotient of the loss by a number of a table.
func (r *reference) slope(table, i int, batch []kge.Example, step int) float64 {
	const width = 1e-6
	number := &r.tables[table][i]
	x := *number
	defer func() { *number = x }()
	*number = x + width
	above := r.loss(batch, step)
	*number = x - width
	return (above - r.loss(batch, step)) / (2 * width)
}
