package datasets

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/autoblm/autoblm-go/internal/format"
)

// implications holds what the facts of a graph imply about each other.
type implications struct {
	Related  []RelatedRelations
	Patterns []RelationPattern
	// Duplicates counts by split the triples that occurred before in it.
	Duplicates [3]int
	// InSeveral counts the distinct triples of more than one split.
	InSeveral int
	// Valid and Test hold their triples that follow from train.
	Valid, Test leakage
}

// leakage counts the triples of a split that follow from another split.
type leakage struct {
	InTrain leaks // train has the triple itself
	Implied leaks // train has its mirror image or a repetition, by related relations
	InValid leaks // valid has a test triple itself
}

// leaks counts triples. Example is the first one, and Source a training triple that implies it.
type leaks struct {
	Count           int
	Example, Source Triple
	Index           int32 // of the example
}

func (l *leaks) add(index int32, t, source Triple) {
	if l.Count == 0 || index < l.Index {
		l.Index, l.Example, l.Source = index, t, source
	}
	l.Count++
}

// implied returns the implications between the facts of a graph.
func (g *Graph) implied() *implications {
	return g.implications.get(g, func() *implications {
		if facts := g.cache.known(g); facts != nil {
			return &facts.Implications
		}
		splits := g.splits()
		all := triplesIn(splits[:])
		facts := factsByPair(all, len(g.Entities))
		i := &implications{}
		var parts sync.WaitGroup
		parts.Go(func() { i.Related = relatedIn(all, facts, len(g.Entities), len(g.Relations)) })
		parts.Go(func() { i.Patterns = patternsOf(g.Train, facts, len(g.Entities), len(g.Relations)) })
		parts.Go(func() { i.countRepeated(g, all, facts) })
		parts.Wait()
		i.countImplied(g, all, facts)
		g.cache.store(g, i)
		return i
	})
}

// splitOf returns 0, 1 or 2 for an index of the triples of train, valid and test.
func (g *Graph) splitOf(index int32) int {
	switch n := int(index) - len(g.Train); {
	case n < 0:
		return 0
	case n < len(g.Valid):
		return 1
	}
	return 2
}

// leakageOf returns the leakage of split 1 or 2.
func (i *implications) leakageOf(split int) *leakage {
	if split == 1 {
		return &i.Valid
	}
	return &i.Test
}

// countRepeated counts the triples that occur several times.
func (i *implications) countRepeated(g *Graph, triples triplesIn, facts []pairFact) {
	for start := 0; start < len(facts); {
		end := start + 1
		for end < len(facts) && facts[end].same(facts[start]) {
			end++
		}
		var count [3]int
		for _, f := range facts[start:end] {
			split := g.splitOf(f.index)
			count[split]++
			if split > 0 && count[0] > 0 {
				t := triples.at(int(f.index))
				i.leakageOf(split).InTrain.add(f.index, t, t)
			}
			if split == 2 && count[1] > 0 {
				t := triples.at(int(f.index))
				i.Test.InValid.add(f.index, t, t)
			}
		}
		splits := 0
		for split, n := range count {
			if n > 0 {
				splits++
				i.Duplicates[split] += n - 1
			}
		}
		if splits > 1 {
			i.InSeveral++
		}
		start = end
	}
}

// countImplied counts the triples of valid and test that train has mirrored or repeated.
func (i *implications) countImplied(g *Graph, triples triplesIn, facts []pairFact) {
	related := keysOf(i.Related)
	if len(related) == 0 {
		return
	}
	eachPair(facts, func(about []pairFact) {
		for _, f := range about {
			split := g.splitOf(f.index)
			if split == 0 {
				continue
			}
			at := slices.IndexFunc(about, func(other pairFact) bool {
				return g.splitOf(other.index) == 0 && !other.same(f) && related[keyOf(f, other)]
			})
			if at >= 0 {
				i.leakageOf(split).Implied.add(f.index, triples.at(int(f.index)), triples.at(int(about[at].index)))
			}
		}
	})
}

// Leakage returns warnings about the given splits, "valid" and "test": triples that are in
// train too, test triples that are in valid, and triples that train implies by [Related]
// relations. Each has a count, an example and a fix.
func (g *Graph) Leakage(splits ...string) (warnings []string) {
	implied := g.implied()
	var follow, shares []string
	var source string // of the last split
	for _, name := range splits {
		triples, err := g.Split(name)
		if err != nil || name == splitNames[0] || len(triples) == 0 {
			continue
		}
		count := func(n int) string { return CountOf(n, len(triples), name) }
		l := implied.leakageOf(slices.Index(splitNames, name))
		if n := l.InTrain.Count; n > 0 {
			warnings = append(warnings, fmt.Sprintf("%s are in train too, such as %s, so a model may know "+
				"them by heart: remove them from train, or split all triples anew",
				count(n), g.Text(l.InTrain.Example)))
		}
		if n := l.InValid.Count; n > 0 {
			warnings = append(warnings, fmt.Sprintf("%s are in valid too, such as %s, so the test metrics "+
				"also measure the selection by valid: remove them from valid, or split all triples anew",
				count(n), g.Text(l.InValid.Example)))
		}
		if n := l.Implied.Count; n > 0 {
			follow = append(follow, count(n))
			percent := 100 * float64(n) / float64(len(triples))
			shares = append(shares, fmt.Sprintf("%.0f %% of %s", percent, name))
			source = fmt.Sprintf("%s from %s", g.Text(l.Implied.Example), g.Text(l.Implied.Source))
		}
	}
	if len(follow) > 0 {
		known, fix := "", "split all triples anew, which keeps such triples together"
		if _, isBenchmark := benchmark(g.Name); isBenchmark {
			known = "known "
			fix = "compare only with results on these splits"
		}
		warnings = append(warnings, fmt.Sprintf("%sleakage: %s follow from train; %s follow by "+
			"symmetric, inverse or duplicate relations, such as %s, so the metrics are higher than on "+
			"new facts: %s", known, strings.Join(shares, ", "), format.List(follow, "and"), source, fix))
	}
	return warnings
}

// CountOf returns a number of the triples of a split, which has some, with their share.
func CountOf(n, triples int, split string) string {
	return fmt.Sprintf("%s of %s %s triples (%.1f %%)", format.Int(n), format.Int(triples), split,
		100*float64(n)/float64(triples))
}

// Text returns a triple with its labels.
func (g *Graph) Text(t Triple) string {
	return fmt.Sprintf("(%s, %s, %s)", g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail])
}
