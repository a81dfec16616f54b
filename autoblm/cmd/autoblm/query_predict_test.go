package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// pathModel trains a model on sampled paths of one and two hops.
func pathModel(t *testing.T) (data, model string) {
	t.Helper()
	data, model = queries(t), t.TempDir()+"/model"
	object(t, "query train --structure simple --dim 8 --batch 16 --hops 2 --epochs 4 --dataset", data,
		"--out", model)
	return data, model
}

func TestQueryPredict(t *testing.T) {
	data, model := pathModel(t)
	ask := "query predict --anchor e10 --model " + model + " --path near,next_reverse "
	o := object(t, ask)
	has(t, o, fields{
		"query": map[string]any{"anchor": "e10", "path": []string{"near", "next_reverse"}},
	})
	if len(o) != 3 { // with answers and warnings
		t.Errorf("%v", o)
	}

	// The library answers the same.
	m, err := kge.Load(model)
	must(t, err)
	d, err := query.Open(data)
	must(t, err)
	path := query.Path{Anchor: "e10", Relations: []string{"near", "next_reverse"}}
	want, err := query.Predict(t.Context(), cpu.New(1), m, path, d,
		completion.PredictOptions{Top: 10, Known: eval.MarkKnown})
	must(t, err)
	has(t, o, fields{"answers": want, "answers.#": 10})

	all, kept := object(t, ask, "--top 0"), object(t, ask, "--top 0 --known keep")
	known := 0
	for i, a := range all["answers"].([]any) {
		if get(a, "known") == true {
			known++
		}
		has(t, kept, fields{fmt.Sprintf("answers.%d.known", i): nil})
	}
	n := len(all["answers"].([]any))
	has(t, kept, fields{"answers.#": n})
	has(t, object(t, ask, "--top 0 --known drop --threads 1 --dataset", data),
		fields{"answers.#": n - known})
	if known == 0 {
		t.Error("no answer is known")
	}

	// One relation at a time, and as text.
	same(t, "relation by relation", object(t, "query predict --anchor e10 --model", model,
		"--path near --path next_reverse"), o)
	stdout, stderr := succeed(t, ask, "--top 0")
	contains(t, stdout, "(e10, near ∘ next_reverse, ?)")
	if stderr != "" || strings.Count(stdout, "known\n") != known {
		t.Errorf("%q, %q", stdout, stderr)
	}

	// Paths may be longer than those of the training, and then that is said.
	stdout, stderr = succeed(t, "query predict --path near,near,next --anchor e10 --model", model)
	contains(t, stderr, "has 3 hops, the training of the model had up to 2 hops")
	contains(t, stdout, "near ∘ near ∘ next")
}

// TestQueryPredictTriples: a model for completion answers paths; for one hop like predict.
func TestQueryPredictTriples(t *testing.T) {
	model := " --model " + t.TempDir() + "/model"
	object(t, "train --dataset", smallGraph(t), quick, strings.Replace(model, "--model", "--out", 1))
	entities := func(line string) (names []string) {
		for _, a := range object(t, line, "--top 0", model)["answers"].([]any) {
			names = append(names, asText(t, []any{get(a, "entity"), get(a, "known")}))
		}
		slices.Sort(names) // scores differ by their rounding
		return names
	}
	for path, end := range map[string]string{"near": "head", "near_reverse": "tail"} {
		same(t, path, entities("query predict --anchor e10 --path "+path),
			entities("predict --relation near --"+end+" e10"))
	}
	stdout, stderr := succeed(t, "query predict --anchor e10 --path near,near", model)
	contains(t, stderr, "has 2 hops, the training of the model had up to 1 hop")
	contains(t, stdout, "near ∘ near")
}

// TestQueryKinds: paths lead to entities of the kind of the last relation, which declared types
// widen, and query eval ranks among these too.
func TestQueryKinds(t *testing.T) {
	dir := t.TempDir()
	graph, model, list := dir+"/graph", " --model "+dir+"/model", dir+"/list.txt"
	var facts, types strings.Builder
	for i := range 12 {
		fmt.Fprintf(&facts, "person%[1]d\tlives_in\ttown%[2]d\nperson%[1]d\tknows\tperson%[3]d\n", i,
			i%3, (i+1)%12)
		fmt.Fprintf(&types, "person%d\tperson\n", i)
	}
	for i := range 5 {
		fmt.Fprintf(&types, "town%d\ttown\n", i)
	}
	must(t, os.Mkdir(graph, 0o777))
	writeFile(t, facts.String()+"town3\tnear\ttown4\n", graph, "train.txt")
	writeFile(t, "person0\tlives_in\ttown4\n", graph, "valid.txt")
	writeFile(t, types.String(), graph, "entity2type.txt")
	object(t, "query train --hops 2 --structure simple --dim 8 --epochs 2 --dataset", graph,
		"--out", dir+"/model")
	names := func(flags string) (names []string) {
		ask := object(t, "query predict --top 0 --anchor person7 --path", flags, model)
		for _, a := range ask["answers"].([]any) {
			names = append(names, get(a, "entity").(string))
		}
		slices.Sort(names)
		return names
	}
	towns := []string{"town0", "town1", "town2", "town3", "town4"}
	same(t, "towns", names("knows,lives_in"), towns)
	if n := len(names("knows,lives_in --any")); n != 17 {
		t.Errorf("%d entities of any kind", n)
	}
	writeFile(t, "person3\ntown1\n", list)
	same(t, "a list", names("knows,lives_in --among "+list), []string{"person3", "town1"})
	if slices.Contains(names("knows"), "person7") {
		t.Error("nobody knows himself")
	}
	if !slices.Contains(names("knows,knows_reverse"), "person7") {
		t.Error("a path may return to its anchor")
	}
	object(t, "query sample --hops 2 --count 20 --split train --dataset "+graph+" --out "+dir+"/paths")
	eval := "query eval --hops 2 --split train --dataset " + dir + "/paths" + model
	o := object(t, eval)
	has(t, o, fields{"typed.answers": get(o, "train.answers"), "typed.outside": 0})
	if typed, all := number(t, o, "typed.mean_rank"), number(t, o, "train.mean_rank"); typed >= all {
		t.Errorf("the mean rank is %v among few entities and %v among all", typed, all)
	}
	stdout, _ := succeed(t, eval)
	contains(t, stdout, "right kind")
}

// TestQueryPredictNamesWithCommas: names of relations are not split.
func TestQueryPredictNamesWithCommas(t *testing.T) {
	m := &kge.Model{RelationLabels: []string{"capital, of", "is", "of"}}
	for _, c := range []struct{ flags, want []string }{
		{[]string{"is,of"}, []string{"is", "of"}},
		{[]string{"is", "of,is_reverse"}, []string{"is", "of", "is_reverse"}},
		{[]string{"capital, of"}, []string{"capital, of"}},
		{[]string{"is", "capital, of_reverse", "of"}, []string{"is", "capital, of_reverse", "of"}},
		{[]string{"is,,of"}, []string{"is", "", "of"}},
	} {
		if got := relationsOf(m, c.flags); !slices.Equal(got, c.want) {
			t.Errorf("%q are %q, want %q", c.flags, got, c.want)
		}
	}
	err := checkCommas(m, relationsOf(m, []string{"capital, of,is"}))
	if err == nil || !strings.Contains(err.Error(), "repeat --path for each relation") {
		t.Error(err)
	}
	if err := checkCommas(m, []string{"capital, of_reverse", "is"}); err != nil {
		t.Error(err)
	}
}

// TestQueryPredictSaysWhy: no answers, and entities of any kind, have a reason. A relation that train
// lacks has known answers in the test split.
func TestQueryPredictSaysWhy(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFile(t, "a\tlikes,much\tb\nb\tlikes,much\tc\nc\tlikes,much\ta\n", "g", "train.txt")
	writeFile(t, "a\tknows\td\n", "g", "test.txt")
	object(t, "query train --dataset g --hops 1 --out m", quick)
	predict := "query predict --model m --anchor a --path "
	has(t, object(t, predict+"knows"), fields{
		"answers.#": 1, "answers.0.entity": "d", "answers.0.known": true,
	})
	_, stderr := succeed(t, predict+"knows --known drop")
	contains(t, stderr, "no answer is left: the data have no other entity at that end of the relation; --any")
	writeFile(t, "d\n", "list")
	_, stderr = succeed(t, predict+"knows --known drop --among list")
	contains(t, stderr, "no answer is left: all entities in list are known")

	writeFile(t, readFile(t, "g/train.txt"), "g2", "train.txt")
	_, stderr = succeed(t, predict+"knows --dataset g2")
	contains(t, stderr, "no fact has the relation knows, so all entities are compared")

	if _, stderr = succeed(t, predict+"likes,much"); strings.Contains(stderr, "no fact") {
		t.Error(stderr)
	}
}

func TestQueryPredictRefusals(t *testing.T) {
	data, model := pathModel(t)
	lost := t.TempDir() + "/lost" // a model whose data are gone
	copyFolder(t, lost, model)
	writeFile(t, strings.ReplaceAll(readFile(t, lost, "model.json"), data, data+"-gone"), lost,
		"model.json")
	predict := "query predict --model "
	ask := predict + model + " --anchor e10 --path "
	refuse(t, []refusal{
		{cli.Misuse, "the path is empty", predict + model + " --anchor e10 --path="},
		{cli.Misuse, "--path", predict + model + " --anchor e10"},
		{cli.Misuse, "--anchor", predict + model + " --path near"},
		{cli.Failed, `no relation ""`, ask + "near,"},
		{cli.Failed, `no entity "E10"; did you mean e10?`, predict + model + " --anchor E10 --path near"},
		{cli.Failed, `no relation "nearby"; did you mean near?`, ask + "next,nearby"},
		{cli.Failed, `no relation "nearby_reverse"; did you mean near_reverse?`, ask + "nearby_reverse"},
		{cli.Failed, "it is a data set", predict + data + " --anchor e10 --path near"},
		{cli.Failed, "there is no such folder", predict + model + "-gone --anchor e10 --path near"},
		{cli.Misuse, "forget", ask + "near --known forget"},
		{cli.Failed, "which world mentions", ask + "near --dataset world"},
		{cli.Failed, "find the known answers", predict + lost + " --anchor e10 --path near --known drop"},
	})
	stdout, stderr := succeed(t, predict, lost, "--anchor e10 --path near")
	contains(t, stderr, "not marked", "--dataset")
	contains(t, stdout, "e10")
	if _, stderr := succeed(t, predict, lost, "--anchor e10 --path near --known keep --any"); stderr != "" {
		t.Errorf("without data, which are not needed: %q", stderr)
	}
}
