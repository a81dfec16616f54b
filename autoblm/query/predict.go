package query

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Path asks by names for the entities at the end of a path.
type Path struct {
	Anchor string `json:"anchor"`
	// Relations are those of the path, in the order in which they are walked. The
	// reverse of a relation is named like it with _reverse; see [RelationID].
	Relations []string `json:"path"`
}

// Predict lists the top answers to a path of any length, best first; top < 1 lists
// all. d tells which answers are known, which are all end points of the path in
// train, valid and test together, and may be nil when that does not matter.
func Predict(ctx context.Context, engine kge.Engine, m *kge.Model, p Path, d *Data, top int, known eval.KnownAnswers) ([]eval.Answer, error) {
	q, err := question(m, p)
	if err != nil {
		return nil, err
	}
	var isKnown func(id int32) bool
	if d != nil {
		ends, err := d.knownEnds(m, q)
		if err != nil {
			return nil, err
		}
		isKnown = eval.In(ends)
	}
	found, err := scores(ctx, engine, m, q)
	if err != nil {
		return nil, err
	}
	score := func(id int32) float64 { return float64(found[id]) }
	return eval.BestAnswers(m.EntityLabels, score, isKnown, top, known), nil
}

// question is the path with the ids of the model.
func question(m *kge.Model, p Path) (q kge.Question, err error) {
	if len(p.Relations) == 0 {
		return q, fmt.Errorf("the path has no relations: at least 1 is needed")
	}
	if q.Anchor, err = labels.Entity(m.EntityLabels, p.Anchor); err != nil {
		return q, err
	}
	for _, name := range p.Relations {
		r, err := RelationID(m, name)
		if err != nil {
			return q, err
		}
		q.Path = append(q.Path, r)
	}
	return q, nil
}

// RelationID is the id in queries of a relation of the model or, where the name
// ends with _reverse, of its reverse. A relation whose own name ends like that
// comes before the reverse of another. The error for an unknown one suggests others.
func RelationID(m *kge.Model, name string) (int32, error) {
	if k := slices.Index(m.RelationLabels, name); k >= 0 {
		return int32(2 * k), nil
	}
	forward, reversed := strings.CutSuffix(name, reverseSuffix)
	if k := slices.Index(m.RelationLabels, forward); reversed && k >= 0 {
		return reverse(int32(2 * k)), nil
	}
	near := enum.Near(m.RelationLabels, forward)
	if reversed {
		for i := range near {
			near[i] += reverseSuffix
		}
	}
	return 0, fmt.Errorf("the model has no relation %q%s; it has %s, and the reverse of each, named like it with %s",
		name, enum.DidYouMean(near), labels.Listed(m.RelationLabels), reverseSuffix)
}

// knownEnds are the ids of the model, ascending, of the entities that the path leads
// to in the whole graph of the data. What the data do not mention leads nowhere.
func (d *Data) knownEnds(m *kge.Model, q kge.Question) ([]int32, error) {
	if err := d.Covered(m); err != nil {
		return nil, err
	}
	toData := labels.NewTranslation("the model", m.EntityLabels, m.RelationLabels, d.Entities, d.Relations)
	anchor, path := toData.Entity(q.Anchor), toData.Path(q.Path)
	if toData.Missing() != nil {
		return nil, nil
	}
	ends := newWalker(len(d.Entities)).endPoints(d.graphs[InTest], anchor, path)
	return d.idsOf(m).Entities(ends), nil
}

// scores are those of all entities. One that is no number could stand anywhere, so
// there are no answers then.
func scores(ctx context.Context, engine kge.Engine, m *kge.Model, q kge.Question) (scores []float32, err error) {
	ranker, err := engine.NewRanker([]kge.Parameters{m.Parameters}, kge.Float32)
	if err != nil {
		return nil, err
	}
	defer ranker.Close()
	if err := ranker.Scores(ctx, 0, []kge.Question{q}, func(_ int, all []float32) { scores = slices.Clone(all) }); err != nil {
		return nil, err
	}
	for _, score := range scores {
		if x := float64(score); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("a path of %d hops makes numbers that are too large for the scores of this model: ask for a shorter one", len(q.Path))
		}
	}
	return scores, nil
}
