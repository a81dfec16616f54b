package report

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// Breakdown has the metrics of the best model by parts of a split.
type Breakdown struct {
	// Split is "test", or "valid" where the graph has no test triples.
	Split string
	// Whole is over all triples of the split.
	Whole completion.Evaluation
	// ByPattern has the relation patterns; inverse relations are among the general ones too.
	ByPattern []completion.Part
	// ByRelation has the relations of the split, the most frequent first.
	ByRelation []RelationPart
}

// RelationPart is the part of a split that has one relation.
type RelationPart struct {
	completion.Part
	// Pattern is the relation's, as "symmetric" or "general, inverse".
	Pattern string
	// Train counts its triples in train.
	Train int
}

// Measure adds what needs the graph of the study: its statistics and, if there is
// a best model, that model's metrics by relation and pattern. It is an error if
// the graph is another one.
func (d *Data) Measure(ctx context.Context, engine kge.Engine, g *datasets.Graph) error {
	if d.About.Fingerprint != "" && d.About.Fingerprint != g.Fingerprint() {
		return fmt.Errorf("%s does not have the triples that the study was made with", g.Name)
	}
	statistics := datasets.Describe(g)
	d.Statistics = &statistics
	if d.Best == nil {
		return nil
	}
	best, err := kge.LoadFiles(d.Best)
	if err != nil {
		return err
	}
	aligned, err := completion.Align(best, g)
	if err != nil {
		return err
	}
	split := "test"
	if len(aligned.Test) == 0 {
		split = "valid"
	}
	triples, ranks, err := completion.RankSplit(ctx, engine, []*kge.Model{best}, aligned, split)
	if err != nil {
		return err
	}
	d.Breakdown = newBreakdown(split, aligned, triples, ranks[0])
	return nil
}

func newBreakdown(split string, g *datasets.Graph, triples []datasets.Triple, ranks []kge.Ranked) *Breakdown {
	b := &Breakdown{
		Split:     split,
		Whole:     completion.Summarize(ranks, kge.Pessimistic),
		ByPattern: completion.ByPattern(g, triples, ranks, kge.Pessimistic),
	}
	pattern, train := map[string]string{}, map[string]int{}
	for relation, p := range datasets.Patterns(g) {
		words := p.Pattern.String()
		if p.Inverse {
			words += ", inverse"
		}
		pattern[g.Relations[relation]] = words
	}
	for _, t := range g.Train {
		train[g.Relations[t.Relation]]++
	}
	for _, part := range completion.ByRelation(g, triples, ranks, kge.Pessimistic) {
		b.ByRelation = append(b.ByRelation, RelationPart{Part: part, Pattern: pattern[part.Name], Train: train[part.Name]})
	}
	return b
}
