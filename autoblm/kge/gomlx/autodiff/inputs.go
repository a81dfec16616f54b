package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// The inputs of a program of gradients after the tables, in order. A part of a batch has q
// questions, a answers and p ends, with padding of weight 0.
const (
	inOperators         = iota // see operatorsOf
	inAnchors                  // [q]
	inRelations                // [hops, q]: rows of tables of relations
	inSigns                    // [hops, q], see hop
	inPassed                   // [hops, q]: entities from which hops start, 0 if unknown
	inNumbers                  // [q]: number of a question in its batch
	inCount                    // scalar int32: questions without padding
	inWeights                  // [q]: sum of the weights of the answers
	inAnswers                  // [a]
	inAnswerQuestions          // [a]
	inAnswerWeights            // [a]
	inIncluded                 // [a]: 1 for answers to add to the candidates, see softmax
	inEnds                     // [p]
	inEndQuestions             // [p]
	inEndPenalties             // [p]: weights of penalties
	inAnchorPenalties          // [q]
	inRelationPenalties        // [hops, q]
	inCandidates               // [blocks, n], see candidates
	inAllowed                  // [q, n]: 1, and 0 for candidates that are no negatives of a question
	inKeys                     // [keys] uint32
	inThresholds               // [keys] uint32, see package dropout
	inScalars                  // [scalars]
	inputs
)

// The dropouts of a step, with a key each.
const (
	keyOfQueries = iota
	keyOfInputs
	keyOfLayers // of the form
	keys
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
	scalars
)

// in has the inputs as nodes.
type in []*Node

func (in in) scalar(which int) *Node {
	return Reshape(Slice(in[inScalars], AxisElem(which)))
}

func (in in) key(which int) *Node { return Reshape(Slice(in[inKeys], AxisElem(which))) }

func (in in) threshold(which int) *Node { return Reshape(Slice(in[inThresholds], AxisElem(which))) }

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

// list is an input under construction, with zeros as padding.
type list[T int32 | uint32 | float32] struct {
	numbers []T
	columns int
}

func newList[T int32 | uint32 | float32](rows, columns int) list[T] {
	return list[T]{make([]T, rows*columns), columns}
}

func (l list[T]) set(row, column int, x T) { l.numbers[row*l.columns+column] = x }

func (l list[T]) matrix() *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(l.numbers, len(l.numbers)/l.columns, l.columns)
}

func (l list[T]) vector() *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(l.numbers, len(l.numbers))
}

func vectorOf[T int32 | uint32 | float32](numbers ...T) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(numbers, len(numbers))
}

// hopsOf returns the number of hops of the longest path.
func hopsOf(all []kge.Question) (hops int) {
	for _, q := range all {
		hops = max(hops, len(q.Path))
	}
	return hops
}

// passedInput writes the entities from which hops start.
func passedInput(all []kge.Question, room int) *tensors.Tensor {
	passed := newList[int32](hopsOf(all), room)
	for i, q := range all {
		passed.set(0, i, q.Anchor)
		for h, entity := range q.Through {
			passed.set(1+h, i, entity)
		}
	}
	return passed.matrix()
}

// walkInputs writes the anchors, relations and signs of questions, with room for padding.
func walkInputs(all []kge.Question, room, relations int, reciprocal bool) (out [3]*tensors.Tensor) {
	hops := hopsOf(all)
	anchors, rows := newList[int32](1, room), newList[int32](hops, room)
	signs := newList[float32](hops, room)
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
	return [3]*tensors.Tensor{anchors.vector(), rows.matrix(), signs.matrix()}
}

// inputsOf returns the inputs of a part for a member, after the tables and operators. step counts
// from 1.
func (t *trainee) inputsOf(p part, step int) []*tensors.Tensor {
	all := make([]*tensors.Tensor, inputs)
	questions := p.questions[p.from:p.to]
	walk := walkInputs(questions, p.room, t.relations, t.Reciprocal)
	copy(all[inAnchors:], walk[:])
	all[inPassed] = passedInput(questions, p.room)
	numbers, weights := newList[int32](1, p.room), newList[float32](1, p.room)
	for i := range questions {
		numbers.set(0, i, int32(p.from+i))
	}
	answers := within(p.answers, p.from, p.to)
	size := p.padded(len(answers))
	entities, of := newList[int32](1, size), newList[int32](1, size)
	answerWeights := newList[float32](1, size)
	for i, x := range answers {
		entities.set(0, i, x.entity)
		of.set(0, i, int32(x.question-p.from))
		answerWeights.set(0, i, x.weight)
		weights.numbers[x.question-p.from] += x.weight
	}
	all[inNumbers], all[inWeights] = numbers.vector(), weights.vector()
	all[inCount] = tensors.FromScalar(int32(len(questions)))
	all[inAnswers], all[inAnswerQuestions] = entities.vector(), of.vector()
	all[inAnswerWeights] = answerWeights.vector()
	t.addPenalties(all, p)
	t.addCandidates(all, p, step)
	s, m := t.settings, t.member
	all[inKeys] = vectorOf(dropout.Key(m.Seed, step), dropout.InputKey(m.Seed, step),
		dropout.LayerKey(m.Seed, step))
	all[inThresholds] = vectorOf(
		dropout.Threshold(s.Dropout), dropout.Threshold(s.InputDropout),
		dropout.Threshold(s.FeatureDropout))
	all[inScalars] = t.scalars()
	return all
}

// scalars returns the numbers of the member.
func (t *trainee) scalars() *tensors.Tensor {
	s, m := t.settings, t.member
	entities := len(t.data.Entities)
	ofAnswers, ofOthers := s.Labels(entities)
	all := make([]float32, scalars)
	for i, x := range [scalars]float64{
		scalarDropout:        s.Dropout,
		scalarInputDropout:   s.InputDropout,
		scalarEntityL2:       m.L2 + m.EntityL2,
		scalarEntityN3:       m.N3 + m.EntityN3,
		scalarRelationL2:     m.L2 + m.RelationL2,
		scalarRelationN3:     m.N3 + m.RelationN3,
		scalarProducts:       m.Products,
		scalarOrthogonality:  m.Orthogonality,
		scalarRepeats:        float64(entities) / float64(s.Candidates(entities)),
		scalarMargin:         s.Margin,
		scalarTemperature:    s.AdversarialTemperature,
		scalarAnswerLabel:    ofAnswers,
		scalarOtherLabel:     ofOthers,
		scalarFeatureDropout: s.FeatureDropout,
	} {
		all[i] = float32(x)
	}
	return vectorOf(all...)
}

// addPenalties adds the weights of penalties, which may depend on the frequency of rows.
func (t *trainee) addPenalties(all []*tensors.Tensor, p part) {
	hops := hopsOf(p.questions[p.from:p.to])
	ends := within(p.ends, p.from, p.to)
	size := p.padded(len(ends))
	entities, of := newList[int32](1, size), newList[int32](1, size)
	ofEnds, ofAnchors := newList[float32](1, size), newList[float32](1, p.room)
	ofRelations := newList[float32](hops, p.room)
	scale := func(scales []float32, row int32) float32 {
		if scales == nil {
			return 1
		}
		return scales[row]
	}
	for i, x := range ends {
		question, at := p.questions[x.question], x.question-p.from
		entities.set(0, i, x.entity)
		of.set(0, i, int32(at))
		ofEnds.set(0, i, x.weight*scale(t.scales.Entities, x.entity))
		ofAnchors.numbers[at] += x.weight * scale(t.scales.Entities, question.Anchor)
		for h, relation := range question.Path {
			ofRelations.numbers[h*p.room+at] += x.weight * scale(t.scales.Relations, relation/2)
		}
	}
	all[inEnds], all[inEndQuestions] = entities.vector(), of.vector()
	all[inEndPenalties], all[inAnchorPenalties] = ofEnds.vector(), ofAnchors.vector()
	all[inRelationPenalties] = ofRelations.matrix()
}
