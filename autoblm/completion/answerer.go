package completion

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Answerer answers many queries with one predictor and one graph. It is safe for concurrent use.
type Answerer struct {
	predictor Predictor
	model     *kge.Model // whose ids count
	graph     *datasets.Graph
	ends      *datasets.Ends // of the facts; nil without a graph

	entities   func() map[string]int32 // ids by label
	isPrepared *atomic.Bool            // whether the indexes exist
	train      func() *datasets.EntityFacts

	matrices kge.CoreMatrices // of relations, for exact scores

	engine kge.Engine    // nil: all scores are computed in float64
	scores *engineScores // nil without engine

	mu       sync.Mutex
	sets     map[end]*candidates
	restrict map[end]kge.EntityScorer
	rows     int // of all restricted scorers

	trained func() *Answerer // that knows only the training triples; see decide
}

// exactScores returns the score, by id, of an answer to a question, in float64. The function is not
// safe for concurrent use.
func (a *Answerer) exactScores(q question) func(id int32) float64 {
	return a.predictor.scores(q, &a.matrices)
}

// end is one end of a relation.
type end struct {
	relation int32
	isHead   bool
}

// byEnd returns the indices of triples by the ends of their relations, each at both.
func byEnd(triples []datasets.Triple) map[end][]int {
	indices := map[end][]int{}
	for i, t := range triples {
		for _, isHead := range []bool{false, true} {
			e := end{t.Relation, isHead}
			indices[e] = append(indices[e], i)
		}
	}
	return indices
}

// questions returns the questions of triples, with some indices, whose answers are at the end.
func (e end) questions(triples []datasets.Triple, indices []int) []question {
	all := make([]question, len(indices))
	for n, i := range indices {
		t := triples[i]
		all[n] = question{given: t.Head, relation: t.Relation, other: t.Tail}
		if e.isHead {
			all[n] = question{given: t.Tail, relation: t.Relation, forHeads: true, other: t.Head}
		}
	}
	return all
}

// Prediction has the answers to a query.
type Prediction struct {
	Query      Query         `json:"query" doc:"The query."`
	Answers    []eval.Answer `json:"answers" doc:"Its answers, best first."`
	Candidates int           `json:"candidates,omitempty" doc:"Number of entities that were compared, unless relations are asked for."`
	Kind       string        `json:"kind,omitempty" doc:"Which entities these are: seen at that end of the relation, typed like those, all, or those of a list."`
	// Err says why there is no answer, such as an unknown label.
	Err error `json:"-"`
}

// The selections of candidates.
const (
	KindSeen  = "seen"
	KindTyped = "typed"
	KindAll   = "all"
	KindList  = "list"
)

// NewAnswerer returns an answerer. g has the known answers and the kinds of entities; with nil,
// none is known and all entities are candidates. An engine makes answers much faster and does not
// change them: it computes float32 scores of all candidates, a proven error bound selects those
// that may be among the best, and only these are scored in float64. With nil, all are.
func NewAnswerer(p Predictor, g *datasets.Graph, engine kge.Engine) (*Answerer, error) {
	m := p.Models()[0]
	a := &Answerer{
		predictor: p, model: m, engine: engine, isPrepared: new(atomic.Bool),
		sets: map[end]*candidates{}, restrict: map[end]kge.EntityScorer{},
	}
	a.entities = sync.OnceValue(func() map[string]int32 { return labels.Index(m.EntityLabels) })
	a.trained = sync.OnceValue(a.knowsTrain)
	if g != nil {
		aligned, _, err := AlignKnown(m, g) // new labels do not concern the others
		if err != nil {
			return nil, err
		}
		a.graph = aligned
		a.train = sync.OnceValue(func() *datasets.EntityFacts {
			return datasets.NewEntityFacts(len(m.EntityLabels), aligned.Train)
		})
		a.ends = datasets.NewEnds(len(m.RelationLabels), aligned.Train, aligned.Valid, aligned.Test)
	}
	if engine != nil {
		var err error
		if a.scores, err = newEngineScores(engine, p); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Prepare builds the indexes of labels and known answers, which otherwise the first queries build
// that need them. Call it before the first query.
func (a *Answerer) Prepare() {
	a.entities()
	if a.graph != nil {
		a.graph.Known()
	}
	a.isPrepared.Store(true)
}

// Models returns the model, or the members of an ensemble.
func (a *Answerer) Models() []*kge.Model { return a.predictor.Models() }

// Graph returns the known facts with the ids of the model, nil without.
func (a *Answerer) Graph() *datasets.Graph { return a.graph }

// EntityID returns the id of an entity.
func (a *Answerer) EntityID(label string) (id int32, found bool) {
	id, found = a.entities()[label]
	return id, found
}

// Close frees the memory of the engine. The answerer cannot be used afterwards.
func (a *Answerer) Close() {
	if a.scores != nil {
		a.scores.close()
	}
}

// Predict answers queries, in their order. A query with an unknown label has an error of its own.
func (a *Answerer) Predict(
	ctx context.Context, queries []Query, o PredictOptions,
) ([]Prediction, error) {
	among, err := a.among(o.Among)
	if err != nil {
		return nil, err
	}
	predictions := make([]Prediction, len(queries))
	byEnd := map[end][]int{} // indices of queries
	questions := make([]question, len(queries))
	var asked []end
	var pairs []int // indices of queries without a relation
	suggestions := mostSuggestions
	for i, q := range queries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		predictions[i].Query = q
		questions[i], predictions[i].Err = a.resolve(q, len(queries), &suggestions)
		switch {
		case predictions[i].Err != nil:
			continue
		case q.Relation == "":
			pairs = append(pairs, i)
			continue
		}
		e := end{questions[i].relation, questions[i].forHeads}
		if len(byEnd[e]) == 0 {
			asked = append(asked, e)
		}
		byEnd[e] = append(byEnd[e], i)
	}
	known := a.knownAnswers(len(queries), o)
	var groups [][]*lookup
	for _, e := range asked {
		c := a.candidates(e, o, among)
		var work []*lookup
		for _, i := range byEnd[e] {
			p, q := &predictions[i], questions[i]
			p.Candidates, p.Kind = c.count(a.model), c.kind
			l := &lookup{
				a: a, q: q, c: c, o: o, known: known(q), isCalibrated: a.isCalibrated(o), prediction: p,
			}
			if a.scores != nil {
				l.bound = a.scores.bound(q.path())
			}
			if p.Query.Head != "" && p.Query.Tail != "" {
				l.triple, l.tail = true, q.other
			}
			work = append(work, l)
		}
		groups = append(groups, work)
	}
	if err := a.findAll(ctx, groups); err != nil {
		return nil, err
	}
	if err := a.decide(ctx, predictions, questions, o); err != nil {
		return nil, err
	}
	return predictions, a.relations(ctx, predictions, questions, pairs, o)
}

// resolve returns the question of a query, which is one of several. Without a relation, the
// question has the entities only.
func (a *Answerer) resolve(query Query, queries int, suggestions *int) (q question, err error) {
	if err := query.check(); err != nil {
		return q, err
	}
	if query.Relation != "" {
		if q.relation, err = relationID(a.model, query.Relation); err != nil {
			return q, err
		}
	}
	if query.Tail != "" {
		if q.other, err = a.entity(query.Tail, queries, suggestions); err != nil {
			return q, err
		}
	}
	if query.Head == "" {
		return question{given: q.other, relation: q.relation, forHeads: true}, nil
	}
	q.given, err = a.entity(query.Head, queries, suggestions)
	return q, err
}

// mostSuggestions is the number of unknown entities of a batch for which similar ones are sought,
// because that compares all labels.
const mostSuggestions = 4

// entity returns the id of an entity. The error suggests similar labels while suggestions are left.
func (a *Answerer) entity(label string, queries int, suggestions *int) (int32, error) {
	const few = 4 // a search takes less time than an index
	if queries > few || a.isPrepared.Load() {
		if id, found := a.EntityID(label); found {
			return id, nil
		}
		if *suggestions == 0 {
			return 0, fmt.Errorf("the model has no entity %q", label)
		}
		*suggestions--
	}
	return labels.Entity(a.model.EntityLabels, label)
}

// among returns the ids of labels in ascending order, nil for nil.
func (a *Answerer) among(names []string) ([]int32, error) {
	if names == nil {
		return nil, nil
	}
	ids := make([]int32, 0, len(names))
	suggestions := mostSuggestions
	for _, name := range names {
		id, err := a.entity(name, len(names), &suggestions)
		if err != nil {
			return nil, fmt.Errorf("candidates: %w", err)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// fewQueries is the number of queries for which an index of all known answers does not pay.
const fewQueries = 64

// answersIn returns a function that finds the answers to a question in an index.
func answersIn(index *datasets.Known) func(q question) []int32 {
	return func(q question) []int32 {
		if q.forHeads {
			return index.Heads(q.relation, q.given)
		}
		return index.Tails(q.given, q.relation)
	}
}

// knownAnswers returns a function that finds the known answers to a question, ascending. For a few
// queries it searches the facts of a relation instead of building the index of all.
func (a *Answerer) knownAnswers(queries int, o PredictOptions) func(q question) []int32 {
	switch {
	case a.graph == nil || o.Known == eval.KeepKnown && !a.isCalibrated(o):
		return func(question) []int32 { return nil }
	case queries > fewQueries || a.isPrepared.Load():
		return answersIn(a.graph.Known())
	}
	return func(q question) (answers []int32) {
		for t := range a.ends.Facts(q.relation) {
			switch {
			case !q.forHeads && t.Head == q.given:
				answers = append(answers, t.Tail)
			case q.forHeads && t.Tail == q.given:
				answers = append(answers, t.Head)
			}
		}
		slices.Sort(answers)
		return slices.Compact(answers)
	}
}

// predict implements [Predictor.Predict].
func predict(p Predictor, g *datasets.Graph, q Query, o PredictOptions) ([]eval.Answer, error) {
	a, err := NewAnswerer(p, g, nil)
	if err != nil {
		return nil, err
	}
	predictions, err := a.Predict(context.Background(), []Query{q}, o)
	if err != nil {
		return nil, err
	}
	return predictions[0].Answers, predictions[0].Err
}
