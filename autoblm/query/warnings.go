package query

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Warnings are what whoever uses the data should know, each with its mend: what reading the
// graph noticed, which triples had no place in it, which of the given splits have no queries of
// the given lengths, and how many of their queries mention what train lacks, of which nothing
// can be learnt.
func (d *Data) Warnings(hops []int, splits ...Split) []string {
	all := slices.Clone(d.noticed)
	relations := make([]bool, 2*len(d.Relations))
	for _, r := range d.graphs[InTrain].relations {
		relations[r] = true
	}
	known := func(entity int32) bool { return len(d.graphs[InTrain].leaving(entity)) > 0 }
	for _, split := range splits {
		if split == InTrain {
			continue
		}
		for _, h := range hops {
			if d.Needs(split, h) != nil {
				all = append(all, fmt.Sprintf("%s has no %v queries of %s, so nothing %s: draw some, or hold more of the graph out of train", d.Name, split, format.Count(h, "hop"),
					[...]string{InValid: "tells which epoch, settings or structure is best", InTest: "tells how good a model is that was chosen by valid"}[split]))
			}
		}
		queries, unseen := d.together(split, hops), 0
		for _, q := range queries {
			if !known(q.Anchor) || !slices.ContainsFunc(q.Hard, known) || slices.ContainsFunc(q.Relations, func(r int32) bool { return !relations[r] }) {
				unseen++
			}
		}
		if unseen > 0 {
			all = append(all, fmt.Sprintf("%s of the %s %v queries of %s have an anchor, a relation or only answers that train lacks, of which nothing is learnt: leave them out, or add to train what is known of it",
				format.Whole(unseen), format.Whole(len(queries)), split, d.Name))
		}
	}
	return all
}
