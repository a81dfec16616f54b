package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
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
// data. Warnings in unchecked say that they are unknown or gone. Of many queries, Leakage looks at a
// sample.
func Leakage(
	ctx context.Context, m *kge.Model, d *Data, split Split, hops int,
	open func(source string) (Trained, error),
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
			found, queries, example := d.following(ctx, split, []int{hops}, own.Data)
			if found > 0 {
				leaks = append(leaks, fmt.Sprintf("%s of %s %v queries have hard answers that follow "+
					"from training facts of the model, such as %s, so the metrics are higher than on "+
					"new facts: evaluate it on the data of its training, %s, or train it on %s",
					format.Int(found), queries, split, example,
					own.Name, d.Name))
			}
		case earlier == 0: // data that a training continued from have usually grown in place
			cannotCheck("its training data in " + of.Source + " have changed or are gone")
		}
	}
	return leaks, unchecked
}

// maxFollowed is the number of queries of a split that [Data.following] looks at. Their walks take
// time from training with a deadline.
const maxFollowed = 2000

// following counts the queries of a split with hard answers that follow from the training facts of
// some data, and returns an example. It looks at a sample of at most maxFollowed queries and returns
// a description of these. It counts nothing once ctx has ended.
func (d *Data) following(
	ctx context.Context, split Split, hops []int, from *Data,
) (count int, of, example string) {
	ids := labels.NewTranslation(d.Name, d.Entities, d.Relations, from.Entities, from.Relations)
	walker := newWalker(len(from.Entities))
	all := d.queriesWith(split, hops)
	queries := eval.Sample(all, maxFollowed)
	of = format.Int(len(queries))
	if len(queries) < len(all) {
		of += " sampled"
	}
	for _, q := range queries {
		if ctx.Err() != nil {
			return 0, "", ""
		}
		anchor, path := ids.Entity(q.Anchor), ids.Path(q.Relations)
		if anchor < 0 || slices.ContainsFunc(path, func(r int32) bool { return r < 0 }) {
			continue
		}
		answers := make([]int32, len(q.Hard))
		for i, answer := range q.Hard {
			answers[i] = ids.Entity(answer)
		}
		at := walker.firstOf(answers, from.graphs[InTrain], anchor, path)
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
	return count, of, example
}
