package completion

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"gonum.org/v1/gonum/floats"
)

// omitted is the difference from the largest score below which exponentials are omitted. Their sum
// is at most the number of candidates times exp(-omitted), relative to the whole sum.
const omitted = 25

// float32LogSum returns the logarithm of the sum of exponentials of scores, whose largest is given.
// It returns false if the sum exceeds exp(largest) times a factor.
func float32LogSum(scores []float32, largest float32, factor float64) (logSum float64, ok bool) {
	sum := 0.0
	for _, s := range scores {
		if s >= largest-omitted { // a huge score absorbs the difference
			if sum += math.Exp(float64(s - largest)); sum > factor {
				return 0, false
			}
		}
	}
	return float64(largest) + math.Log(sum), true
}

// maxOf returns the largest score.
func maxOf(scores []float32) float32 {
	largest := scores[0]
	for _, s := range scores {
		if s > largest {
			largest = s
		}
	}
	return largest
}

// logSum returns the logarithm of the sum of exponentials of the scores of candidates: from float32
// scores, or from exact ones if these are nil or beyond float32.
func (a *Answerer) logSum(
	c *candidates, scores []float32, exact func(id int32) float64,
) float64 {
	if c.count(a.model) == 0 {
		return math.Inf(-1)
	}
	if scores != nil {
		logSum, _ := float32LogSum(scores, maxOf(scores), math.Inf(1))
		if !math.IsNaN(logSum) && !math.IsInf(logSum, 0) {
			return logSum
		}
	}
	all := make([]float64, c.count(a.model))
	for i := range all {
		all[i] = exact(c.id(i))
	}
	return floats.LogSumExp(all)
}

// logShare returns the logarithm of the share of an answer with a score. An answer that is no
// candidate is added to the candidates.
func logShare(logSum, score float64, isCandidate bool) float64 {
	if !isCandidate {
		logSum = floats.LogSumExp([]float64{logSum, score})
	}
	return min(0, score-logSum)
}

// triple is a triple that may hold, for a query.
type triple struct {
	query    int
	relation int32
	score    float64
	logShare float64 // mean of both directions
}

// relations answers the queries without a relation, given by their indices, with the likeliest
// relations. Scores of different queries do not compare. So relations are ordered by the mean of
// the logarithms of two shares: of the tail among the tails of the relation, and of the head among
// its heads. That is the negative loss of the triple in training. Only relations with facts that
// have the entities at these ends are compared, or all if there are none.
func (a *Answerer) relations(
	ctx context.Context, predictions []Prediction, questions []question, indices []int,
	o PredictOptions,
) error {
	if len(indices) == 0 {
		return nil
	}
	byQuery := map[int][]triple{}
	ask := func(indices []int, o PredictOptions) error {
		for r := range int32(len(a.model.RelationLabels)) {
			triples, err := a.weigh(ctx, r, questions, indices, o)
			if err != nil {
				return err
			}
			for _, t := range triples {
				byQuery[t.query] = append(byQuery[t.query], t)
			}
		}
		return nil
	}
	if err := ask(indices, o); err != nil {
		return err
	}
	var left []int
	for _, i := range indices {
		if len(byQuery[i]) == 0 {
			left = append(left, i)
		}
	}
	if len(left) > 0 && !o.AnyKind {
		o.AnyKind = true
		if err := ask(left, o); err != nil {
			return err
		}
	}
	known := a.knownAnswers(len(indices), o)
	for _, i := range indices {
		predictions[i].Answers = a.relationAnswers(questions[i], byQuery[i], known, o)
	}
	return nil
}

// weigh returns the triples that a relation completes, if their entities are of its kinds.
func (a *Answerer) weigh(
	ctx context.Context, relation int32, questions []question, indices []int, o PredictOptions,
) ([]triple, error) {
	tails := a.candidates(end{relation, false}, PredictOptions{AnyKind: o.AnyKind}, nil)
	heads := a.candidates(end{relation, true}, PredictOptions{AnyKind: o.AnyKind}, nil)
	var triples []triple
	var forTails, forHeads []question
	for _, i := range indices {
		q := questions[i]
		if !heads.has(q.given) || !tails.has(q.other) || tails.noLoops && q.given == q.other {
			continue
		}
		triples = append(triples, triple{query: i, relation: relation})
		forTails = append(forTails, question{given: q.given, relation: relation, other: q.other})
		forHeads = append(forHeads,
			question{given: q.other, relation: relation, forHeads: true, other: q.given})
	}
	for _, direction := range []struct {
		c         *candidates
		questions []question
	}{{heads, forHeads}, {tails, forTails}} {
		err := a.eachScores(ctx, direction.c, direction.questions, func(i int, scores []float32) {
			q := direction.questions[i]
			exact := a.exactScores(q)
			logSum := a.logSum(direction.c, scores, exact)
			t := &triples[i]
			t.score = exact(q.other)
			t.logShare += logShare(logSum, t.score, true) / 2
		})
		if err != nil {
			return nil, err
		}
	}
	return triples, nil
}

// relationAnswers turns weighed triples into answers, best first.
func (a *Answerer) relationAnswers(
	q question, triples []triple, known func(question) []int32, o PredictOptions,
) []eval.Answer {
	slices.SortStableFunc(triples, func(x, y triple) int { return cmp.Compare(y.logShare, x.logShare) })
	answers := make([]eval.Answer, 0, len(triples))
	for _, t := range triples {
		answer := eval.Answer{
			Relation: a.model.RelationLabels[t.relation], Score: t.score, Share: math.Exp(t.logShare),
		}
		if a.graph != nil && o.Known != eval.KeepKnown {
			answer.Known = eval.No
			if eval.In(known(question{given: q.given, relation: t.relation}))(q.other) {
				answer.Known = eval.Yes
			}
		}
		if answer.Known == eval.Yes && o.Known == eval.DropKnown {
			continue
		}
		if o.Top > 0 && len(answers) == o.Top {
			break
		}
		answer.Rank = len(answers) + 1
		answers = append(answers, answer)
	}
	return answers
}
