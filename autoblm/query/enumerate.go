package query

import (
	"context"
	"slices"
)

// maxSteps is the number of edges after which an enumeration ends. That takes a few seconds.
const maxSteps = 10_000_000

// enumeration finds all paths of queries, which random walks may miss if few of many paths have hard
// answers.
type enumeration struct {
	*sampler
	hopsToNew []int // by entity
	seen      map[string]bool
	found     []Query
}

// complete adds a random choice of the paths that were not drawn.
func (w *sampler) complete(ctx context.Context, queries []Query) ([]Query, error) {
	e := enumeration{sampler: w, hopsToNew: w.hopsToNew(), seen: map[string]bool{}}
	for _, q := range queries {
		e.seen[q.key()] = true
	}
	w.walker.steps = 0
	starts := w.starts()
	for _, i := range w.rng.Perm(len(starts)) {
		if err := e.extend(ctx, Query{Anchor: starts[i]}); err != nil {
			return nil, err
		}
	}
	w.rng.Shuffle(len(e.found), func(i, j int) { e.found[i], e.found[j] = e.found[j], e.found[i] })
	for _, q := range e.found[:min(len(e.found), w.count-len(queries))] {
		w.answer(&q)
		queries = append(queries, q)
	}
	return queries, nil
}

// extend finds the paths that begin with the path of q.
func (e *enumeration) extend(ctx context.Context, q Query) error {
	if err := ctx.Err(); err != nil || e.walker.steps > maxSteps {
		return err
	}
	ends := e.walker.endPoints(e.graph, q.Anchor, q.Relations)
	hasHard := e.before == nil || len(ends) > len(e.walker.endPoints(e.before, q.Anchor, q.Relations))
	n := len(q.Relations)
	canReachNew := func(at int32) bool { return e.hopsToNew[at] < e.hops-n }
	switch {
	case n == e.hops:
		if hasHard && !e.seen[q.key()] {
			e.found = append(e.found, q)
		}
		return nil
	case !hasHard && !slices.ContainsFunc(ends, canReachNew):
		return nil
	}
	var leaving []int32
	for _, at := range ends {
		leaving = append(leaving, e.graph.leaving(at)...)
	}
	slices.Sort(leaving)
	for _, r := range slices.Compact(leaving) {
		if n > 0 && r == reverse(q.Relations[n-1]) {
			continue
		}
		if err := e.extend(ctx, Query{Anchor: q.Anchor, Relations: append(q.Relations[:n:n], r)}); err != nil {
			return err
		}
	}
	return nil
}

// hopsToNew returns, for each entity, the number of hops to one that a new edge leaves, or the
// length of the paths if that is too far. A hard answer needs a new edge. For train, all edges are new.
func (w *sampler) hopsToNew() []int {
	hops := make([]int, len(w.graph.pairs)-1)
	if w.before == nil {
		return hops
	}
	var reached []int32
	for at := range int32(len(hops)) {
		isNew := func(r int32) bool {
			return len(w.graph.targetsOf(at, r)) > len(w.before.targetsOf(at, r))
		}
		if slices.ContainsFunc(w.graph.leaving(at), isNew) {
			reached = append(reached, at)
		} else {
			hops[at] = w.hops
		}
	}
	for n := 1; n < w.hops; n++ {
		var next []int32
		for _, from := range reached {
			for _, r := range w.graph.leaving(from) {
				for _, to := range w.graph.targetsOf(from, r) {
					if n < hops[to] {
						hops[to] = n
						next = append(next, to)
					}
				}
			}
		}
		reached = next
	}
	return hops
}
