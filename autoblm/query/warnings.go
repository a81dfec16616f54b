package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Warnings returns likely problems of the data, each with a fix: notes from reading the graph, leakage,
// omitted triples, splits without queries of the given numbers of hops, queries with entities or
// relations that train lacks, about which nothing can be learned, and queries with hard answers that
// follow from train. It looks for those answers until ctx ends, in a sample if there are many queries.
func (d *Data) Warnings(ctx context.Context, hops []int, splits ...Split) []string {
	all := slices.Clone(d.notes)
	relations := make([]bool, 2*len(d.Relations))
	for _, r := range d.graphs[InTrain].relations {
		relations[r] = true
	}
	isKnown := func(entity int32) bool { return len(d.graphs[InTrain].leaving(entity)) > 0 }
	isUnknownRelation := func(r int32) bool { return !relations[r] }
	uses := map[Split]string{
		InValid: "can select the best epoch, settings or structure",
		InTest:  "measures a model independently of its selection",
	}
	if d.isFolder && len(splits) > 0 {
		all = append(all, d.leakage(splits)...)
	}
	for _, split := range splits {
		if split == InTrain {
			continue
		}
		for _, h := range hops {
			if d.require(split, h) != nil {
				all = append(all, fmt.Sprintf("%s has no %v queries of %s, so nothing %s: "+
					"draw some, or move more of the graph from train to %v",
					d.Name, split, format.Count(h, "hop"), uses[split], split))
			}
		}
		queries, unseen := d.queriesWith(split, hops), 0
		for _, q := range queries {
			if !isKnown(q.Anchor) || !slices.ContainsFunc(q.Hard, isKnown) ||
				slices.ContainsFunc(q.Relations, isUnknownRelation) {
				unseen++
			}
		}
		if leaks, of, example := d.following(ctx, split, hops, d); leaks > 0 {
			all = append(all, fmt.Sprintf("%s of %s %v queries have hard answers that follow from train, "+
				"such as %s, so the metrics are higher than on new facts: "+
				"remove these answers, or facts from train",
				format.Int(leaks), of, split, example))
		}
		if unseen > 0 {
			all = append(all, fmt.Sprintf("%s of %s %v queries cannot be learned, "+
				"as train lacks their anchor, a relation or all answers: "+
				"remove them, or add triples with these to train",
				format.Int(unseen), format.Int(len(queries)), split))
		}
	}
	return all
}

// leakage returns warnings about facts of splits that follow from train. The facts are the edges that
// a split adds.
func (d *Data) leakage(of []Split) []string {
	// The queries of Query2box are of the usual splits of a benchmark, which the fix depends on.
	g := &datasets.Graph{
		Name: strings.TrimPrefix(d.Name, "query2box-"), Entities: d.Entities, Relations: d.Relations,
	}
	before := newEdges(len(d.Entities), nil)
	for split, to := range []*[]datasets.Triple{&g.Train, &g.Valid, &g.Test} {
		for head := range int32(len(d.Entities)) {
			for _, r := range d.graphs[split].leaving(head) {
				if r%2 == 1 {
					continue // its reverse is there
				}
				isOld := eval.In(before.targetsOf(head, r))
				for _, tail := range d.graphs[split].targetsOf(head, r) {
					if !isOld(tail) {
						*to = append(*to, datasets.Triple{Head: head, Relation: r / 2, Tail: tail})
					}
				}
			}
		}
		before = d.graphs[split]
	}
	var names []string
	for _, split := range of {
		names = append(names, split.String())
	}
	return g.Leakage(names...)
}
