package facts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuesses: the majority of the first lines decides the format, the separator, the titles and
// the number of fields. A malformed line and a cell of several lines do not change them.
func TestGuesses(t *testing.T) {
	const titles = "head;relation;tail\n"
	facts := strings.Repeat("a;r;b\n", 3)
	want := []string{"a|r|b", "a|r|b", "a|r|b"}
	tabs := strings.NewReplacer(";", "\t")
	for name, c := range map[string]struct {
		content, malformed string // the place and the fault of the malformed line, if any
		want               []string
	}{
		"few fields before titles.csv": {"by hand\n" + titles + facts, ":1: found 1 field;", want},
		"many before titles.csv":       {"1;2;3;4;5;6\n" + titles + facts, ":1: found 6 fields;", want},
		"few after titles.csv":         {titles + "note\n" + facts, ":2: found 1 field;", want},
		"many after titles.csv":        {titles + "a;b;c;d\n" + facts, ":2: found 4 fields;", want},
		"commas in a line.csv":         {titles + "see a, b, c, d\n" + facts, ":2: ", want},
		"stray quote.csv":              {titles + "a;5\" pipe;b\n" + facts, ":2: malformed CSV", want},
		"cell of lines.csv": {titles + "a;r;\"b,\nc,\nd\"\n" + facts, "",
			append([]string{"a|r|b, c, d"}, want...)},
		"title of lines.csv": {"id;\"head\n\";relation;tail\n" +
			strings.ReplaceAll(facts, "a;", "1;a;"), "", want},
		"few before titles.tsv": {tabs.Replace("by hand\n" + titles + facts),
			":1: found 1 field;", want},
		"many before titles.tsv": {tabs.Replace("1;2;3;4\n" + titles + facts),
			":1: found 4 fields;", want},
		"few before tabs":     {tabs.Replace("by hand\n" + titles + facts), ":1: found 1 field;", want},
		"line of JSON before": {"[see below]\n" + titles + facts, ":1: found 1 field;", want},
		"brackets before tabs": {tabs.Replace("[a];r;[b]\n{a};r;{b}\n" + facts), "",
			append([]string{"[a]|r|[b]", "{a}|r|{b}"}, want...)},
		"addresses.csv": {"New York, NY, USA;in;Earth\nSalem, OR, USA;in;Earth\n", "",
			[]string{"New York, NY, USA|in|Earth", "Salem, OR, USA|in|Earth"}},
		"array.jsonl": {"[\"x\"]\n" + strings.Repeat("[\"a\",\"r\",\"b\"]\n", 3),
			":1: found 1 field;", want},
		"object.jsonl": {"{\"h\":\"a\",\"r\":\"r\",\"t\":\"b\"}\n" +
			"{\"h\":\"a\",\"r\":\"r\",\"t\":\"b\",\"w\":2}\n", "",
			[]string{"a|r|b", "a|r|b w2"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := DefaultOptions()
			path := write(t, name, c.content)
			_, _, err := read(path, o)
			if c.malformed != "" && (err == nil || !strings.HasPrefix(err.Error(), path+c.malformed)) {
				t.Errorf("error %v: want %q", err, c.malformed)
			}
			if c.malformed == "" && err != nil {
				t.Error(err)
			}
			o.Lenient = true
			got, report, err := read(path, o)
			for i, line := range got {
				_, got[i], _ = strings.Cut(line, ": ")
			}
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v, %+v (-want +got)\n%s", err, report, diff)
			}
		})
	}
}

// TestGuessOfQueries: most queries of a file may lack a tail, and labels may have a comma.
func TestGuessOfQueries(t *testing.T) {
	o := DefaultOptions()
	o.Partial = true
	for content, want := range map[string][]string{
		"a;r\nb;r\nc;r;d\n": {"1: a|r|", "2: b|r|", "3: c|r|d"},
		"a, b;r;c\n":        {"1: a, b|r|c"},
	} {
		got, _, err := read(write(t, "queries.csv", content), o)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}

// TestSeparatorAsComment: a separator that begins comments is not guessed.
func TestSeparatorAsComment(t *testing.T) {
	o := DefaultOptions()
	o.Comment = ";"
	got, _, err := read(write(t, "facts.csv", "; note\na,r,b\n"), o)
	if diff := cmp.Diff([]string{"2: a|r|b"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}
