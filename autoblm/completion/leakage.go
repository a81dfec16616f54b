package completion

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Leakage returns the triples of the given splits of g that models were trained on, if that were
// other data than g, such as another split of the same facts. open reads these data. Warnings in
// unchecked say that the training data of a model are unknown or gone. g is as it was read, because
// [Align] changes its fingerprint.
func Leakage(
	models []*kge.Model, g *datasets.Graph, open func(source string) (*datasets.Graph, error),
	splits ...string,
) (leaks []Leak, unchecked []string) {
	splits = slices.DeleteFunc(slices.Clone(splits), func(s string) bool { return s == "train" })
	if len(splits) == 0 {
		return nil, nil
	}
	var seen []kge.DataID
	for _, m := range models {
		if isOfQueries(m) {
			continue // its fingerprint identifies queries
		}
		if len(m.TrainedOn) == 0 {
			unchecked = append(unchecked, uncheckable(g, splits, "the model does not record its "+
				"training data"))
		}
		for earlier, of := range m.TrainedOn {
			if of.Fingerprint == g.Fingerprint() || slices.Contains(seen, of) {
				continue
			}
			seen = append(seen, of)
			own, err := open(datasets.SourceFolder(of.Source))
			switch isThere := err == nil && own.Fingerprint() == of.Fingerprint; {
			case isThere:
				leaks = append(leaks, leaksFrom(own, g, splits)...)
			case earlier == 0: // data that a training continued from have usually grown in place
				unchecked = append(unchecked, uncheckable(g, splits, "its training data in "+of.Source+
					" have changed or are gone"))
			}
		}
	}
	slices.Sort(unchecked)
	return leaks, slices.Compact(unchecked)
}

// isOfQueries reports whether a model was trained on queries, as task settings show.
func isOfQueries(m *kge.Model) bool {
	return m.Training != nil && m.Training.TaskSettings != nil
}

func uncheckable(g *datasets.Graph, splits []string, why string) string {
	return fmt.Sprintf("whether the model was trained on %s triples of %s cannot be checked, because "+
		"%s: evaluate it on the data of its training, or train it on %s",
		format.List(splits, "or"), g.Name, why, g.Name)
}

// Leak describes triples of some splits that are training triples of a model.
type Leak struct {
	// Found has the counts and an example, as the start of a sentence.
	Found string
	fix   string
}

// Warning returns a warning for an evaluation of the model, with a fix.
func (l Leak) Warning() string {
	return l.Found + ", so the metrics are higher than on new facts: " + l.fix
}

// leaksFrom returns a leak if splits of g have training triples of other data.
func leaksFrom(other, g *datasets.Graph, splits []string) []Leak {
	inTrain := map[datasets.Triple]bool{} // by triple of the splits
	var bySplit [][]datasets.Triple
	for _, split := range splits {
		triples, _ := g.Split(split) // none of an unknown split
		bySplit = append(bySplit, triples)
		for _, t := range triples {
			inTrain[t] = false
		}
	}
	ids := labels.NewTranslation(
		other.Name, other.Entities, other.Relations, g.Entities, g.Relations)
	for _, t := range other.Train {
		t = datasets.Triple{
			Head: ids.Entity(t.Head), Relation: ids.Relation(t.Relation), Tail: ids.Entity(t.Tail),
		}
		if _, isEvaluated := inTrain[t]; isEvaluated {
			inTrain[t] = true
		}
	}
	var counts []string
	var example datasets.Triple
	for i, triples := range bySplit {
		count := 0
		for _, t := range triples {
			if !inTrain[t] {
				continue
			}
			if count == 0 && counts == nil {
				example = t
			}
			count++
		}
		if count > 0 {
			counts = append(counts, datasets.CountOf(count, len(triples), splits[i]))
		}
	}
	if counts == nil {
		return nil
	}
	return []Leak{{
		Found: fmt.Sprintf("%s are training triples of the model, such as %s",
			format.List(counts, "and"), g.Text(example)),
		fix: fmt.Sprintf("evaluate it on the data of its training, %s, or train it on %s",
			other.Name, g.Name),
	}}
}
