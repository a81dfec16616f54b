package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/parquet-go/parquet-go"
)

// TestPredictQueries answers a file of queries in all formats, like one query at a time.
func TestPredictQueries(t *testing.T) {
	dir := t.TempDir()
	model := " --model " + dir + "/model"
	object(t, "train --dataset", smallGraph(t), quick, "--out", dir+"/model")
	file := dir + "/queries.tsv"
	must(t, os.WriteFile(file, []byte("e10\tnear\t?\n?\tnear\te10\nnobody\tnear\t\n\n"+
		"e10\tnear\te12\ne10\t?\te12\n"), 0o666))
	for content, says := range map[string]string{
		"":                   "has no queries",
		"a,b,c,d\ne,f,g,h\n": "; use three columns, or titles head, relation and tail",
	} {
		fail(t, cli.Failed, says, "predict --queries", writeFile(t, content, dir, "bad.csv"), model)
	}
	fail(t, cli.Failed, "--queries: ", "predict --queries nosuch.tsv", model)
	ask := "predict --top 3 --queries " + file + model

	var want []any
	for _, flags := range []string{"--head e10 --relation near", "--tail e10 --relation near",
		"--head e10 --relation near --tail e12", "--head e10 --tail e12"} {
		o := object(t, "predict --top 3", flags, model)
		delete(o, "warnings")
		want = append(want, o)
	}
	o := object(t, ask)
	same(t, "one query at a time", o["predictions"], want)

	var rows []row
	for _, o := range o["predictions"].([]any) {
		for _, a := range get(o, "answers").([]any) {
			r := row{Rank: int64(get(a, "rank").(float64)), Score: get(a, "score").(float64),
				Share: get(a, "share").(float64)}
			if p, has := get(a, "probability").(float64); has {
				r.Probability = &p
			}
			for to, part := range map[*string]string{&r.Head: "head", &r.Relation: "relation",
				&r.Tail: "tail"} {
				label := get(o, "query."+part)
				if label == nil {
					label = get(a, map[bool]string{true: "relation", false: "entity"}[part == "relation"])
				}
				*to = label.(string)
			}
			known := get(a, "known").(bool)
			r.Known = &known
			if verdict, has := get(a, "verdict").(bool); has {
				r.Verdict = &verdict
			}
			rows = append(rows, r)
		}
	}
	var fields [][]string
	for _, r := range rows {
		fields = append(fields, r.fields())
	}
	read := map[string]func(text string) ([][]string, error){
		"tsv": func(text string) (read [][]string, err error) {
			for line := range strings.Lines(text) {
				read = append(read, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
			}
			return read[1:], nil
		},
		"csv": func(text string) ([][]string, error) {
			read, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			return read[1:], err
		},
		"jsonl": func(text string) (read [][]string, err error) {
			for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More(); {
				var r row
				if err := decoder.Decode(&r); err != nil {
					return nil, err
				}
				read = append(read, r.fields())
			}
			return read, nil
		},
		"parquet": func(text string) (read [][]string, err error) {
			rows, err := parquet.Read[row](bytes.NewReader([]byte(text)), int64(len(text)))
			for _, r := range rows {
				read = append(read, r.fields())
			}
			return read, err
		},
	}
	for format, read := range read {
		stdout, stderr := succeed(t, ask, "--format", format)
		contains(t, stderr, file+`:3 is skipped: the model has no entity "nobody"`)
		contains(t, stderr, "1 of 5 queries skipped")
		got, err := read(stdout)
		if err != nil || !slices.EqualFunc(got, fields, slices.Equal) {
			t.Errorf("%s: %v (%v), want %v", format, got, err, fields)
		}
	}
	stdout, _ := succeed(t, ask)
	if got := strings.Count(stdout, "\n"); got != len(rows)+2 {
		t.Errorf("the table has %d lines for %d answers:\n%s", got, len(rows), stdout)
	}

	must(t, os.WriteFile(file, []byte("e10\tnear\ne10\n"), 0o666))
	refuse(t, []refusal{
		{cli.Failed, file + ":2: found 1 field;", ask},
		{cli.Misuse, "leave out the flags", ask + " --head e10"},
		{cli.Misuse, "exclude each other", ask + " --json --format csv"},
	})
}

// TestPredictKinds checks the candidates: entities at that end of the relation, all, or a list.
func TestPredictKinds(t *testing.T) {
	dir := t.TempDir()
	graph, model := dir+"/graph", " --model "+dir+"/model"
	must(t, os.Mkdir(graph, 0o777))
	var facts strings.Builder
	for i := range 12 {
		fmt.Fprintf(&facts, "person%[1]d\tlives_in\ttown%[2]d\nperson%[1]d\tknows\tperson%[3]d\n"+
			"person%[1]d\tknows\tperson%[4]d\n", i, i%3, i%5+1, i%4+1)
	}
	must(t, os.WriteFile(graph+"/train.txt", []byte(facts.String()), 0o666))
	object(t, "train --dataset", graph, quick, "--out", dir+"/model")
	names := func(flags string) (names []string) {
		for _, a := range object(t, "predict --top 0", flags, model)["answers"].([]any) {
			names = append(names, get(a, "entity").(string))
		}
		slices.Sort(names)
		return names
	}
	ask := "--head person7 --relation lives_in"
	same(t, "towns", names(ask), []string{"town0", "town1", "town2"})
	if n := len(names(ask + " --any")); n != 15 {
		t.Errorf("%d entities of any kind, want 15", n)
	}
	list := dir + "/list.txt"
	must(t, os.WriteFile(list, []byte("person3\ntown1\n"), 0o666))
	same(t, "list", names(ask+" --among "+list), []string{"person3", "town1"})
	// person5 is known, but nobody knows himself.
	same(t, "loops", names("--head person5 --relation knows"),
		[]string{"person1", "person2", "person3", "person4"})

	o := object(t, "predict --all --top 5 --relation lives_in", model)
	for i, a := range o["answers"].([]any) {
		if get(a, "rank") != float64(i+1) || !strings.HasPrefix(get(a, "tail").(string), "town") {
			t.Errorf("%v", a)
		}
	}
	has(t, o, fields{"answers.#": 5})
	stdout, _ := succeed(t, "predict --all --top 4 --format csv", model) // lives_in is complete
	if strings.Contains(stdout, "lives_in") || strings.Count(stdout, "knows") != 4 {
		t.Error(stdout)
	}
}

// TestEvalByKind checks the second figure of eval: ranks among entities of the right kind.
func TestEvalByKind(t *testing.T) {
	graph, model := smallGraph(t), t.TempDir()+"/model"
	object(t, "train --dataset", graph, quick, "--out", model)
	ask := "eval --split train --dataset " + graph + " --model " + model
	o := object(t, ask) // all true entities are of the right kind
	all, typed := number(t, o, "train.both.mean_rank"), number(t, o, "typed.both.mean_rank")
	has(t, o, fields{"typed.triples": get(o, "train.triples"), "typed.outside": 0})
	if typed >= all {
		t.Errorf("the mean rank is %v among few entities and %v among all", typed, all)
	}
	stdout, _ := succeed(t, ask)
	contains(t, stdout, "right kind")
}

// TestPredictWithoutAnswers: a query without answers says why, and missing triples are found without
// known answers too.
func TestPredictWithoutAnswers(t *testing.T) {
	dir := t.TempDir()
	graph := dir + "/graph"
	must(t, os.Mkdir(graph, 0o777))
	writeFile(t, "a\tr\tb\na\tr\tc\nd\ts\te\n", graph, "train.txt")
	trainSmall(t, graph, dir+"/m", "--validate-every 0 --patience 0")
	ask := "predict --known drop --model " + dir + "/m --relation "
	for flags, want := range map[string]string{
		"r --head a": "have no other entity at that end of the relation; --any compares",
		"s --all":    "no triple of entities of the right kinds is missing; --any compares",
	} {
		_, stderr := succeed(t, ask+flags)
		contains(t, stderr, want)
	}
	found := object(t, "predict --all --any --known keep --top 2 --model "+dir+"/m")
	has(t, found, fields{"answers.1.rank": 2})
}
