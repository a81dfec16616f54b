package facts

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// write writes a file into a new folder and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the facts of a file as lines of text.
func read(path string, o Options) (all []string, report Report, err error) {
	report, err = Read(path, o, func(f Fact) error {
		line := fmt.Sprintf("%d: %s|%s|%s", f.Line, f.Head, f.Relation, f.Tail)
		if f.Weight != 1 {
			line += fmt.Sprintf(" w%g", f.Weight)
		}
		if f.Time != "" {
			line += " at " + f.Time
		}
		if f.IsLiteral {
			line += " literal"
		}
		all = append(all, line)
		return nil
	})
	return all, report, err
}

// packed returns content packed by gzip and by zstd, by the ending of the name.
func packed(t *testing.T, content string) map[string]string {
	t.Helper()
	var zipped, small bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(content))
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	s, err := zstd.NewWriter(&small)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte(content)); err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	return map[string]string{".gz": zipped.String(), ".zst": small.String(), "": content}
}

// TestFormats reads the same kinds of facts from every format, by the name and by the content.
func TestFormats(t *testing.T) {
	const prefix = "http://x/"
	for name, c := range map[string]struct {
		content string
		options Options
		want    []string
	}{
		"plain.tsv": {"a\tr\tb\n# note\n\nb\tr\t\"c\"\n", DefaultOptions(),
			[]string{"1: a|r|b", `4: b|r|"c"`}},
		"titles.tsv": {"subject\tpredicate\tobject\tweight\na\tr\tb\t0.5\na\tr\tc\t\n", DefaultOptions(),
			[]string{"2: a|r|b w0.5", "3: a|r|c"}},
		"marked.csv": {"\uFEFFhead;relation;tail\n\"New; York\";in;\"the \"\"US\"\"\"\n# no\na;r;b\n",
			DefaultOptions(), []string{`2: New; York|in|the "US"`, "4: a|r|b"}},
		"two lines.csv": {"a,r,\"b\nc\"\nd,r,e\n", DefaultOptions(), []string{"1: a|r|b c", "3: d|r|e"}},
		"named.csv": {"id,who,what,whom,sure,when\n1,a,r,b,2,2024-01-01\n", Options{Columns: Columns{
			"head": "who", "relation": "what", "tail": "whom", "weight": "sure", "time": "when"}},
			[]string{"2: a|r|b w2 at 2024-01-01"}},
		"numbered.csv": {"b|x|a|r\n", Options{Separator: "|", Columns: Columns{
			"head": "3", "relation": "4", "tail": "1"}}, []string{"1: a|r|b"}},
		"ids.tsv": {"2\t1\t0\n5\t6\t0\n", Options{Columns: Columns{
			"head": "1", "relation": "3", "tail": "2"}}, []string{"1: 2|0|1", "2: 5|0|6"}},
		"weights.csv": {"a,r,b,4\nc,r,d,2\n", Options{Columns: Columns{
			"head": "1", "relation": "2", "tail": "3", "weight": "4"}}, []string{"1: a|r|b w4", "2: c|r|d w2"}},
		"times.csv": {"Subject,Predicate,Object,T\na,r,b,1990\n", DefaultOptions(), []string{"2: a|r|b at 1990"}},
		"years.csv": {"1,who,what,2\n5,a,r,b\n", Options{Columns: Columns{
			"head": "who", "relation": "what", "tail": "2", "time": "1"}}, []string{"2: a|r|b at 5"}},
		"objects.jsonl": {`{"o":"b","s":"a","p":"r","x":1}` + "\n" + `{"s":"a","p":"r","o":3}` + "\n",
			DefaultOptions(), []string{"1: a|r|b", "2: a|r|3"}},
		"arrays.jsonl": {"[\"a\",\"r\",\"b\"]\n[1,\"r\",2]\n", DefaultOptions(),
			[]string{"1: a|r|b", "2: 1|r|2"}},
		"graph.nt": {"<http://x/a> <http://x/r> <http://x/b> .\n# no\n" +
			"_:b1 <http://x/r> \"t\\u00e9xt\"@fr . # and this\n", DefaultOptions(),
			[]string{"1: " + prefix + "a|" + prefix + "r|" + prefix + "b",
				"3: _:b1|" + prefix + "r|téxt literal"}},
		"graph.nq": {"<http://x/a> <http://x/r> <http://x/b> <http://x/g> .\n", DefaultOptions(),
			[]string{"1: " + prefix + "a|" + prefix + "r|" + prefix + "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			for ending, content := range packed(t, c.content) {
				for _, name := range []string{name + ending, "facts"} {
					if name == "facts" && c.options.Columns != nil {
						continue
					}
					got, _, err := read(write(t, name, content), c.options)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("%s (-want +got)\n%s", name, diff)
					}
				}
			}
		})
	}
}

// TestTurtle checks the facts of Turtle, whose lines are about those of the ends of statements.
func TestTurtle(t *testing.T) {
	const content = "@prefix x: <http://x/> .\nx:a x:r x:b , <http://x/c> ;\n  a x:K ; x:age 3 .\n" +
		"[] x:name \"\"\"two\nlines\"\"\"@en .\n"
	for _, name := range []string{"graph.ttl", "graph"} {
		var got []string
		_, err := Read(write(t, name, content), DefaultOptions(), func(f Fact) error {
			got = append(got, fmt.Sprintf("%v %v", f, f.IsLiteral))
			return nil
		})
		want := []string{
			"http://x/a, http://x/r, http://x/b false", "http://x/a, http://x/r, http://x/c false",
			"http://x/a, http://www.w3.org/1999/02/22-rdf-syntax-ns#type, http://x/K false",
			"http://x/a, http://x/age, 3 true", "_:b1, http://x/name, two lines true",
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}

// TestTurtleBase checks that relative IRIs are joined with the base as RFC 3986 says, and that a
// second base is refused.
func TestTurtleBase(t *testing.T) {
	const base = "# of a file\n@base <http://b.org/d/f.ttl> .\n@prefix : <#> .\n@prefix x: <../y/> .\n"
	content := base + "<a> :p </x> .\nx:z <//c.org/é> <?q> .\n<> <http://r> <./b/../ü> .\n"
	got, _, err := read(write(t, "graph.ttl", content), DefaultOptions())
	want := []string{
		"http://b.org/d/a|http://b.org/d/f.ttl#p|http://b.org/x",
		"http://b.org/y/z|http://c.org/é|http://b.org/d/f.ttl?q",
		"http://b.org/d/f.ttl|http://r|http://b.org/d/ü",
	}
	for i, line := range got { // the library reads ahead, so lines are not exact
		_, got[i], _ = strings.Cut(line, ": ")
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for _, more := range []string{
		"BASE <http://c.org>\n<a> <b> <c> .\n", "@base <d/> .\n", "<a> <b> <c> . @base <http://c.org> .\n",
		"<a> <b> \"c\". Base <http://c.org>\n", "@base\n<http://c.org> .\n", "BASE\n<http://c.org>\n",
	} {
		_, _, err := read(write(t, "graph.ttl", base+more), DefaultOptions())
		if err == nil || !strings.Contains(err.Error(), "one base") {
			t.Errorf("%q: %v", more, err)
		}
	}
	names := "@prefix x: <x:> .\n<http://x/base> <x:r> <x:base> . # @base <x:y>\n" +
		"x:db.base <x:r> x:a . _:b.base <x:r> x:base .\nx:a x:base <x:c>.\n"
	if got, _, err := read(write(t, "graph.ttl", names), DefaultOptions()); err != nil || len(got) != 4 {
		t.Errorf("%q: %v, %v", names, got, err)
	}
}

// TestTurtleBlankNodes checks that a blank node without a name is no other node.
func TestTurtleBlankNodes(t *testing.T) {
	content := "_:b1 <x:r> [ <x:s> _:b1, (_:b2) ] ."
	got, _, err := read(write(t, "graph.ttl", content), DefaultOptions())
	names := map[string]bool{}
	for _, line := range got {
		for _, label := range strings.Split(line[3:], "|") {
			if strings.HasPrefix(label, "_:") {
				names[label] = true
			}
		}
	}
	if err != nil || len(names) != 4 { // b1, b2, the node and the list
		t.Errorf("%v, %v", got, err)
	}
}

// TestDamagedTurtle: a read error stays the error of the file, also if the line before it is refused.
func TestDamagedTurtle(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, "@base <http://b.org/> .\n<a> <b> <c> .\n@base <http://c.org/> .")
	require.NoError(t, w.Flush())
	packed.WriteString("\xff\xff") // no block has this type
	_, _, err := read(write(t, "graph.ttl.gz", packed.String()), DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), "corrupt input") {
		t.Errorf("the error is %v", err)
	}
}

// TestTurtleLiterals: literals keep what looks like a blank node, a base or a quote.
func TestTurtleLiterals(t *testing.T) {
	content := "<x:a> <x:says> \"see _:b1 \\\" now\", 'so _:b2' . # it's a comment\n" +
		"<x:a> <x:says> \"\"\"a line\n@base <http://y/> .\n_:b3 \"ends\" \"\"\" .\n<x:it's> <x:r> _:b4 ."
	got, _, err := read(write(t, "graph.ttl", content), DefaultOptions())
	all := strings.Join(got, "\n")
	for _, want := range []string{
		`see _:b1 " now`, "so _:b2", "@base <http://y/> .", " . _:b3 ", "_:named-b4",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q; %v", want, all, err)
		}
	}
}

// TestTurtleEscapes: quotes and number signs in names begin no literal and no comment, so that blank nodes
// after them keep apart.
func TestTurtleEscapes(t *testing.T) {
	content := "@prefix : <x:> .\n_:b1 :name :n .\n:O\\'Reilly :friend _:b1 .\n_:b1 :in :C\\#1 .\n[] :other :z .\n" +
		":a :says \"it's node _:b1 (see _:b2)\" ."
	got, _, err := read(write(t, "graph.ttl", content), DefaultOptions())
	var facts []string
	for _, line := range got {
		_, fact, _ := strings.Cut(line, ": ")
		facts = append(facts, fact)
	}
	want := []string{
		"_:named-b1|x:name|x:n", "x:O'Reilly|x:friend|_:named-b1", "_:named-b1|x:in|x:C#1", "_:b1|x:other|x:z",
		"x:a|x:says|it's node _:b1 (see _:b2) literal",
	}
	if diff := cmp.Diff(want, facts); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// TestTurtleBlankNodesAfterAnything: a named blank node is no other one, whatever is before it.
func TestTurtleBlankNodesAfterAnything(t *testing.T) {
	for _, content := range []string{
		"[] <x:p> <x:a> ._:b1 <x:q> <x:c> .", "[] <x:p> <x:a> . <x:s><x:p>_:b1 .", "[] <x:p> \"a\"._:b1 <x:q> <x:c> .",
		"[] <x:p> <x:a>._:b1 <x:q> <x:c> .",
	} {
		got, _, err := read(write(t, "graph.ttl", content), DefaultOptions())
		if all := strings.Join(got, " "); err != nil || !strings.Contains(all, "_:named-b1") ||
			!strings.Contains(all, "_:b1") {
			t.Errorf("%s: %q, %v", content, got, err)
		}
	}
}

// TestTurtleFiles: a byte-order mark is skipped, an error at the end of a file has its line, and the
// endings of names are those in use.
func TestTurtleFiles(t *testing.T) {
	for _, name := range []string{"graph.ttl", "graph.turtle", "graph.n3"} {
		got, _, err := read(write(t, name, byteOrderMark+"@prefix : <x:> .\n:a :p :b .\n"), DefaultOptions())
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	_, _, err := read(write(t, "graph.ttl", "@prefix : <x:> .\n:a :p :b"), DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), ":2: malformed Turtle: a full stop is missing") {
		t.Errorf("without a full stop: %v", err)
	}
}

// TestLateKeys: a key of JSON lines that appears late is listed, and is an error if it may be the weight.
func TestLateKeys(t *testing.T) {
	early := strings.Repeat(`{"head":"a","relation":"r","tail":"b"}`+"\n", sampled+1)
	_, report, err := read(write(t, "facts.jsonl", early+`{"head":"a","relation":"r","tail":"c","note":1,"year":2}`),
		DefaultOptions())
	if err != nil || !slices.Equal(report.Other, []string{"note", "year"}) || report.Facts != sampled+2 {
		t.Errorf("%+v, %v", report, err)
	}
	path := write(t, "facts.jsonl", early+`{"head":"a","relation":"r","tail":"c","Weight":0.1}`)
	_, _, err = read(path, DefaultOptions())
	if !errors.Is(err, ErrColumns) || !strings.Contains(err.Error(), "weight=Weight") ||
		!strings.Contains(err.Error(), fmt.Sprint(":", sampled+2)) {
		t.Errorf("error %v", err)
	}
	o := DefaultOptions()
	o.Columns = Columns{"weight": "Weight"}
	if got, _, err := read(path, o); err != nil || got[len(got)-1] != "102: a|r|c w0.1" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestCommentedFacts: a comment that may be a fact is counted apart, but not one with titles.
func TestCommentedFacts(t *testing.T) {
	_, report, err := read(write(t, "facts.tsv",
		"#head\trelation\ttail\n# a note\n#1 Dads\tgenre\tcomedy\n\t\t\na\tr\tb\n"), DefaultOptions())
	counts := map[string]int{}
	for _, d := range report.Dropped {
		counts[d.Reason] = d.Count
	}
	if err != nil || counts[Comments] != 3 || counts[CommentedFacts] != 1 {
		t.Errorf("%v, %v", report.Dropped, err)
	}
	o := DefaultOptions()
	o.Partial = true
	_, report, err = read(write(t, "queries.tsv", "a\tr\n#1 Dads\tgenre\n"), o)
	if err != nil || len(report.Dropped) != 1 || report.Dropped[0].Reason != CommentedFacts {
		t.Errorf("%v, %v", report.Dropped, err)
	}
}

// TestParquet reads flat columns, and leaves out nested ones and rows without a label.
func TestParquet(t *testing.T) {
	type row struct {
		Name     string   `parquet:"name"`
		Tags     []string `parquet:"tags"`
		Head     string   `parquet:"head,dict"`
		Relation string   `parquet:"relation,optional"`
		Tail     int64    `parquet:"tail"`
		Weight   float64  `parquet:"weight"`
	}
	path := filepath.Join(t.TempDir(), "facts.parquet")
	err := parquet.WriteFile(path, []row{
		{"x", []string{"p", "q"}, "a", "r", 7, 0.5}, {"y", nil, "b", "", 8, 1},
		{"z", nil, "c", "s", -9, 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, report, err := read(path, DefaultOptions())
	if diff := cmp.Diff([]string{"1: a|r|7 w0.5", "3: c|s|-9 w2"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"name"}, report.Other); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestErrors checks that an error is one line with the file, the line and the fix, and that
// Lenient counts malformed lines instead.
func TestErrors(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"few.tsv":     {"a\tr\tb\na\tr\n", ":2: found 2 fields; other lines have 3"},
		"many.csv":    {"a,r,b\na,r,b,c\n", ":2: found 4 fields"},
		"quote.csv":   {"a,r,b\na,r,\"b\"x\n", ":2: malformed CSV: "},
		"weight.csv":  {"head,relation,tail,weight\na,r,b,x\n", `:2: the weight "x" is not a number`},
		"minus.csv":   {"head,relation,tail,weight\na,r,b,-1\n", `:2: the weight "-1" is not`},
		"latin.tsv":   {"a\tr\t\xe9\n", ":1: the line is not valid UTF-8; save the file"},
		"nul.tsv":     {"a\tr\tb\x00\n", ":1: the line holds a NUL byte"},
		"bad.jsonl":   {"[\"a\",\"r\",\"b\"]\n{\n", ":2: malformed JSON: "},
		"deep.jsonl":  {"[\"a\",\"r\",[]]\n", ":1: a value is an object or an array"},
		"two.jsonl":   {"[\"a\",\"r\",\"b\"] []\n", ":1: more than one JSON value"},
		"end.jsonl":   {"{\"head\":\"a\",\"relation\":\"r\",\"tail\":\"b\"}}]\n", ":1: more than one JSON value"},
		"both.jsonl":  {"[\"a\",\"r\",\"b\"]\n{\"o\":\"b\",\"p\":\"r\",\"s\":\"a\"}\n", ":2: the line is an object, but"},
		"array.jsonl": {"{\"o\":\"b\",\"p\":\"r\",\"s\":\"a\"}\n[\"a\",\"r\",\"b\"]\n", ":2: the line is an array, but"},
		"a.jsonld":    {"{}", ": it is JSON-LD: convert it to N-Triples"},
		"a.owl":       {"<a/>", ": it is XML: convert it to N-Triples"},
		"a.tsv.xz":    {"\xfd7zXZ\x00\x00\x04\xe6", ": it is packed by xz: unpack it"},
		"a.tsv.bz2":   {"BZh91AY&SY\xff\x00", ": it is packed by bzip2: unpack it"},
		"a.zip":       {"PK\x03\x04\x00\xff", ": it is packed by zip: unpack it"},
		"text.jsonl":  {"3\n", ":1: the line is neither an object nor an array"},
		"bad.nt":      {"<x:a> <x:b> <x:c> .\n<x:a> <x:b> .\n", ":2: malformed N-Triples: "},
		"columns.csv": {"a,b,c,d\n", `:1: no column is known to be the head: the columns are "a", "b"`},
		"titled.csv":  {"who,what,whom,id\n", `if these are titles, name them, such as head=who,relation=what,tail=whom`},
		"two.csv":     {"a,b\nb,c\n", `:1: a fact needs three columns, and the columns are "a", "b"`},
		"spaces.tsv":  {"a r b\n", `:1: the line "a r b" is one column: put tabs between`},
		"commas.tsv":  {"a,r,b\n", `:1: the line "a,r,b" is one column: it seems to be of the format csv`},
		"list.json":   {"[\n  {\"head\": \"a\"}\n]\n", ": it is JSON over several lines"},
		"one.json":    {`[["a", "r", "b"], ["b", "r", "c"]]`, ": it is one array of JSON: write each"},
		"one.jsonl":   {`[ {"head": "a", "relation": "r", "tail": "b"} ]`, ": it is one array of JSON"},
		"wide.tsv":    {"\xff\xfea\x00\t\x00", ": it is UTF-16: save it as UTF-8"},
		"wide.txt":    {"\xfe\xff\x00a\x00\t", ": it is UTF-16: save it as UTF-8"},
		"lines.jsonl": {"{\n  \"head\": \"a\"\n}\n", ": it is JSON over several lines"},
		"graph.rdf":   {"<?xml version=\"1.0\"?>\n<rdf:RDF/>\n", ": it is XML: convert it"},
		"keys.jsonl":  {`{"a":1,"b":2,"c":3}`, ":1: no column is known to be the head"},
		"bad.ttl":     {"@prefix x: <http://x/> .\nx:a x:b y:c .\n", ":2: malformed Turtle: "},
		"object.ttl":  {"@prefix x: <http://x/> .\nx:a x:b .\n", ":2: malformed Turtle: there is no object; correct it"},
		"not.parquet": {"PAR1 and nothing else", "damaged Parquet: "},
		"not.csv.gz":  {"\x1f\x8b nothing", "not a gzip file"},
		"short.zst":   {"\x28\xb5\x2f\xfd", "short.zst: "},
		"binary":      {"\x00\x01\x02", "it is neither text nor Parquet"},
	} {
		path := write(t, name, c.content)
		_, _, err := read(path, DefaultOptions())
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %q: want one line with %q", name, err, c.want)
		}
		o := DefaultOptions()
		o.Lenient = true
		_, report, lenient := read(path, o)
		if errors.Is(err, ErrMalformed) && (lenient != nil || len(report.Dropped) != 1 ||
			report.Dropped[0].Reason != Malformed || report.Dropped[0].Example != err.Error()) {
			t.Errorf("%s, lenient: %v, %+v", name, lenient, report)
		}
	}
}

// TestSeparatorOfOtherFormats: a separator without effect is an error.
func TestSeparatorOfOtherFormats(t *testing.T) {
	o := DefaultOptions()
	o.Separator = ";"
	_, _, err := read(write(t, "a.jsonl", `["a","r","b"]`), o)
	if err == nil || !strings.Contains(err.Error(), "the separator is for the format csv, and this is jsonl") {
		t.Error(err)
	}
}

// TestColumnErrors checks the errors of columns that are not in a file.
func TestColumnErrors(t *testing.T) {
	path := write(t, "facts.csv", "who,what,whom\na,r,b\n")
	for column, want := range map[[2]string]string{
		{"head", "woh"}: `no column "woh" for the head: the columns are "who", "what", "whom"`,
		{"head", "4"}:   `no column "4" for the head`,
		{"hed", "who"}:  `hed`,
		{"head", "who"}: "no column is known to be the relation",
	} {
		_, _, err := read(path, Options{Columns: Columns{column[0]: column[1]}})
		if !errors.Is(err, ErrColumns) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v: want %q", column, err, want)
		}
	}
	twice := Columns{"head": "who", "relation": "what", "tail": "who"}
	if _, _, err := read(path, Options{Columns: twice}); !errors.Is(err, ErrColumns) {
		t.Errorf("a column that is head and tail: %v", err)
	}
}

// TestRepeatedRole: a role that is given twice is an error that names it.
func TestRepeatedRole(t *testing.T) {
	var c Columns
	err := c.UnmarshalText([]byte("head=a, head=b"))
	if err == nil || !strings.Contains(err.Error(), `head is given twice, as "a" and "b"`) {
		t.Error(err)
	}
}

// TestUnclosedQuote checks that lines which a quote takes are counted, and where it begins.
func TestUnclosedQuote(t *testing.T) {
	path := write(t, "facts.csv", "a,r,b\nb,r,\"c\nc,r,d\nd,r,e\n")
	_, _, err := read(path, DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), "facts.csv:2: ") ||
		!strings.Contains(err.Error(), "closed wrongly or not before line 4") {
		t.Error(err)
	}
	o := DefaultOptions()
	o.Lenient = true
	facts, report, err := read(path, o)
	if err != nil || len(facts) != 1 || len(report.Dropped) != 2 {
		t.Fatalf("%v, %+v, %v", facts, report, err)
	}
	want := Drop{Unclosed, 2, path + ":3"}
	if report.Dropped[0].Reason != Malformed || report.Dropped[1] != want {
		t.Errorf("%+v, want %+v", report.Dropped, want)
	}
}

// TestChangedLabels checks that tabs and line ends within labels are counted.
func TestChangedLabels(t *testing.T) {
	path := write(t, "facts.csv", "a,r,\"b\nc\"\n\"d\te\",r,\"f\r\ng\"\nh,r,i\n")
	_, report, err := read(path, DefaultOptions())
	if err != nil || !slices.Equal(report.Changed, Drops{{Spaced, 3, path + ":1: b c"}}) {
		t.Errorf("%+v, %v", report.Changed, err)
	}
}
