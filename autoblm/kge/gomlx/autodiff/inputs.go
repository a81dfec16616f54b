package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/gomlx/gomlx/core/tensors"
)

// Numbers of a member.
const (
	scalarDropout = iota
	scalarInputDropout
	scalarEntityL2
	scalarEntityN3
	scalarRelationL2
	scalarRelationN3
	scalarProducts
	scalarOrthogonality
	scalarRepeats // number of entities that each candidate of a sampled softmax stands for
	scalarMargin
	scalarTemperature
	scalarAnswerLabel // see [kge.LossFunction.Labels]
	scalarOtherLabel
	scalarFeatureDropout
	scalarRelationPrediction
	scalarIVR
	scalarIVRProducts
	scalarIVRExponent // of squared norms
	scalarTeacherWeight
	scalarTeacherTemperature
	scalars
)

// part is a range of the questions of a batch, in room for a number of them.
type part struct {
	*batch
	from, to, room int
}

// padded returns the length of a list with padding: that of the questions, or a power of two, so
// that few programs are compiled.
func (p part) padded(n int) int {
	if n <= p.room {
		return p.room
	}
	return powerOfTwo(n)
}

// hopsOf returns the number of hops of the longest path.
func hopsOf(all []kge.Question) (hops int) {
	for _, q := range all {
		hops = max(hops, len(q.Path))
	}
	return hops
}

// layoutOf returns the layout of the inputs of a part. longest is the number of entities of its longest
// answer of a teacher.
func (t *trainee) layoutOf(p part, longest int) layout {
	s, recipe := t.settings, t.recipe()
	l := layout{
		questions: p.room, hops: hopsOf(p.questions[p.from:p.to]), tables: len(t.columns),
		answers: p.padded(len(within(p.answers, p.from, p.to))), taught: longest,
		penalized: recipe.isPenalized(),
	}
	if recipe.reads {
		l.passed = l.hops
	}
	if l.penalized {
		l.ends = p.padded(len(within(p.ends, p.from, p.to)))
	}
	if recipe.relationPrediction || recipe.ivr {
		l.triples = l.ends
	}
	entities := len(t.data.Entities)
	switch t.candidates {
	case sampled:
		l.blocks, l.candidates, l.included = 1, s.Candidates(entities), l.answers
	case sharedNegatives:
		l.blocks, l.candidates = p.room/questionsPerBlock, min(s.Negatives, entities)
		l.allowed = l.candidates
	case ownNegatives:
		l.blocks, l.candidates, l.allowed = p.room, s.Negatives, s.Negatives
	}
	return l
}

// inputsOf returns the inputs of a part for a member in a step, counted from 1, and their layout.
func (t *trainee) inputsOf(p part, step int, rate float64) ([]*tensors.Tensor, layout) {
	taught, longest := t.taughtIn(p)
	layout := t.layoutOf(p, longest)
	all, questions := layout.pack(), p.questions[p.from:p.to]
	writeWalks(questions, t.relations, t.Reciprocal,
		all.integersOf(inAnchors), all.integersOf(inRelations), all.floatsOf(inSigns))
	if layout.passed > 0 {
		writePassed(questions, all.integersOf(inPassed))
	}
	numbers, weights := all.integersOf(inNumbers), all.floatsOf(inWeights)
	for i := range questions {
		numbers.set(0, i, int32(p.from+i))
	}
	entities, of := all.integersOf(inAnswers), all.integersOf(inAnswerQuestions)
	answerWeights := all.floatsOf(inAnswerWeights)
	for i, x := range within(p.answers, p.from, p.to) {
		entities.set(0, i, x.entity)
		of.set(0, i, int32(x.question-p.from))
		answerWeights.set(0, i, x.weight)
		weights.numbers[x.question-p.from] += x.weight
	}
	all.integersOf(inCount).set(0, 0, int32(len(questions)))
	if layout.penalized {
		t.addPenalties(all, p)
	}
	t.addCandidates(all, p, step)
	addTaught(all, taught)
	s, m := t.settings, t.member
	for i, key := range [keys]uint32{
		dropout.Key(m.Seed, step), dropout.InputKey(m.Seed, step), dropout.LayerKey(m.Seed, step),
	} {
		all.integersOf(inKeys).set(0, i, int32(key))
	}
	for i, share := range [keys]float64{s.Dropout, s.InputDropout, s.FeatureDropout} {
		all.integersOf(inThresholds).set(0, i, int32(dropout.Threshold(share)))
	}
	for i, x := range t.scalars() {
		all.floatsOf(inScalars).set(0, i, float32(x))
	}
	for i, rate := range t.rates(rate) {
		all.floatsOf(inRates).set(0, i, float32(rate))
	}
	all.floatsOf(inStep).set(0, 0, float32(step))
	all.floatsOf(inMaxNorm).set(0, 0, float32(s.MaxNorm))
	return all.tensors(), layout
}

// writePassed writes the entities from which hops start.
func writePassed(all []kge.Question, passed list[int32]) {
	for i, q := range all {
		passed.set(0, i, q.Anchor)
		for h, entity := range q.Through {
			passed.set(1+h, i, entity)
		}
	}
}

// writeWalks writes the anchors, relations and signs of questions.
func writeWalks(
	all []kge.Question, relations int, reciprocal bool, anchors, rows list[int32], signs list[float32],
) {
	for i, q := range all {
		anchors.set(0, i, q.Anchor)
		for h, r := range q.Path {
			row, transposed := rules.RelationRow(r, relations, reciprocal)
			rows.set(h, i, int32(row))
			signs.set(h, i, 1)
			if transposed {
				signs.set(h, i, -1)
			}
		}
	}
}

// rates returns the learning rates of all tables.
func (t *trainee) rates(rate float64) []float64 {
	all := []float64{rate}
	for _, table := range t.settings.LearnedTables(t.member) {
		ofTable := rate
		if t.settings.RelationRate > 0 && !table.Global {
			ofTable *= t.settings.RelationRate
		}
		all = append(all, ofTable)
	}
	return all
}

// scalars returns the numbers of the member.
func (t *trainee) scalars() [scalars]float64 {
	s, m := t.settings, t.member
	entities := len(t.data.Entities)
	ofAnswers, ofOthers := s.Labels(entities)
	relationPrediction := m.RelationPrediction
	if s.Reciprocal { // the sum of both directions, not their mean
		relationPrediction *= 2
	}
	return [scalars]float64{
		scalarDropout:            s.Dropout,
		scalarInputDropout:       s.InputDropout,
		scalarEntityL2:           m.L2 + m.EntityL2,
		scalarEntityN3:           m.N3 + m.EntityN3,
		scalarRelationL2:         m.L2 + m.RelationL2,
		scalarRelationN3:         m.N3 + m.RelationN3,
		scalarProducts:           m.Products,
		scalarOrthogonality:      m.Orthogonality,
		scalarRepeats:            float64(entities) / float64(s.Candidates(entities)),
		scalarMargin:             s.Margin,
		scalarTemperature:        s.AdversarialTemperature,
		scalarAnswerLabel:        ofAnswers,
		scalarOtherLabel:         ofOthers,
		scalarFeatureDropout:     s.FeatureDropout,
		scalarRelationPrediction: relationPrediction,
		scalarIVR:                m.IVR,
		scalarIVRProducts:        m.IVRProducts,
		scalarIVRExponent:        m.IVRExponent(),
		scalarTeacherWeight:      s.TeacherWeight,
		scalarTeacherTemperature: s.Temperature,
	}
}

// addPenalties adds the weights of penalties, which may depend on the frequency of rows, and of
// triples.
func (t *trainee) addPenalties(all *packed, p part) {
	entities, of := all.integersOf(inEnds), all.integersOf(inEndQuestions)
	ofEnds, ofAnchors := all.floatsOf(inEndPenalties), all.floatsOf(inAnchorPenalties)
	ofRelations, triples := all.floatsOf(inRelationPenalties), all.floatsOf(inTriples)
	scale := func(scales []float32, row int32) float32 {
		if scales == nil {
			return 1
		}
		return scales[row]
	}
	for i, x := range within(p.ends, p.from, p.to) {
		question, at := p.questions[x.question], x.question-p.from
		entities.set(0, i, x.entity)
		of.set(0, i, int32(at))
		ofAnchor := x.weight * scale(t.scales.Entities, question.Anchor)
		ofEnds.set(0, i, x.weight*scale(t.scales.Entities, x.entity))
		ofAnchors.numbers[at] += ofAnchor
		for h, relation := range question.Path {
			ofRelations.numbers[h*p.room+at] += x.weight * scale(t.scales.Relations, relation/2)
		}
		if triples.columns > 0 {
			triples.set(tripleWeight, i, x.weight)
			triples.set(triplePrediction, i, x.weight*x.fact)
			triples.set(tripleAnchor, i, ofAnchor)
			triples.set(tripleRelation, i, x.weight*scale(t.scales.Relations, question.Path[0]/2))
		}
	}
}

// The rows of [inTriples].
const (
	tripleWeight = iota
	triplePrediction
	tripleAnchor
	tripleRelation
	tripleRows
)
