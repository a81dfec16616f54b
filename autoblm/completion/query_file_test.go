package completion_test

import (
	"os"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/datasets/facts"
)

// TestReadQueries reads the same queries in the formats of facts.
func TestReadQueries(t *testing.T) {
	want := []completion.Query{
		{Head: "a b", Relation: "r"}, {Relation: "r", Tail: `"c"`}, {Head: "d", Tail: "e"},
		{Head: "d", Relation: "r", Tail: "e"},
	}
	read := func(name, text string) ([]completion.LineQuery, error) {
		t.Helper()
		path := t.TempDir() + "/" + name
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		queries, report, err := completion.ReadQueries(path)
		if len(report.Dropped) > 1 || len(report.Dropped) == 1 && report.Dropped[0].Reason != facts.Comments {
			t.Errorf("%s: dropped %v", name, report.Dropped)
		}
		return queries, err
	}
	lines := []int{1, 3, 4, 5}
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"q.tsv": {"\uFEFFa b\tr\n\n?\tr\t\"c\"\r\nd\t\te\nd\tr\te", lines},
		"q.txt": {"# asked\na b\tr\t?\n?\tr\t\"c\"\nd\t?\te\nd\tr\te", []int{2, 3, 4, 5}},
		"q.csv": {"\uFEFFa b;r;?\n# next\n?;r;\"\"\"c\"\"\"\r\nd;;e\nd;r;e\n", lines},
		"r.csv": {"subject,predicate,object\na b,r,\n?,r,\"\"\"c\"\"\"\nd,,e\nd,r,e\n", []int{2, 3, 4, 5}},
		"q.jsonl": {`{"relation":"r","head":"a b"}` + "\n\n" + `{"tail":"\"c\"","relation":"r","head":null}` +
			"\n" + `{"head":"d","tail":"e"}` + "\n" + `{"head":"d","relation":"r","tail":"e"}`, lines},
	} {
		got, err := read(name, c.text)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %v (%v), want %v", name, got, err, want)
			continue
		}
		for i, q := range got {
			if q.Query != want[i] || q.Line != c.lines[i] {
				t.Errorf("%s: query %d is %v, want %v in line %d", name, i, q, want[i], c.lines[i])
			}
		}
	}
	for text, message := range map[string]string{
		"a\tr\nb":        "q.tsv:2: found 1 field;",
		"a\tr\tb\nc\tr":  "",
		"a\tr\tb\tc":     "q.tsv:1: no column is known to be the head",
		"a\tr\n?\tr\t?":  "q.tsv:2: a query needs two",
		"a\xff\tr\tb\tc": "q.tsv:1: ",
	} {
		_, err := read("q.tsv", text)
		if message == "" && err != nil {
			t.Error(err)
		} else if message != "" {
			checkError(t, err, message)
		}
	}
	_, err := read("q.csv", "a,r,b\na,\"r")
	checkError(t, err, "q.csv:2: ")
}
