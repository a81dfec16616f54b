package kge

import (
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestStartSpaces checks that only words of word2vec stand for labels with spaces: in other tables
// "New_York" is another entity than "New York".
func TestStartSpaces(t *testing.T) {
	table := LabelledTable{
		Name: "entities", Labels: []string{"New_York", "Rome"}, Columns: 1, Numbers: []float32{1, 2},
	}
	words := table
	words.Words = true
	to := labelledTable{"entities", "entity", []string{"New York", "Rome"}, 1, 1, 1}
	for _, from := range []LabelledTable{table, words} {
		rows, err := NewStart([]LabelledTable{from}, 0).rows(to)
		require.NoError(t, err)
		if isFound := rows[0] != nil; isFound != from.Words || rows[1] == nil {
			t.Errorf("words %t: %v", from.Words, rows)
		}
	}
	if NewStart([]LabelledTable{table}, 0).digest == NewStart([]LabelledTable{words}, 0).digest {
		t.Error("starts with different rows have the same digest")
	}
}

// TestStartTables checks that a label may have its embedding in any table of a name, and that a word
// stands for every kind of white space.
func TestStartTables(t *testing.T) {
	table := func(label string, x float32) LabelledTable {
		return LabelledTable{
			Name: "entities", Labels: []string{label}, Columns: 1, Numbers: []float32{x}, Words: true,
		}
	}
	from := []LabelledTable{table("a_b", 1), table("c_d", 2), table("a_b", 3)}
	to := labelledTable{"entities", "entity", []string{"a\u00a0b", "c\u3000d", "e"}, 1, 1, 1}
	rows, err := NewStart(from, 0).rows(to)
	require.NoError(t, err)
	if len(rows[0]) != 1 || rows[0][0] != 1 || len(rows[1]) != 1 || rows[1][0] != 2 || rows[2] != nil {
		t.Errorf("%v", rows)
	}
}

// TestFrozenStartNeedsAdagrad: with another optimizer, frozen embeddings would change.
func TestFrozenStartNeedsAdagrad(t *testing.T) {
	start, s := NewStart(nil, 0).Freeze(), DefaultSettings()
	if err := start.check(s); err != nil {
		t.Error(err)
	}
	s.Optimizer = Adam
	if err := start.check(s); err == nil || !strings.Contains(err.Error(), "needs the optimizer adagrad, not adam") {
		t.Errorf("%v", err)
	}
}

// TestStartRefuses: numbers of other rows, or that are not finite, begin no training.
func TestStartRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for want, numbers := range map[string][]float32{
		"3 numbers, but 2 labels times 2 columns": {1, 2, 3},
		"the number NaN in the row of \"b\"":      {1, 2, 3, nan},
		"the number +Inf in the row of \"a\"":     {1, float32(math.Inf(1)), 3, 4},
	} {
		start := NewStart([]LabelledTable{{
			Name: "entities", Labels: []string{"a", "b"}, Columns: 2, Numbers: numbers,
		}}, 0)
		require.Error(t, start.check(DefaultSettings()), want)
	}
}
