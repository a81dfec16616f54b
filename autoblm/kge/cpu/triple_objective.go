package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// tripleObjective learns examples in both directions: the target given the anchor and the path,
// and the anchor given the target and the path back. With reverses of relations, the way back
// is an example of its own.
type tripleObjective struct {
	isGrouped bool // the way back is a separate example: with query grouping and binary cross entropy
	// teacher returns the answers of [kge.Data.Teacher]; nil without one.
	teacher func(anchor, relation int32) kge.Distribution
}

func (o tripleObjective) directions() int {
	if o.isGrouped {
		return 1
	}
	return 2
}

func (tripleObjective) mean(losses []float64, sizes []int, all int) (mean float64) {
	for i, loss := range losses {
		mean += loss * float64(sizes[i]) / float64(all)
	}
	return mean
}

func (o tripleObjective) learn(
	t *trainer, s *scratch, u *unit, a *activeUnit, weight float32,
) float64 {
	exampleWeight := t.exampleWeight(weight)
	if t.settings.AnswersPerQuery > 0 { // a triple is two examples
		weight *= 2
	}
	loss := t.predictEntities(s, u, a, weight)
	loss += t.predictRelations(s, u, a, weight)
	loss += t.penalizeAnchors(s, u, a, exampleWeight) +
		t.penalizeHop(s, u, a, 0, exampleWeight) + t.penalizeTargets(s, u, a, exampleWeight)
	loss += t.penalizeIntermediates(s, u, a, exampleWeight)
	return loss + t.penalizeBothEnds(s, u, a, exampleWeight)
}

// predictEntities returns the loss of both ends of the paths as answers.
func (t *trainer) predictEntities(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	softmax, n := a.overEntities, a.count
	t.makeQueries(s, u, a)
	questions := t.questions(u, a)
	if t.settings.Dropout > 0 {
		t.drawMask(s.mask, u, questions)
		s.mask.Apply(softmax.Rows, questions)
	}
	if t.settings.Loss == kge.BCE {
		loss := t.classifyEntities(s, u, a, weight)
		t.finishQueries(s, u, a, questions)
		return loss
	}
	answerWeight := weight * float32(1-t.settings.TeacherWeight)
	softmax.Sampling = t.sampling(u)
	answers := n
	if !t.reciprocal {
		answers += n
	}
	answer := t.answers(u, a, answerWeight)
	var loss float64
	if t.settings.Negatives > 0 {
		loss = t.sampleNegatives(s, u, a, answers, answer)
	} else {
		loss = softmax.CrossEntropy(t.kernels, t.candidates(), answers, s.softmax, answer)
	}
	if t.settings.HasTeacher() {
		loss += t.learnFromTeacher(s, u, a, weight)
	}
	t.finishQueries(s, u, a, questions)
	return loss
}

// finishQueries propagates the gradient with respect to the queries, through their dropout.
func (t *trainer) finishQueries(s *scratch, u *unit, a *activeUnit, questions int) {
	if t.settings.Dropout > 0 {
		s.mask.Apply(a.overEntities.ByQuery, questions)
	}
	t.propagateQueries(s, u, a)
}

// answers returns a function from i to the i-th answer of a unit: the targets of all examples and
// then, without reverses, their anchors. It builds the answer itself instead of calling a method:
// one more copy of each answer would take 5 % of a step on a small graph.
func (t *trainer) answers(u *unit, a *activeUnit, weight float32) func(i int) tiles.Answer {
	n := a.count
	return func(i int) tiles.Answer {
		if i >= n {
			x := &u.examples[i-n]
			return tiles.Answer{
				Query:      i,
				Weight:     weight * x.BackWeight,
				Row:        tiles.PaddedRow(a.anchors, i-n),
				Gradient:   tiles.PaddedRow(u.gradients.anchors, i-n),
				NotSampled: t.isNotSampled(x.Anchor),
			}
		}
		x := &u.examples[i]
		return tiles.Answer{
			Query:      int(u.questions[i]),
			Weight:     weight * x.Weight,
			Row:        tiles.PaddedRow(a.targets, i),
			Gradient:   tiles.PaddedRow(u.gradients.targets, i),
			NotSampled: t.isNotSampled(x.Target),
			Repeated:   u.repeatsQuestion(i) && u.examples[i-1].Target == x.Target,
		}
	}
}

// questions returns the number of questions of a unit.
func (t *trainer) questions(u *unit, a *activeUnit) int {
	switch {
	case t.layout.isGrouped:
		return int(u.questions[a.count-1]) + 1
	case t.reciprocal:
		return a.count
	}
	return 2 * a.count
}

// makeQueries makes a query of each question: the ends of the paths walked forward and then,
// without reverses, of the same paths walked backward.
func (t *trainer) makeQueries(s *scratch, u *unit, a *activeUnit) {
	softmax, n := a.overEntities, a.count
	softmax.Reset(t.questions(u, a))
	if u.norm != nil {
		t.norm.sides[ofQueries].scale(softmax.Rows, u.norm.queries, len(u.norm.paths))
		return
	}
	if !t.layout.isGrouped {
		if !t.reciprocal {
			back := softmax.Rows.From(n * t.stateRows)
			t.walkQueries(backward, s, u, a, back)
		}
		t.walkQueries(forward, s, u, a, softmax.Rows)
		return
	}
	clear(first(s.gradQueries, n*t.stateRows))
	t.walkQueries(forward, s, u, a, s.gradQueries)
	for path, question := range u.questions {
		if !u.repeatsQuestion(path) {
			query := softmax.QueryRows(softmax.Rows, int(question))
			copy(query, part(s.gradQueries, path, t.stateRows))
		}
	}
}

// propagateQueries propagates the gradient with respect to the queries to the embeddings. Of
// the examples with the same question, the first has the whole gradient.
func (t *trainer) propagateQueries(s *scratch, u *unit, a *activeUnit) {
	gradient, n := a.overEntities.ByQuery, a.count
	if u.norm != nil { // see propagateNormalized
		copy(u.norm.byQueries.Data, first(gradient, len(u.norm.paths)))
		u.norm.sumGradients(u.norm.byQueries, u.norm.queries)
		return
	}
	if !t.layout.isGrouped {
		t.walkQueriesBack(forward, s, u, a, gradient)
		if !t.reciprocal {
			t.walkQueriesBack(backward, s, u, a, gradient.From(n*t.stateRows))
		}
		return
	}
	for path, question := range u.questions {
		ofPath := part(s.gradQueries, path, t.stateRows)
		if u.repeatsQuestion(path) {
			clear(ofPath)
		} else {
			copy(ofPath, a.overEntities.QueryRows(gradient, int(question)))
		}
	}
	t.walkQueriesBack(forward, s, u, a, s.gradQueries)
}

// predictRelations returns the weighted cross entropy of the relations of the triples.
func (t *trainer) predictRelations(
	s *scratch, u *unit, a *activeUnit, weight float32,
) (loss float64) {
	if t.member.RelationPrediction == 0 {
		return 0
	}
	h, g := t.relationAsker(u), &u.gradients
	row := func(of kernel.Table, path int) []float32 {
		return tiles.PaddedRow(of, int(a.slots[0][path].number))
	}
	weight *= float32(t.member.RelationPrediction)
	for i, softmax := range a.overRelations {
		from := min(i*t.maxQueries(), a.count)
		n := min(t.maxQueries(), a.count-from)
		softmax.Reset(max(1, n)) // at least one query, of zeros
		heads, tails := a.anchors.From(from), a.targets.From(from)
		h.AskRelations(softmax.Rows, heads, tails, n)
		answer := func(i int) tiles.Answer {
			return tiles.Answer{
				Query:    i,
				Weight:   weight * u.examples[from+i].FactWeight,
				Row:      row(a.relations[0][0], from+i),
				Gradient: row(g.relations[0][0], from+i),
			}
		}
		relations := t.relations[0].Embeddings
		loss += softmax.CrossEntropy(t.kernels, relations, n, s.relationSoftmax, answer)
		h.AskRelationsBack(
			softmax.ByQuery, heads, tails, g.anchors.From(from), g.targets.From(from), n)
	}
	return loss
}

// penalizeBothEnds returns the penalty of the products of paths with both of their ends, and
// adds its gradient. It walks the paths again, because queries may have dropped coordinates, and
// because with reverses only one direction has queries.
func (t *trainer) penalizeBothEnds(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	product := t.member.Products
	if product == 0 {
		return 0
	}
	sum := 0.0
	for _, d := range []direction{forward, backward} {
		products := first(s.rows, a.count)
		clear(products)
		t.walk(d, &a.paths, s.rows, &s.between)
		for i := range a.count {
			x, scale := tiles.PaddedRow(s.rows, i), t.startScale(d, &u.examples[i])
			sum += float64(scale) * tiles.Dot(x, x)
			if scale != 1 {
				t.kernels.Scale(x, x, scale)
			}
		}
		t.kernels.Scale(products, products, float32(2*product)*weight)
		t.walkBack(d, &a.paths, s.rows, s.between, &s.gradBetween, &u.gradients)
	}
	return product * float64(weight) * sum
}
