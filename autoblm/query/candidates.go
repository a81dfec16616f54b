package query

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// candidates are the entities that paths with the same last relation compare.
type candidates struct {
	ids     []int32 // ascending
	noLoops bool    // the anchor of a path of one hop is no candidate
}

// candidates returns the entities to which a relation of the model leads in the graph of a split,
// and those that share a declared type with one of them, as the candidates of completion; nil if
// there are none. The types of a relation that declares types would be its own answers.
func (d *Data) candidates(m *kge.Model, split Split, relation int32) *candidates {
	toData := labels.NewTranslation(
		"the model", m.EntityLabels, m.RelationLabels, d.Entities, d.Relations)
	relation = toData.Path([]int32{relation})[0]
	if toData.Missing() != nil {
		return nil
	}
	in := d.graphs[split]
	if split == InTest {
		in = d.known
	}
	ends, hasLoops := in.ends(relation)
	if len(ends) == 0 {
		return nil
	}
	if !datasets.IsTypeRelation(d.Relations[relation/2]) {
		ends, _ = d.types.Alike(ends)
	}
	ids := slices.Sorted(slices.Values(d.idsOf(m).Entities(ends)))
	ids = slices.DeleteFunc(ids, func(id int32) bool { return id < 0 }) // the model lacks them
	return &candidates{ids, !hasLoops}
}

// HasKind reports whether [Predict] compares only entities of the kind to which a relation leads. If no
// fact has the relation, it compares all.
func (d *Data) HasKind(m *kge.Model, relation string) bool {
	r, err := RelationID(m, relation)
	return err == nil && d.candidates(m, InTest, r) != nil
}

// ends returns the entities to which a relation leads, ascending, and whether it leads from an
// entity to itself.
func (g *edges) ends(relation int32) (ends []int32, hasLoops bool) {
	for entity := range int32(len(g.pairs) - 1) {
		targets := g.targetsOf(entity, relation)
		ends = append(ends, targets...)
		_, isLoop := slices.BinarySearch(targets, entity)
		hasLoops = hasLoops || isLoop
	}
	slices.Sort(ends)
	return slices.Compact(ends), hasLoops
}

// has reports whether an entity is a candidate of a path.
func (c *candidates) has(q kge.Question, id int32) bool {
	_, found := slices.BinarySearch(c.ids, id)
	return found && !c.isExcluded(q, id)
}

// isExcluded reports whether an entity is no candidate because it is the anchor.
func (c *candidates) isExcluded(q kge.Question, id int32) bool {
	return c.noLoops && len(q.Path) == 1 && id == q.Anchor
}

// rank ranks the hard answers of a query among the candidates that are no answers. outside is the
// number of those that are no candidates, which rank last.
func (c *candidates) rank(scores []float32, q Query) (ranks []eval.Rank, outside int) {
	kept, question := make([]float32, len(c.ids)), q.Question()
	var among Query // with indices of candidates instead of ids
	for i, id := range c.ids {
		kept[i] = scores[id]
		switch {
		case eval.In(q.Hard)(id):
			among.Hard = append(among.Hard, int32(i))
		case eval.In(q.Easy)(id), c.isExcluded(question, id):
			among.Easy = append(among.Easy, int32(i))
		}
	}
	outside = len(q.Hard) - len(among.Hard)
	last := eval.Rank{Better: int32(len(kept) - len(among.Hard) - len(among.Easy))}
	return append(Rank(kept, among), slices.Repeat([]eval.Rank{last}, outside)...), outside
}
