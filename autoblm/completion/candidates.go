package completion

import (
	"context"
	"runtime"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/memory"
	"golang.org/x/sync/errgroup"
)

// candidates are the entities that queries for one end of a relation compare.
type candidates struct {
	end      end
	kind     string
	ids      []int32 // ascending; nil for all
	noLoops  bool    // the given entity is no candidate
	isShared bool    // equal for all queries for that end with the same facts
}

// count returns the number of candidates.
func (c *candidates) count(m *kge.Model) int {
	if c.ids == nil {
		return len(m.EntityLabels)
	}
	return len(c.ids)
}

// has reports whether an entity is a candidate.
func (c *candidates) has(id int32) bool {
	_, found := c.index(id)
	return found
}

// index returns the index of an entity among the candidates.
func (c *candidates) index(id int32) (index int, found bool) {
	if c.ids == nil {
		return int(id), true
	}
	return slices.BinarySearch(c.ids, id)
}

// id returns the id of a candidate.
func (c *candidates) id(index int) int32 {
	if c.ids == nil {
		return int32(index)
	}
	return c.ids[index]
}

// candidates returns the candidates for an end of a relation.
func (a *Answerer) candidates(e end, o PredictOptions, among []int32) *candidates {
	c := &candidates{end: e, kind: KindAll}
	if !o.AnyKind && a.ends != nil {
		c = a.ofKind(e)
	}
	if o.Among != nil {
		restricted := &candidates{end: e, kind: KindList, ids: among, noLoops: c.noLoops}
		return restricted
	}
	return c
}

// ofKind returns the entities at an end of a relation in the facts, and those that share a declared
// type with one of them. It returns all if there are none. The types of a relation that declares
// types would be its own answers, so they are not used for it.
func (a *Answerer) ofKind(e end) *candidates {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.sets[e]; c != nil {
		return c
	}
	heads, tails, hasLoops := a.ends.Seen(e.relation)
	types := a.graph.Types
	if datasets.IsTypeRelation(a.model.RelationLabels[e.relation]) {
		types = nil
	}
	for _, side := range []struct {
		isHead bool
		ids    []int32
	}{{true, heads}, {false, tails}} {
		c := &candidates{end: end{e.relation, side.isHead}, kind: KindAll}
		if len(side.ids) > 0 {
			c.kind, c.ids, c.isShared, c.noLoops = KindSeen, side.ids, true, !hasLoops
		}
		if alike, hasTypes := types.Alike(side.ids); hasTypes {
			c.kind, c.ids = KindTyped, alike
		}
		a.sets[c.end] = c
	}
	return a.sets[e]
}

// scorer returns a scorer of candidates, nil for scores in float64. If it scores all entities,
// isAll is true.
func (a *Answerer) scorer(c *candidates) (scorer kge.EntityScorer, isAll bool) {
	if a.scores == nil {
		return nil, false
	}
	if !a.isRestricted(c) {
		return a.scores.all(len(a.model.EntityLabels)), true
	}
	if !c.isShared {
		return a.scores.restrict(c.ids), false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.restrict[c.end]; s != nil {
		return s, false
	}
	if a.rows += len(c.ids); a.rows > mostRestricted/a.scores.dim {
		clear(a.restrict)
		a.rows = len(c.ids)
	}
	a.restrict[c.end] = a.scores.restrict(c.ids)
	return a.restrict[c.end], false
}

// forget frees the memory of scoring candidates that are not asked for again.
func (a *Answerer) forget(c *candidates) {
	if a.scores == nil {
		return
	}
	a.mu.Lock()
	if a.restrict[c.end] != nil {
		delete(a.restrict, c.end)
		a.rows -= len(c.ids)
	}
	a.mu.Unlock()
	const numberBytes, questions = 4, 16 // at least, which are scored together
	memory.CollectGarbage(float64(numberBytes * c.count(a.model) * (a.scores.dim + questions)))
}

// mostRestricted is the largest number of numbers in the copies of all restricted scorers: 256 MB.
const mostRestricted = 1 << 26

// isRestricted reports whether a scorer of the candidates only is worth its memory. A copy of most
// rows is no faster than all rows.
func (a *Answerer) isRestricted(c *candidates) bool {
	most := min(len(a.model.EntityLabels)/2, mostRestricted/a.scores.dim)
	return c.ids != nil && a.scores.canRestrict && len(c.ids) <= most
}

// eachScores calls visit with the float32 scores of the candidates for each question, or nil if
// scores are computed in float64. The calls come from several goroutines in any order. A slice of
// scores is valid until visit returns.
func (a *Answerer) eachScores(
	ctx context.Context, c *candidates, questions []question,
	visit func(question int, scores []float32),
) error {
	if len(questions) == 0 {
		return nil
	}
	scorer, isAll := a.scorer(c)
	if scorer == nil {
		var workers errgroup.Group
		workers.SetLimit(runtime.GOMAXPROCS(0))
		for i := range questions {
			workers.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				visit(i, nil)
				return nil
			})
		}
		return workers.Wait()
	}
	paths := make([]kge.Question, len(questions))
	for i, q := range questions {
		paths[i] = q.path()
	}
	return scorer.Scores(ctx, 0, paths, func(i int, scores []float32) {
		if isAll {
			scores = c.of(scores)
		}
		visit(i, scores)
	})
}

// of returns the scores of the candidates from those of all entities.
func (c *candidates) of(all []float32) []float32 {
	if c.ids == nil {
		return all
	}
	scores := make([]float32, len(c.ids))
	for n, id := range c.ids {
		scores[n] = all[id]
	}
	return scores
}
