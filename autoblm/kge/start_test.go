package kge

import (
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
