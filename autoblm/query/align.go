package query

import (
	"encoding/json"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// PathsOf are the paths that a model is for and was trained on; none where that is not
// known. A model of completion was trained on triples, which are paths of one hop.
func PathsOf(m *kge.Model) (p Paths) {
	if m.Training == nil {
		return p
	}
	if err := json.Unmarshal(m.Training.Own, &p); err != nil || len(p.Hops) == 0 {
		p.Hops = []int{1}
	}
	return p
}

// Align returns the queries of a split with the ids of a model. A label that the
// model lacks is an error that names it, and so is a split without such queries.
// Entities that the data lack are candidates too.
func (d *Data) Align(m *kge.Model, split Split, hops int) ([]Query, error) {
	if err := d.Needs(split, hops); err != nil {
		return nil, err
	}
	queries := d.Queries(split, hops)
	if m.SameIDs(d.Entities, d.Relations) {
		return queries, nil
	}
	ids := m.Translate(d.Name, d.Entities, d.Relations)
	aligned := make([]Query, len(queries))
	for i, q := range queries {
		a := &aligned[i]
		a.Anchor = ids.Entities.Of(q.Anchor)
		for _, r := range q.Relations {
			a.Relations = append(a.Relations, 2*ids.Relations.Of(r/2)+r%2)
		}
		for _, answers := range []struct {
			from []int32
			to   *[]int32
		}{{q.Hard, &a.Hard}, {q.Easy, &a.Easy}} {
			for _, e := range answers.from {
				*answers.to = append(*answers.to, ids.Entities.Of(e))
			}
			slices.Sort(*answers.to)
		}
	}
	return aligned, ids.Missing()
}
