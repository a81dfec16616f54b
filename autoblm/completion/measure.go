package completion

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Measure returns the statistics of the graph, and the metrics of the best model by relation
// pattern and by relation.
func (t *Task) Measure(ctx context.Context, b task.Best) (*task.Measures, error) {
	m := &task.Measures{Data: describe(datasets.Describe(t.Graph), b.Dataset)}
	split := "test"
	if len(t.Graph.Test) == 0 {
		split = "valid"
	}
	p, err := PredictorOf(b.Artifact)
	if p == nil || err != nil {
		return m, err
	}
	m.Map = MapOf(p.Models(), t.Graph, mostPlaces)
	if m.Examples, err = t.Examples(b.Artifact); err != nil {
		return m, err
	}
	if len(t.Graph.Test)+len(t.Graph.Valid) == 0 { // nothing to rank
		return m, nil
	}
	aligned, triples, ranks, err := t.rankWith(ctx, p, split)
	if err != nil {
		return m, err
	}
	count := format.Count(len(triples), split+" triple")
	text := fmt.Sprintf("The study keeps the best model, %s, with d %d. "+
		"These are its metrics over %s.", b.Trial.Label, b.Trial.Recipe.Training.Dim, count)
	if b.Trial.Structure.K() > 0 {
		text += " Its structure " + describePatterns(b.Trial.Structure.Patterns()) + "."
	}
	if ensemble := b.Trial.Ensemble; ensemble != nil {
		text = fmt.Sprintf("The study keeps an ensemble of %s. These are its metrics over %s.",
			format.Count(len(ensemble.Members), "model"), count)
	}
	m.Best = []page.Part{
		{Heading: "By relation pattern", Text: text,
			Table: page.NewTable(
				"The best model by relation pattern (inverse relations have another pattern too)",
				ByPattern(aligned, triples, ranks, eval.Pessimistic), append([]page.Column[Part]{
					page.Text("pattern", func(p Part) any { return p.Name }),
					page.Number("triples", func(p Part) any { return p.Triples }),
				}, partColumns...)...)},
		{Heading: "By relation", Table: byRelation(split, aligned,
			ByRelation(aligned, triples, ranks, eval.Pessimistic))},
	}
	return m, nil
}

// rankWith ranks a split with a predictor. It returns the graph with the ids of the predictor.
func (t *Task) rankWith(
	ctx context.Context, p Predictor, split string,
) (*datasets.Graph, []datasets.Triple, []eval.Ranked, error) {
	aligned, err := Align(p.Models()[0], t.Graph)
	if err != nil {
		return nil, nil, nil, err
	}
	triples, ranks, err := p.Rank(ctx, t.Engine, kge.AutoPrecision, aligned, split, 0)
	return aligned, triples, ranks, err
}

// partColumns show the metrics of a part.
var partColumns = []page.Column[Part]{
	page.Number("MRR", func(p Part) any { return page.Bar(p.Both.MRR) }),
	page.Number("H@1", func(p Part) any { return p.Both.Hits1 }),
	page.Number("H@10", func(p Part) any { return p.Both.Hits10 }),
	page.Number("head MRR", func(p Part) any { return p.Head.MRR }),
	page.Number("tail MRR", func(p Part) any { return p.Tail.MRR }),
}

// maxShownRelations is the number of relations shown before folding.
const maxShownRelations = 20

func byRelation(split string, g *datasets.Graph, parts []Part) *page.Table {
	pattern, train := map[string]string{}, map[string]int{}
	for relation, p := range datasets.Patterns(g) {
		name := p.Pattern.String()
		if p.Inverse {
			name += ", inverse"
		}
		pattern[g.Relations[relation]] = name
	}
	for _, t := range g.Train {
		train[g.Relations[t.Relation]]++
	}
	return page.NewTable("The best model by relation, the most frequent first", parts,
		append([]page.Column[Part]{
			page.Text("relation", func(p Part) any { return p.Name }),
			page.Text("pattern", func(p Part) any { return pattern[p.Name] }),
			page.Number("in train", func(p Part) any { return train[p.Name] }),
			page.Number(split+" triples", func(p Part) any { return p.Triples }),
		}, partColumns...)...).Fold(maxShownRelations, "relation")
}

// describe returns the statistics of a graph.
func describe(g datasets.Statistics, name string) []page.Part {
	text := fmt.Sprintf("The graph %s has %s and %s.", name, format.Count(g.Entities, "entity"),
		format.Count(g.Relations, "relation"))
	for _, anomaly := range []struct {
		n    int
		text string
	}{
		{g.EntitiesNotInTrain, "Entities that train lacks"},
		{g.RelationsNotInTrain, "Relations that train lacks"},
		{g.InSeveralSplits, "Triples in more than one split"},
	} {
		if anomaly.n > 0 {
			text += fmt.Sprintf(" %s: %s.", anomaly.text, format.Int(anomaly.n))
		}
	}
	type split struct {
		name string
		datasets.SplitStatistics
	}
	splits := page.NewTable("The triples of "+name,
		[]split{{"train", g.Train}, {"valid", g.Valid}, {"test", g.Test}},
		page.Text("split", func(s split) any { return s.name }),
		page.Number("triples", func(s split) any { return s.Triples }),
		page.Number("duplicates", func(s split) any { return s.Duplicates }),
		page.Number("with something that train lacks", func(s split) any { return s.Unseen }))
	patterns := page.NewTable("Its relation patterns (inverse relations have another pattern too)",
		g.Patterns,
		page.Text("pattern", func(p datasets.PatternShare) any { return p.Pattern }),
		page.Number("relations", func(p datasets.PatternShare) any { return p.Relations }),
		page.Number("test triples", func(p datasets.PatternShare) any { return p.TestTriples }),
		page.Number("share of test", func(p datasets.PatternShare) any {
			return page.Cell{Text: fmt.Sprintf("%.1f %%", p.TestPercent), Share: p.TestPercent}
		}))
	return []page.Part{{Text: text, Table: splits}, {Table: patterns}}
}

// Part is the evaluation of triples with a common property.
type Part struct {
	Name    string       `json:"name"`
	Triples int          `json:"triples"`
	Both    eval.Metrics `json:"both"`
	Head    eval.Metrics `json:"head"`
	Tail    eval.Metrics `json:"tail"`
}

// ByRelation evaluates each relation separately, the most frequent first. ranks has an element for
// each triple.
func ByRelation(
	g *datasets.Graph, triples []datasets.Triple, ranks []eval.Ranked, ties eval.Ties,
) []Part {
	return breakdown(triples, ranks, ties, func(t datasets.Triple) []string {
		return []string{g.Relations[t.Relation]}
	})
}

// ByPattern evaluates each relation pattern separately (paper, Appendix B): symmetric,
// anti-symmetric, general, and inverse. An inverse relation is anti-symmetric or general, too.
func ByPattern(
	g *datasets.Graph, triples []datasets.Triple, ranks []eval.Ranked, ties eval.Ties,
) []Part {
	patterns := datasets.Patterns(g)
	return breakdown(triples, ranks, ties, func(t datasets.Triple) []string {
		p := patterns[t.Relation]
		names := []string{p.Pattern.String()}
		if p.Inverse {
			names = append(names, "inverse")
		}
		return names
	})
}

// breakdown evaluates the triples of each name separately, the most frequent first.
func breakdown(
	triples []datasets.Triple, ranks []eval.Ranked, ties eval.Ties,
	names func(datasets.Triple) []string,
) []Part {
	groups := map[string][]eval.Ranked{}
	for i, t := range triples {
		for _, name := range names(t) {
			groups[name] = append(groups[name], ranks[i])
		}
	}
	parts := make([]Part, 0, len(groups))
	for name, group := range groups {
		e := Summarize(group, ties)
		part := Part{Name: name, Triples: e.Triples, Both: e.Both, Head: e.Head, Tail: e.Tail}
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Triples, a.Triples), cmp.Compare(a.Name, b.Name))
	})
	return parts
}
