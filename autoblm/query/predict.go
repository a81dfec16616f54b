package query

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Path asks by names for the entities at the end of a path.
type Path struct {
	Anchor string `json:"anchor"`
	// Relations are those of the path, in the order in which they are walked. The
	// reverse of a relation is named like it with _reverse; see [Model.RelationID].
	Relations []string `json:"path"`
}

// Predict lists the top answers to a path of any length, best first; top < 1 lists
// all. d tells which answers are known, which are all end points of the path in
// train, valid and test together, and may be nil when that does not matter.
func (m *Model) Predict(ctx context.Context, engine Engine, p Path, d *Data, top int, known completion.KnownAnswers) ([]completion.Answer, error) {
	q, err := m.query(p)
	if err != nil {
		return nil, err
	}
	var endPoints []int32
	if d != nil {
		if endPoints, err = m.endPoints(d, q); err != nil {
			return nil, err
		}
	}
	scores, err := m.scores(ctx, engine, q)
	if err != nil {
		return nil, err
	}
	return completion.BestAnswers(m.EntityLabels, func(id int32) (float64, completion.Known) {
		if d == nil {
			return float64(scores[id]), completion.NotLookedUp
		}
		return float64(scores[id]), completion.KnownIf(endPoints, id)
	}, top, known), nil
}

// query is the path with the ids of the model.
func (m *Model) query(p Path) (q Query, err error) {
	if len(p.Relations) == 0 {
		return q, fmt.Errorf("the path has no relations: at least 1 is needed")
	}
	if q.Anchor, err = labels.Entity(m.EntityLabels, p.Anchor); err != nil {
		return q, err
	}
	for _, name := range p.Relations {
		r, err := m.RelationID(name)
		if err != nil {
			return q, err
		}
		q.Relations = append(q.Relations, r)
	}
	return q, nil
}

// RelationID is the id in queries of a relation of the model or, where the name
// ends with _reverse, of its reverse. A relation whose own name ends like that
// comes before the reverse of another. The error for an unknown one suggests others.
func (m *Model) RelationID(name string) (int32, error) {
	if k := slices.Index(m.RelationLabels, name); k >= 0 {
		return int32(2 * k), nil
	}
	forward, reversed := strings.CutSuffix(name, reverseSuffix)
	if k := slices.Index(m.RelationLabels, forward); reversed && k >= 0 {
		return reverse(int32(2 * k)), nil
	}
	near := labels.Near(m.RelationLabels, forward)
	if reversed {
		for i := range near {
			near[i] += reverseSuffix
		}
	}
	return 0, fmt.Errorf("the model has no relation %q%s; it has %s, and the reverse of each, named like it with %s",
		name, labels.DidYouMean(near), labels.Listed(m.RelationLabels), reverseSuffix)
}

// endPoints are the ids of the model, ascending, of the entities that the path leads
// to in the whole graph of the data. What the data do not mention leads nowhere.
func (m *Model) endPoints(d *Data, q Query) ([]int32, error) {
	if err := m.Covers(d); err != nil {
		return nil, err
	}
	entities, relations := newTranslation(m.EntityLabels, d.Entities), newTranslation(m.RelationLabels, d.Relations)
	anchor, path := entities.of(q.Anchor), make([]int32, 0, q.Hops())
	for _, r := range q.Relations {
		path = append(path, 2*relations.of(r/2)+r%2)
	}
	_, lostEntity := entities.missing()
	_, lostRelation := relations.missing()
	if lostEntity || lostRelation {
		return nil, nil
	}
	ends := newWalker(len(d.Entities)).endPoints(d.graphs[InTest], anchor, path)
	back := newTranslation(d.Entities, m.EntityLabels)
	for i, e := range ends {
		ends[i] = back.of(e)
	}
	slices.Sort(ends)
	return ends, nil
}

// Covers is an error that names an entity or a relation of the graph of the data
// that the model lacks, nil where it has them all.
func (m *Model) Covers(d *Data) error {
	entities, relations := newTranslation(d.Entities, m.EntityLabels), newTranslation(d.Relations, m.RelationLabels)
	graph := d.graphs[InTest]
	for e := range int32(len(d.Entities)) {
		for _, r := range graph.leaving(e) {
			entities.of(e)
			relations.of(r / 2)
		}
	}
	return missingFrom(d, entities, relations)
}

// scores are those of all entities. One that is no number could stand anywhere, so
// there are no answers then.
func (m *Model) scores(ctx context.Context, engine Engine, q Query) (scores []float32, err error) {
	scorer, err := engine.NewScorer(m.Parameters)
	if err != nil {
		return nil, err
	}
	if err := scorer.Scores(ctx, []Query{q}, func(_ int, all []float32) { scores = slices.Clone(all) }); err != nil {
		return nil, err
	}
	for _, score := range scores {
		if x := float64(score); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("a path of %d hops makes numbers that are too large for the scores of this model: ask for a shorter one", q.Hops())
		}
	}
	return scores, nil
}
