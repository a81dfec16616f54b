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
	// inverse relations are some of the general ones. See [Patterns].
	Patterns []PatternShare `json:"patterns"`
}

// SplitStatistics holds the counts of one split.
type SplitStatistics struct {
	Triples int `json:"triples"`
	// Duplicates counts the triples that occurred before in the same split.
	Duplicates int `json:"duplicates"`
	// Unseen counts the triples with an entity or relation that train lacks.
	Unseen int `json:"unseen"`
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
	}
	splitsWith := make(map[Triple]uint8) // a bit for each split that has the triple
	for i, split := range []struct {
		triples    []Triple
		statistics *SplitStatistics
	}{{g.Train, &s.Train}, {g.Valid, &s.Valid}, {g.Test, &s.Test}} {
		split.statistics.Triples = len(split.triples)
		bit := uint8(1) << i
		for _, t := range split.triples {
			before := splitsWith[t]
			splitsWith[t] = before | bit
			switch {
			case before&bit != 0:
				split.statistics.Duplicates++
			case before != 0 && before&(before-1) == 0: // exactly one other split so far
				s.InSeveralSplits++
			}
			if !entitySeen[t.Head] || !entitySeen[t.Tail] || !relationSeen[t.Relation] {
				split.statistics.Unseen++
			}
		}
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
