package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Trained holds the data of a training, with the fingerprint that models of it record.
type Trained struct {
	*Data
	Fingerprint string
}

// Leakage returns warnings about queries of a split of d, with a number of hops, whose hard answers
// follow from the training facts of a model, if that was trained on other data. open reads these
// data. Warnings in unchecked say that they are unknown or gone.
func Leakage(
	m *kge.Model, d *Data, split Split, hops int, open func(source string) (Trained, error),
) (leaks, unchecked []string) {
	if split == InTrain {
		return nil, nil
	}
	cannotCheck := func(why string) {
		unchecked = append(unchecked, fmt.Sprintf("whether the model was trained on facts behind %v "+
			"queries of %s cannot be checked, because %s: evaluate it on the data of its training, "+
			"or train it on %s", split, d.Name, why, d.Name))
	}
	if len(m.TrainedOn) == 0 {
		cannotCheck("the model does not record its training data")
	}
	for earlier, of := range m.TrainedOn {
		if of.Fingerprint == d.Fingerprint(PathsOf(m).TrainingHops()...) {
			continue
		}
		own, err := open(of.Source)
		switch isThere := err == nil && own.Fingerprint == of.Fingerprint; {
		case isThere && of.Source == cmp.Or(d.Folder, d.Name): // see [Data.Warnings]
		case isThere:
			if found, example := d.following(split, []int{hops}, own.Data); found > 0 {
				leaks = append(leaks, fmt.Sprintf("%s of %s %v queries have hard answers that follow "+
					"from training facts of the model, such as %s, so the metrics are higher than on "+
					"new facts: evaluate it on the data of its training, %s, or train it on %s",
					format.Int(found), format.Int(len(d.Queries(split, hops))), split, example,
					own.Name, d.Name))
			}
		case earlier == 0: // data that a training continued from have usually grown in place
			cannotCheck("its training data in " + of.Source + " have changed or are gone")
		}
	}
	return leaks, unchecked
}

// following counts the queries of a split with hard answers that follow from the training facts of
// some data, and returns an example.
func (d *Data) following(split Split, hops []int, from *Data) (count int, example string) {
	ids := labels.NewTranslation(d.Name, d.Entities, d.Relations, from.Entities, from.Relations)
	walker := newWalker(len(from.Entities))
	for _, q := range d.queriesWith(split, hops) {
		anchor, path := ids.Entity(q.Anchor), ids.Path(q.Relations)
		if anchor < 0 || slices.ContainsFunc(path, func(r int32) bool { return r < 0 }) {
			continue
		}
		ends := walker.endPoints(from.graphs[InTrain], anchor, path)
		follows := func(answer int32) bool {
			_, found := slices.BinarySearch(ends, ids.Entity(answer))
			return found
		}
		at := slices.IndexFunc(q.Hard, follows)
		if at < 0 {
			continue
		}
		if count == 0 {
			var names []string
			for _, r := range q.Relations {
				names = append(names, d.RelationName(r))
			}
			example = fmt.Sprintf("(%s, %s, %s)", d.Entities[q.Anchor],
				strings.Join(names, " ∘ "), d.Entities[q.Hard[at]])
		}
		count++
	}
	return count, example
}
