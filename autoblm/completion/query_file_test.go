package completion_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
)

func TestReadQueries(t *testing.T) {
	want := []completion.LineQuery{
		{Query: completion.Query{Head: "a b", Relation: "r"}, Line: 1},
		{Query: completion.Query{Relation: "r", Tail: `"c"`}, Line: 3},
		{Query: completion.Query{Head: "d", Tail: "e"}, Line: 4},
		{Query: completion.Query{Head: "d", Relation: "r", Tail: "e"}, Line: 5},
	}
	for name, text := range map[string]string{
		"q.tsv": "\uFEFFa b\tr\n\n?\tr\t\"c\"\r\nd\t\te\nd\tr\te",
		"q.csv": "\uFEFFa b,r\n\n?,r,\"\"\"c\"\"\"\r\nd,,e\nd,r,e\n",
	} {
		got, err := completion.ReadQueries(strings.NewReader(text), name)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v (%v), want %v", name, got, err, want)
		}
	}
	for text, message := range map[string]string{
		"a\tr\nb":        "q.tsv:2: the line has 1 fields",
		"a\tr\tb\tc":     "q.tsv:1: the line has 4 fields",
		"a\tr\n?\tr\t?":  "q.tsv:2: a query needs two",
		"a\xff\tr\tb\tc": "q.tsv:1: ",
	} {
		_, err := completion.ReadQueries(strings.NewReader(text), "q.tsv")
		checkError(t, err, message)
	}
	_, err := completion.ReadQueries(strings.NewReader("a,r,b\na,\"r"), "q.csv")
	checkError(t, err, "q.csv: ", "line 2")
}

// FuzzReadQueries checks that what is read can be written and read again.
func FuzzReadQueries(f *testing.F) {
	f.Add("a\tr\t?\n", false)
	f.Add("a,\"r,\"\"s\"\n?,r,b", true)
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		name := map[bool]string{true: "q.csv", false: "q.tsv"}[isCSV]
		queries, err := completion.ReadQueries(strings.NewReader(text), name)
		if err != nil {
			return
		}
		var again bytes.Buffer
		table := csv.NewWriter(&again)
		for _, q := range queries {
			fields := []string{q.Head, q.Relation, q.Tail}
			if isCSV {
				if err := table.Write(fields); err != nil {
					t.Fatal(err)
				}
			} else {
				again.WriteString(strings.Join(fields, "\t") + "\n")
			}
		}
		table.Flush()
		reread, err := completion.ReadQueries(&again, name)
		sameQuery := func(a, b completion.LineQuery) bool { return a.Query == b.Query }
		if err != nil || !slices.EqualFunc(reread, queries, sameQuery) {
			t.Errorf("%v becomes %v (%v)", queries, reread, err)
		}
	})
}
