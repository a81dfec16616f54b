package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
)

// lacks says what a document does not have that a measurement of these cases
// gives, or nil.
func lacks(d document, s suite, peer bool) error {
	if d.Command == "" || d.Date == "" || d.Machine == "" || d.Versions["go"] == "" || d.Result.Engine == "" {
		return fmt.Errorf("the command, the date, the machine, the versions or the engine are missing: %+v", d)
	}
	if len(d.Result.LeftOut) > 0 {
		return fmt.Errorf("left out: %q", d.Result.LeftOut)
	}
	for _, c := range s.timed {
		i := slices.IndexFunc(d.Result.Cases, func(t timing) bool { return t.ID == c.ID })
		if i < 0 {
			return fmt.Errorf("%s was not timed", c.ID)
		}
		if t := d.Result.Cases[i]; !positive(t.Ours) || peer && !positive(t.Peer) {
			return fmt.Errorf("%s has no times: %+v", c.ID, t)
		}
	}
	for _, c := range s.precisions {
		i := slices.IndexFunc(d.Result.Precisions, func(r compared) bool { return r.ID == c.ID })
		if i < 0 || len(d.Result.Precisions[i].Outcomes) < 2 {
			return fmt.Errorf("%s was not compared", c.ID)
		}
		for _, o := range d.Result.Precisions[i].Outcomes {
			if len(o.Valid) != c.Members || len(o.Test) != c.Members || !positive(slices.Concat(o.Valid, o.Test, []float64{o.PerStep})) {
				return fmt.Errorf("%s has no metrics of %s: %+v", c.ID, o.Scores, o)
			}
		}
	}
	for _, c := range s.searches {
		i := slices.IndexFunc(d.Result.Searches, func(r searched) bool { return r.ID == c.ID })
		if i < 0 {
			return fmt.Errorf("%s was not searched", c.ID)
		}
		r := d.Result.Searches[i]
		if r.Named == nil || r.Stopped == search.BudgetSpent && (r.Trained != c.Budget || r.Best == nil) {
			return fmt.Errorf("%s has no results: %+v", c.ID, r)
		}
	}
	return nil
}

// positive is whether there are numbers, and all are above 0 and finite.
func positive(x []float64) bool {
	return len(x) > 0 && !slices.ContainsFunc(x, func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
}
