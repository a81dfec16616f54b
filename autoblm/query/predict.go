package query

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Path asks for the entities at the end of a path, given by labels.
type Path struct {
	Anchor    string   `json:"anchor" required:"false" doc:"Label of the entity at the start."`
	Relations []string `json:"path" required:"false" doc:"Labels of the relations in order. A suffix _reverse names the reverse of a relation."`
}

// Predict returns answers to a path of any length, best first. d has the known answers, which are
// the end points of the path in all splits, and the kinds of entities; with nil, none is known and
// all entities are candidates. Otherwise these are the entities of the kind that the last relation
// leads to, as in [completion.PredictOptions]. Predict sets no shares. For many paths, [PredictWith]
// is faster.
func Predict(
	ctx context.Context, engine kge.Engine, m *kge.Model, p Path, d *Data,
	o completion.PredictOptions,
) ([]eval.Answer, error) {
	ranker, err := engine.NewRanker([]kge.Parameters{m.Parameters}, kge.Float32)
	if err != nil {
		return nil, err
	}
	defer ranker.Close()
	return PredictWith(ctx, ranker, m, p, d, o)
}

// PredictWith works like [Predict] with a scorer of all entities of the model in float32.
func PredictWith(
	ctx context.Context, scorer kge.EntityScorer, m *kge.Model, p Path, d *Data,
	o completion.PredictOptions,
) ([]eval.Answer, error) {
	q, err := question(m, p)
	if err != nil {
		return nil, err
	}
	var isKnown, isCandidate func(id int32) bool
	if d != nil {
		ends, err := d.knownEnds(m, q)
		if err != nil {
			return nil, err
		}
		isKnown = eval.In(ends)
		if c := d.candidates(m, InTest, q.Path[len(q.Path)-1]); c != nil && !o.AnyKind {
			isCandidate = func(id int32) bool { return c.has(q, id) }
		}
	}
	if o.Among != nil {
		if isCandidate, err = among(m, o.Among); err != nil {
			return nil, err
		}
	}
	all, err := scores(ctx, scorer, q)
	if err != nil {
		return nil, err
	}
	score := func(id int32) float64 { return float64(all[id]) }
	return eval.BestAnswers(m.EntityLabels, score, isKnown, isCandidate, o.Top, o.Known), nil
}

// among returns whether an entity is in a list of labels.
func among(m *kge.Model, names []string) (func(id int32) bool, error) {
	ids := make([]int32, len(names))
	for i, name := range names {
		id, err := labels.Entity(m.EntityLabels, name)
		if err != nil {
			return nil, fmt.Errorf("candidates: %w", err)
		}
		ids[i] = id
	}
	slices.Sort(ids)
	return eval.In(ids), nil
}

// question returns a path with the ids of the model.
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

// RelationID returns the id that a relation has in queries of the model. A name with the suffix
// _reverse means the reverse of a relation. The error for an unknown relation suggests similar
// ones. A name that also is a label with that suffix is an error.
func RelationID(m *kge.Model, name string) (int32, error) {
	forward, reversed := strings.CutSuffix(name, reverseSuffix)
	own, other := slices.Index(m.RelationLabels, name), slices.Index(m.RelationLabels, forward)
	switch {
	case own >= 0 && reversed && other >= 0:
		return 0, fmt.Errorf("%q is a relation of the model, and the reverse of its relation %q: "+
			"rename one in the data and retrain the model", name, forward)
	case own >= 0:
		return int32(2 * own), nil
	case reversed && other >= 0:
		return reverse(int32(2 * other)), nil
	}
	near := enum.Near(m.RelationLabels, forward)
	for _, r := range m.RelationLabels {
		isBegun := strings.HasPrefix(name, r+"_")
		if isBegun && len(enum.Near([]string{r + reverseSuffix}, name)) > 0 {
			near, reversed = []string{r}, true // the suffix is misspelled
		}
	}
	if reversed {
		for i := range near {
			near[i] += reverseSuffix
		}
	}
	return 0, fmt.Errorf("the model has no relation %q%s (it has %s, and the reverse of each with the "+
		"suffix %s)", name, enum.DidYouMean(near), labels.List(m.RelationLabels), reverseSuffix)
}

// knownEnds returns the end points of a path in all facts of the data, as ids of the model,
// ascending. Entities and relations that the data lack lead nowhere.
func (d *Data) knownEnds(m *kge.Model, q kge.Question) ([]int32, error) {
	if err := d.CheckCovered(m); err != nil {
		return nil, err
	}
	toData := labels.NewTranslation(
		"the model", m.EntityLabels, m.RelationLabels, d.Entities, d.Relations)
	anchor, path := toData.Entity(q.Anchor), toData.Path(q.Path)
	if toData.Missing() != nil {
		return nil, nil
	}
	ends := newWalker(len(d.Entities)).endPoints(d.known, anchor, path)
	return d.idsOf(m).Entities(ends), nil
}

// scores returns the scores of all entities. A score that is not finite is an error: it has no
// rank.
func scores(
	ctx context.Context, scorer kge.EntityScorer, q kge.Question,
) (scores []float32, err error) {
	if err := scorer.Scores(ctx, 0, []kge.Question{q}, func(_ int, all []float32) {
		scores = slices.Clone(all)
	}); err != nil {
		return nil, err
	}
	for _, score := range scores {
		if x := float64(score); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("the scores of a path of %s overflow with this model: "+
				"use a shorter path", format.Count(len(q.Path), "hop"))
		}
	}
	return scores, nil
}
