package datasets

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDescribeCounts(t *testing.T) {
	g := &Graph{
		Name:      "small",
		Entities:  []string{"a", "b", "c", "d"},
		Relations: []string{"near", "above", "beside"},
		Train:     []Triple{{0, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 2}},
		Valid:     []Triple{{0, 0, 1}, {0, 0, 1}, {3, 0, 1}, {3, 0, 1}, {3, 0, 1}},
		Test:      []Triple{{0, 0, 1}, {3, 0, 1}, {0, 2, 1}, {2, 1, 1}},
	}
	want := Statistics{
		Name: "small", Entities: 4, Relations: 3, EntitiesNotInTrain: 1, RelationsNotInTrain: 1,
		Train:           SplitStatistics{Triples: 5, Duplicates: 1},
		Valid:           SplitStatistics{Triples: 5, Duplicates: 3, Unseen: 3, InTrain: 2},
		Test:            SplitStatistics{Triples: 4, Unseen: 2, InTrain: 1},
		InSeveralSplits: 2, // (a, near, b) in all three, (d, near, b) in valid and test
		Patterns: []PatternShare{
			{Pattern: "symmetric", Relations: 1, TestTriples: 2, TestPercent: 50},
			{Pattern: "anti-symmetric", Relations: 1, TestTriples: 1, TestPercent: 25},
			{Pattern: "general", Relations: 1, TestTriples: 1, TestPercent: 25},
			{Pattern: "inverse"},
		},
		Related: []RelatedStatistics{},
	}
	if diff := cmp.Diff(want, Describe(g)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDescribeWithoutTest(t *testing.T) {
	g := &Graph{Entities: []string{"a", "b"}, Relations: []string{"r"}, Train: []Triple{{0, 0, 1}}}
	for _, row := range Describe(g).Patterns {
		if row.TestPercent != 0 {
			t.Errorf("%s: %v percent of no test triples, want 0", row.Pattern, row.TestPercent)
		}
	}
}

func TestDescribeRelations(t *testing.T) {
	g := &Graph{
		Entities:  []string{"a", "b", "c"},
		Relations: []string{"never", "near", "over", "under", "lately"},
		Train:     []Triple{{0, 1, 1}, {1, 1, 0}, {1, 1, 0}, {0, 2, 1}, {1, 3, 0}},
		Valid:     []Triple{{0, 1, 2}, {2, 3, 1}},
		Test:      []Triple{{2, 4, 0}, {1, 3, 2}},
	}
	want := []RelationStatistics{
		{"near", 3, 1, 0, "symmetric", &Fact{"a", "near", "b"}},
		{"under", 1, 1, 1, "inverse", &Fact{"b", "under", "a"}},
		{"over", 1, 0, 0, "inverse", &Fact{"a", "over", "b"}},
		{"lately", 0, 0, 1, "general", &Fact{"c", "lately", "a"}},
		{"never", 0, 0, 0, "general", nil},
	}
	for top, n := range map[int]int{-1: 5, 0: 5, 2: 2, 9: 5} {
		if diff := cmp.Diff(want[:n], DescribeRelations(g, top)); diff != "" {
			t.Errorf("top %d (-want +got)\n%s", top, diff)
		}
	}
}
