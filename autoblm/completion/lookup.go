package completion

import (
	"cmp"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

// lookup finds the answers to a question.
type lookup struct {
	a            *Answerer
	q            question
	c            *candidates
	o            PredictOptions
	known        []int32
	bound        float64
	logSum       float64 // of the exponentials of the scores, with Shares
	isCalibrated bool    // the answers have probabilities
	triple       bool    // only tail is asked for
	tail         int32
	prediction   *Prediction
}

// isAllowed reports whether an entity may be listed.
func (l *lookup) isAllowed(id int32) bool {
	if l.c.noLoops && id == l.q.given {
		return false
	}
	if l.o.Known != eval.DropKnown || len(l.known) == 0 {
		return true
	}
	_, isKnown := slices.BinarySearch(l.known, id)
	return !isKnown
}

// find sets the answers from the float32 scores of the candidates, nil if they were not computed.
func (l *lookup) find(scores []float32) {
	exact := l.a.exactScores(l.q)
	if l.o.Shares {
		l.logSum = l.a.logSum(l.c, scores, exact)
	}
	if l.triple {
		l.rank(scores, exact)
		return
	}
	isAllowed := func(index int) bool { return l.isAllowed(l.c.id(index)) }
	var indices []int32
	count := l.c.count(l.a.model)
	if top := l.o.Top; scores != nil && top > 0 && top < count {
		indices = shortlist(scores, l.bound, top, isAllowed)
	} else {
		for i := range count {
			if isAllowed(i) {
				indices = append(indices, int32(i))
			}
		}
	}
	answers := make([]eval.Answer, len(indices))
	for i, index := range indices {
		id := l.c.id(int(index))
		answers[i] = l.answer(id, exact(id))
	}
	slices.SortStableFunc(answers, compareAnswers)
	if top := l.o.Top; top > 0 && top < len(answers) {
		answers = answers[:top:top]
	}
	for i := range answers {
		answers[i].Rank = i + 1
	}
	l.prediction.Answers = answers
}

// answer returns an answer without its rank.
func (l *lookup) answer(id int32, score float64) eval.Answer {
	answer := eval.Answer{Entity: l.a.model.EntityLabels[id], Score: score, Known: l.isKnown(id)}
	if l.o.Shares {
		answer.Share = math.Exp(logShare(l.logSum, score, l.c.has(id)))
	}
	if l.isCalibrated && l.c.has(id) {
		answer.Probability = l.a.probability(l.q, id, logShare(l.logSum, score, true), l.known)
	}
	return answer
}

// isKnown tells whether the graph has an answer.
func (l *lookup) isKnown(id int32) eval.Known {
	if l.a.graph == nil || l.o.Known == eval.KeepKnown {
		return eval.NotLookedUp
	}
	if _, found := slices.BinarySearch(l.known, id); found {
		return eval.Yes
	}
	return eval.No
}

// rank sets the tail as the only answer, with its rank in the list of all answers. A tail of
// another kind ranks as if it were a candidate.
func (l *lookup) rank(scores []float32, exact func(id int32) float64) {
	score, rank := exact(l.tail), 1
	low, high := score-l.bound, score+l.bound
	for i := range l.c.count(l.a.model) {
		if scores != nil && float64(scores[i]) < low {
			continue
		}
		id := l.c.id(i)
		if id == l.tail || !l.isAllowed(id) {
			continue
		}
		ahead := scores != nil && float64(scores[i]) > high
		if !ahead {
			order := cmp.Or(cmp.Compare(exact(id), score), cmp.Compare(l.tail, id))
			ahead = order > 0
		}
		if ahead {
			rank++
		}
	}
	answer := l.answer(l.tail, score)
	answer.Rank = rank
	l.prediction.Answers = []eval.Answer{answer}
}
