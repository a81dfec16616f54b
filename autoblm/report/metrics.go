package report

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Rows of a long table that are shown before a reader asks for more.
const (
	mostRelations = 20
	mostFailures  = 10
)

// metrics are those of the best, by side, pattern and relation where a graph is
// completed.
func (o *outcome) metrics() (section, error) {
	s := section{ID: "metrics", Title: "Metrics of the best"}
	best, ok := o.bestModel()
	if !ok || o.task == classes { // an accuracy is all there is
		return s, nil
	}
	if o.task == queries {
		s.Parts = []part{{Table: o.bySide()}}
		return s, nil
	}
	s.Parts = append(s.Parts, part{Heading: "By side"}, part{Table: o.bySide()})
	if o.Breakdown == nil {
		if o.NoGraph != "" {
			s.Parts = append(s.Parts, part{Text: "By relation and relation pattern: " + o.NoGraph})
		}
		return s, nil
	}
	b := o.Breakdown
	s.Parts = append(s.Parts, part{Heading: "By relation pattern"}, part{Text: fmt.Sprintf(
		"The study keeps one model, the best: %s, with d %d. What follows is of that model alone, over %s. Its structure %s.",
		o.nameOf(best), best.Recipe.Training.Dim, count(b.Whole.Triples, b.Split+" triple"), kinds(best.Structure.Patterns()))})
	patterns := &table{
		Caption: "The best model by relation pattern (inverse relations are some of the general ones)",
		Columns: append(texts("pattern"), numbers("triples", "MRR", "H@1", "H@10", "head MRR", "tail MRR")...),
	}
	for _, p := range b.ByPattern {
		patterns.add(p.Name, thousands(p.Triples), bar(p.Both.MRR), number(p.Both.Hits1), number(p.Both.Hits10), number(p.Head.MRR), number(p.Tail.MRR))
	}
	relations := &table{
		Caption: "The best model by relation, the most frequent first",
		Columns: append(texts("relation", "pattern"), numbers("in train", b.Split+" triples", "MRR", "H@1", "H@10", "head MRR", "tail MRR")...),
	}
	for _, p := range b.ByRelation {
		relations.add(p.Name, p.Pattern, thousands(p.Train), thousands(p.Triples), bar(p.Both.MRR), number(p.Both.Hits1), number(p.Both.Hits10), number(p.Head.MRR), number(p.Tail.MRR))
	}
	relations.fold(mostRelations, "relation")
	s.Parts = append(s.Parts, part{Table: patterns}, part{Heading: "By relation"}, part{Table: relations})
	return s, nil
}

// nameOf says where among the structures found a trial's structure is.
func (o *outcome) nameOf(t task.Trial) string {
	place := slices.IndexFunc(o.found, func(f task.Trial) bool { return f.Structure == t.Structure })
	name := fmt.Sprintf("Found %d", place+1)
	if t.Stage == task.Final {
		name += " as the last stage trained it"
	}
	return name
}

// bySide compares the best found with the best human-designed model, by the side that
// is asked for where there are two.
func (o *outcome) bySide() *table {
	split := "test"
	of := func(t task.Trial) *completion.Evaluation { return completion.EvaluationsOf(t.Details).Test }
	if best, _ := o.bestModel(); of(best) == nil {
		split = "validation"
		of = func(t task.Trial) *completion.Evaluation { return completion.EvaluationsOf(t.Details).Valid }
	}
	columns := numbers("MRR", "H@1", "H@3", "H@10", "mean rank")
	t := &table{
		Caption: fmt.Sprintf("Metrics over the %s triples: of both sides, of the queries for heads and of those for tails", split),
		Columns: append(texts("model", "side"), columns...),
	}
	if o.task == queries {
		t = &table{Caption: fmt.Sprintf("Metrics over the %s queries", split), Columns: append(texts("model"), columns...)}
	}
	add := func(name string, e *completion.Evaluation) {
		if e == nil {
			return
		}
		row := func(m kge.Metrics, names ...any) {
			t.add(append(names, bar(m.MRR), number(m.Hits1), number(m.Hits3), number(m.Hits10), fmt.Sprintf("%.1f", m.MeanRank))...)
		}
		if o.task == queries { // which have no sides
			row(e.Both, name)
			return
		}
		row(e.Both, name, "both")
		row(e.Head, name, "heads")
		row(e.Tail, name, "tails")
	}
	if len(o.found) > 0 {
		add("Best found", of(o.found[0]))
	}
	if len(o.final) > 0 {
		add("Best of the last stage", of(o.final[0]))
	}
	if named, ok := o.bestNamed(); ok {
		add(title(named.Name), of(named))
	}
	return t
}
