package completion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// TruthEvaluation holds the metrics of triple classification: deciding for true and corrupted
// triples which they are.
type TruthEvaluation struct {
	True  int `json:"true"`
	False int `json:"false"`
	// Given is true if the data have the false triples. Otherwise each is a true one with another
	// head or tail, drawn from the entities at that end of the relation in train.
	Given            bool    `json:"given"`
	Accuracy         float64 `json:"accuracy"`
	Precision        float64 `json:"precision"`
	Recall           float64 `json:"recall"`
	F1               float64 `json:"f1"`
	AveragePrecision float64 `json:"average_precision"`
	AUC              float64 `json:"roc_auc"`
}

// judged is a triple with its evidence.
type judged struct {
	relation int32
	eval.Decision
}

// judge scores the true triples of a split of g and as many false ones. sample selects triples.
func judge(
	ctx context.Context, p Predictor, engine kge.Engine, g *datasets.Graph, split string, seed uint64,
	sample func(a *Answerer, triples []datasets.Triple) []datasets.Triple,
) (all []judged, given bool, err error) {
	m := p.Models()[0]
	negatives := g.FalseTriples(split)
	aligned, _, err := AlignKnown(m, g)
	if err != nil {
		return nil, false, err
	}
	a, err := NewAnswerer(p, trainOf(aligned), engine)
	if err != nil {
		return nil, false, err
	}
	defer a.Close()
	isTrue, err := aligned.Split(split)
	if err != nil {
		return nil, false, err
	}
	isTrue = sample(a, isTrue)
	var isFalse []datasets.Triple
	if given = negatives != nil; given {
		only := &datasets.Graph{Entities: g.Entities, Relations: g.Relations, Valid: negatives}
		if only, _, err = AlignKnown(m, only); err != nil {
			return nil, false, err
		}
		isFalse = sample(a, only.Valid)
	} else {
		isFalse = corrupted(aligned, a.ends, isTrue, seed)
	}
	triples := slices.Concat(isTrue, isFalse)
	scores, err := a.evidences(ctx, triples)
	if err != nil {
		return nil, false, err
	}
	for i, t := range triples {
		all = append(all, judged{t.Relation, eval.Decision{Score: scores[i], IsTrue: i < len(isTrue)}})
	}
	return all, given, nil
}

// affordable returns the triples, or a sample whose queries need less work than a limit, but at
// least minJudged.
func (a *Answerer) affordable(triples []datasets.Triple) []datasets.Triple {
	work := 1.0
	for _, t := range triples {
		for _, isHead := range []bool{false, true} {
			c := a.candidates(end{t.Relation, isHead}, PredictOptions{}, nil)
			work += float64(c.count(a.model)) * a.workPerCandidate()
		}
	}
	return eval.Sample(triples, max(minJudged, int(float64(len(triples))*min(1, maxWork/2/work))))
}

// corrupted returns a triple for each of those given, with another head or tail, which no split has.
// ends has the heads and tails of each relation in train.
func corrupted(
	g *datasets.Graph, ends *datasets.Ends, triples []datasets.Triple, seed uint64,
) []datasets.Triple {
	type both struct{ heads, tails []int32 }
	seen := map[int32]both{}
	known, random := g.KnownOf(triples), rand.New(rand.NewPCG(seed, 0x66616c7365))
	corrupt := func(t datasets.Triple, ids []int32, isHead bool) (datasets.Triple, bool) {
		const tries = 100
		for range tries {
			id := int32(random.IntN(len(g.Entities)))
			if len(ids) > 0 {
				id = ids[random.IntN(len(ids))]
			}
			other, answers := t, known.Tails(t.Head, t.Relation)
			if isHead {
				other.Head, answers = id, known.Heads(t.Relation, t.Tail)
			} else {
				other.Tail = id
			}
			if !eval.In(answers)(id) {
				return other, true
			}
		}
		return t, false
	}
	all := make([]datasets.Triple, 0, len(triples))
	for _, t := range triples {
		s, found := seen[t.Relation]
		if !found {
			s.heads, s.tails, _ = ends.Seen(t.Relation)
			seen[t.Relation] = s
		}
		isHead := random.IntN(2) == 0
		ids := s.tails
		if isHead {
			ids = s.heads
		}
		if other, found := corrupt(t, ids, isHead); found {
			all = append(all, other)
		} else if other, found := corrupt(t, nil, isHead); found { // all at that end are answers
			all = append(all, other)
		}
	}
	return all
}

// evidences returns the mean evidence of triples as answers at both of their ends.
func (a *Answerer) evidences(ctx context.Context, triples []datasets.Triple) ([]float64, error) {
	known := a.knownAnswers(min(len(triples), fewQueries), PredictOptions{})
	if len(triples) > fewQueries && a.graph != nil {
		known = answersIn(a.graph.KnownOf(triples))
	}
	var sums [2][]float64
	for side := range sums {
		sums[side] = make([]float64, len(triples))
	}
	for e, indices := range byEnd(triples) {
		c := a.candidates(e, PredictOptions{}, nil)
		questions := e.questions(triples, indices)
		err := a.eachScores(ctx, c, questions, func(n int, scores []float32) {
			q := questions[n]
			exact := a.exactScores(q)
			answers := known(q)
			others := len(answers)
			if eval.In(answers)(q.other) {
				others--
			}
			score := a.scoreOf(c, scores, q.other, exact)
			share := logShare(a.logSum(c, scores, exact), score, c.has(q.other))
			sums[sideOf(q)][indices[n]] = evidence(share, others)
		})
		if err != nil {
			return nil, err
		}
		if len(triples) > fewQueries && !a.isPrepared.Load() {
			a.forget(c)
		}
	}
	for i := range triples {
		sums[0][i] = (sums[0][i] + sums[1][i]) / 2
	}
	return sums[0], nil
}

// scoreOf returns the score that judges a triple with an entity. With a neural model, it is the score of
// the engine if the entity is a candidate, because a query in float64 costs as much as all scores.
func (a *Answerer) scoreOf(
	c *candidates, scores []float32, id int32, exact func(id int32) float64,
) float64 {
	if index, found := c.index(id); found && scores != nil && a.isNeural() {
		score := float64(scores[index])
		if !math.IsNaN(score) && !math.IsInf(score, 0) { // not beyond float32
			return score
		}
	}
	return exact(id)
}

// isNeural reports whether a model of the answerer is neural.
func (a *Answerer) isNeural() bool {
	return slices.ContainsFunc(a.Models(), func(m *kge.Model) bool {
		_, is := m.Form.Neural()
		return is
	})
}

// threshold returns the evidence from which on triples are called true with the fewest errors, in
// the middle between two of them.
func threshold(all []judged) float64 {
	sorted := slices.SortedFunc(slices.Values(all), func(x, y judged) int {
		return cmp.Compare(x.Score, y.Score)
	})
	right := 0 // with all called true
	for _, j := range sorted {
		if j.IsTrue {
			right++
		}
	}
	best, at := right, sorted[0].Score
	for i, j := range sorted {
		if j.IsTrue {
			right--
		} else {
			right++
		}
		isLast := i+1 == len(sorted)
		switch {
		case isLast && right > best:
			best, at = right, j.Score+1
		case !isLast && sorted[i+1].Score > j.Score && right > best:
			best, at = right, (j.Score+sorted[i+1].Score)/2
		}
	}
	return at
}

// addThresholds fits the thresholds to validation triples and as many false ones. Relations with
// few of either use that of all relations.
func (c *Calibration) addThresholds(all []judged, relations []string) {
	byRelation, facts := map[int32][]judged{}, map[int32]int{}
	for _, j := range all {
		byRelation[j.relation] = append(byRelation[j.relation], j)
		if j.IsTrue {
			facts[j.relation]++
		}
	}
	c.Threshold = threshold(all)
	for id, own := range byRelation {
		if min(facts[id], len(own)-facts[id]) < minFacts {
			continue
		}
		r, at := c.Relations[relations[id]], threshold(own)
		r.Threshold = &at
		c.Relations[relations[id]] = r
	}
}

// thresholdOf returns the least evidence of a true triple of a relation.
func (c *Calibration) thresholdOf(relation string) float64 {
	if own := c.Relations[relation].Threshold; own != nil {
		return *own
	}
	return c.Threshold
}

// ClassifyTriples decides for the triples of a split of g and as many false ones whether they are
// true, by the thresholds of a calibrated predictor (Socher et al., NeurIPS 2013). Negatives of the
// data are the false triples, or corrupted triples that the seed draws. Average precision and the
// area under the curve compare triples of all relations by their distance from the threshold. sample
// is the number of triples of each kind, 0 for all.
func ClassifyTriples(
	ctx context.Context, p Predictor, engine kge.Engine, g *datasets.Graph, split string, sample int,
	seed uint64,
) (*TruthEvaluation, error) {
	c := p.calibration()
	if c == nil {
		return nil, errors.New("triples are classified by thresholds, which need validation triples")
	}
	choose := func(_ *Answerer, triples []datasets.Triple) []datasets.Triple {
		return eval.Sample(triples, sample)
	}
	all, given, err := judge(ctx, p, engine, g, split, seed, choose)
	if err != nil {
		return nil, err
	}
	e := &TruthEvaluation{Given: given}
	decisions := make([]eval.Decision, len(all))
	calledTrue, hits, right := 0, 0, 0
	for i, j := range all {
		relation := p.Models()[0].RelationLabels[j.relation]
		margin := j.Score - c.thresholdOf(relation)
		called := margin >= 0
		decisions[i] = eval.Decision{Score: margin, IsTrue: j.IsTrue}
		if j.IsTrue {
			e.True++
		}
		if called {
			calledTrue++
			if j.IsTrue {
				hits++
			}
		}
		if called == j.IsTrue {
			right++
		}
	}
	e.False = len(all) - e.True
	if e.True == 0 || e.False == 0 {
		return nil, fmt.Errorf("%s has %d true and %d false triples: both are needed", split, e.True,
			e.False)
	}
	e.Accuracy, e.Recall = float64(right)/float64(len(all)), float64(hits)/float64(e.True)
	e.Precision = float64(hits) / float64(max(calledTrue, 1))
	e.F1 = 2 * float64(hits) / float64(calledTrue+e.True)
	e.AveragePrecision, e.AUC = eval.AveragePrecision(decisions), eval.AreaUnderROC(decisions)
	return e, nil
}

// trainOf returns a graph with the training triples of another.
func trainOf(g *datasets.Graph) *datasets.Graph {
	return &datasets.Graph{
		Entities: g.Entities, Relations: g.Relations, Train: g.Train, Types: g.Types,
	}
}

// knowsTrain returns an answerer that knows training triples only, as [judge] does, with the scores
// of this one.
func (a *Answerer) knowsTrain() *Answerer {
	train := trainOf(a.graph)
	return &Answerer{
		predictor: a.predictor, model: a.model, graph: train, isPrepared: a.isPrepared,
		ends:   datasets.NewEnds(len(a.model.RelationLabels), train.Train),
		engine: a.engine, scores: a.scores,
		sets: map[end]*candidates{}, restrict: map[end]kge.EntityScorer{},
	}
}

// decide sets the verdicts of the predictions for whole triples, as [ClassifyTriples] decides.
func (a *Answerer) decide(
	ctx context.Context, predictions []Prediction, questions []question, o PredictOptions,
) error {
	if !a.isCalibrated(o) {
		return nil
	}
	var indices []int
	var triples []datasets.Triple
	for i, p := range predictions {
		if q := p.Query; p.Err == nil && q.Head != "" && q.Relation != "" && q.Tail != "" {
			of := questions[i]
			indices = append(indices, i)
			triples = append(triples, datasets.Triple{
				Head: of.given, Relation: of.relation, Tail: of.other,
			})
		}
	}
	if len(triples) == 0 {
		return nil
	}
	scores, err := a.trained().evidences(ctx, triples)
	if err != nil {
		return err
	}
	for n, i := range indices {
		isTrue := scores[n] >= a.predictor.calibration().thresholdOf(predictions[i].Query.Relation)
		predictions[i].Answers[0].Verdict = &isTrue
	}
	return nil
}
