package datasets

// Statistics holds the sizes and relation patterns of a graph.
type Statistics struct {
	Name      string `json:"name"`
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	// EntitiesNotInTrain occur in valid or test only, or nowhere.
	EntitiesNotInTrain int `json:"entities_not_in_train"`
	// RelationsNotInTrain occur in valid or test only, or nowhere.
	RelationsNotInTrain int             `json:"relations_not_in_train"`
	Train               SplitStatistics `json:"train"`
	Valid               SplitStatistics `json:"valid"`
	Test                SplitStatistics `json:"test"`
	// InSeveralSplits counts the distinct triples that occur in more than one split.
	InSeveralSplits int `json:"in_several_splits"`
	// Patterns has a row for symmetric, anti-symmetric, general and inverse; the
	// inverse relations are some of the others. See [Patterns].
	Patterns []PatternShare `json:"patterns"`
	// Related has the pairs of relations whose facts imply each other; see [Related].
	Related []RelatedStatistics `json:"related_relations"`
	// LeakedPercent is the share of the test triples that train implies by them, 0 without test.
	LeakedPercent float64 `json:"leaked_percent"`
}

// RelatedStatistics describes two relations whose facts imply each other.
type RelatedStatistics struct {
	Relation string `json:"relation"`
	Partner  string `json:"partner"`
	// Kind is symmetric, inverse or duplicate.
	Kind string `json:"kind"`
	// Facts counts the distinct facts of Relation that Partner shares, and Percent is their share.
	Facts   int     `json:"facts"`
	Percent float64 `json:"percent"`
}

// SplitStatistics holds the counts of one split.
type SplitStatistics struct {
	Triples int `json:"triples"`
	// Duplicates counts the triples that occurred before in the same split.
	Duplicates int `json:"duplicates"`
	// Unseen counts the triples with an entity or relation that train lacks.
	Unseen int `json:"unseen"`
	// InTrain counts the triples of valid or test that train has too.
	InTrain int `json:"in_train"`
	// Implied counts the triples of valid or test whose mirror image or repetition, by related
	// relations, is in train.
	Implied int `json:"implied_by_train"`
	// False counts the false triples that the data give for the split.
	False int `json:"false,omitempty"`
}

// PatternShare counts the relations and test triples with one pattern.
type PatternShare struct {
	Pattern   string `json:"pattern"`
	Relations int    `json:"relations"`
	// TestTriples are the test triples of these relations, duplicates included.
	TestTriples int `json:"test_triples"`
	// TestPercent is their share of all test triples, 0 when there are none.
	TestPercent float64 `json:"test_percent"`
}

// Describe returns the statistics of a graph.
func Describe(g *Graph) Statistics {
	entitySeen, relationSeen := g.inTrain()
	s := Statistics{
		Name:                g.Name,
		Entities:            len(g.Entities),
		Relations:           len(g.Relations),
		EntitiesNotInTrain:  countFalse(entitySeen),
		RelationsNotInTrain: countFalse(relationSeen),
		Patterns:            patternShares(g),
		Related:             []RelatedStatistics{},
	}
	implied := g.implied()
	s.InSeveralSplits = implied.InSeveral
	for i, split := range []struct {
		triples    []Triple
		statistics *SplitStatistics
	}{{g.Train, &s.Train}, {g.Valid, &s.Valid}, {g.Test, &s.Test}} {
		split.statistics.Triples = len(split.triples)
		split.statistics.Duplicates = implied.Duplicates[i]
		for _, t := range split.triples {
			if !entitySeen[t.Head] || !entitySeen[t.Tail] || !relationSeen[t.Relation] {
				split.statistics.Unseen++
			}
		}
	}
	for i, split := range []*SplitStatistics{&s.Valid, &s.Test} {
		leakage := implied.leakageOf(i + 1)
		split.InTrain, split.Implied = leakage.InTrain.Count, leakage.Implied.Count
		split.False = len(g.falses[splitNames[i+1]])
	}
	if len(g.Test) > 0 {
		s.LeakedPercent = 100 * float64(s.Test.Implied) / float64(len(g.Test))
	}
	for _, r := range implied.Related {
		s.Related = append(s.Related, RelatedStatistics{
			g.Relations[r.Relation], g.Relations[r.Partner], r.Kind(), r.Shared, 100 * r.Share,
		})
	}
	return s
}

func patternShares(g *Graph) []PatternShare {
	patterns := Patterns(g)
	tested := make([]int, len(g.Relations))
	for _, t := range g.Test {
		tested[t.Relation]++
	}
	share := func(name string, belongs func(RelationPattern) bool) PatternShare {
		row := PatternShare{Pattern: name}
		for r, pattern := range patterns {
			if belongs(pattern) {
				row.Relations++
				row.TestTriples += tested[r]
			}
		}
		if len(g.Test) > 0 {
			row.TestPercent = 100 * float64(row.TestTriples) / float64(len(g.Test))
		}
		return row
	}
	var rows []PatternShare
	for _, pattern := range []Pattern{Symmetric, AntiSymmetric, General} {
		rows = append(rows, share(pattern.String(), func(p RelationPattern) bool {
			return p.Pattern == pattern
		}))
	}
	return append(rows, share("inverse", func(p RelationPattern) bool { return p.Inverse }))
}

func countFalse(flags []bool) int {
	count := 0
	for _, flag := range flags {
		if !flag {
			count++
		}
	}
	return count
}
