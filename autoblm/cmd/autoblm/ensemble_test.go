package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// seeds trains three seeds and keeps them all, and a model of another form.
func seeds(t *testing.T, graph string) (folders []string, other string) {
	t.Helper()
	dir := t.TempDir()
	out, other := filepath.Join(dir, "seeds"), filepath.Join(dir, "other")
	trained := object(t, "train --structure simple --dim 16 --epochs 15 --batch 32 --members 3",
		"--seed 4 --keep-members --dataset", graph, "--out", out)
	for i, member := range trained["members"].([]any) {
		folder := filepath.Join(out, fmt.Sprintf("seed-%d", 4+i))
		has(t, member, fields{"out": folder})
		ranked := object(t, "eval --model", folder, "--dataset", graph)
		same(t, folder, ranked["test"], get(member, "test"))
		folders = append(folders, folder)
	}
	object(t, "train --model transe --dim 8 --epochs 10 --dataset", graph, "--out", other)
	return folders, other
}

func loadEnsemble(t *testing.T, dir string) *completion.Ensemble {
	t.Helper()
	p, err := completion.Load(dir)
	must(t, err)
	return p.(*completion.Ensemble)
}

// TestSeedsSuggestTheirEnsemble checks that a training of several seeds says whose model it keeps, that
// the suggested ensemble can be made, and that a graph of other labels is no graph of the model.
func TestSeedsSuggestTheirEnsemble(t *testing.T) {
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	stdout, _ := succeed(t, "train --structure simple --dim 8 --epochs 2 --members 2 --seed 4 --keep-members",
		"--out m --dataset", graph)
	contains(t, stdout, "The model is that of seed 4, the first.")
	contains(t, flat(strings.ReplaceAll(stdout, "\\\n", "")), " ensemble --dataset "+graph+" m/seed-4 m/seed-5")
	succeed(t, "ensemble --out e --dataset", graph, "m/seed-4 m/seed-5")
	fail(t, cli.Failed, "(leave --dataset out, ", "predict --model m --head e10 --relation near --dataset world")
}

// TestEnsemble selects, saves and uses an ensemble.
func TestEnsemble(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	folders, other := seeds(t, graph)
	out, whole := dir+"/ensemble", dir+"/whole"
	ensemble := "ensemble --dataset " + graph + " " + other + " "
	all := strings.Join(folders, " ")
	made := object(t, ensemble, all, "--folds 3 --out", out)
	members := made["members"].([]any)
	has(t, made, fields{
		"candidates": 4, "out": out, "choice.folds": 3,
		"held_out": get(made, fmt.Sprintf("choice.held_out.%d", len(members)-1)),
	})
	for _, m := range members {
		ranked := object(t, "eval --model", get(m, "folder").(string), "--dataset", graph)
		has(t, m, fields{"test_mrr": get(ranked, "test.both.mrr")})
		if number(t, m, "valid_mrr") > number(t, made, "best.valid_mrr") {
			t.Errorf("%v alone; the best %v", m, made["best"])
		}
	}
	for _, split := range []string{"valid", "test"} {
		ranked := object(t, "eval --model", out, "--dataset", graph, "--split", split)
		has(t, ranked, fields{
			"members": len(members), "structure": nil, "precision": "float32", split: made[split],
		})
	}

	// All of them, whatever their order, and what is there twice once.
	slices.Reverse(folders)
	reversed := out + "-reversed"
	has(t, object(t, ensemble, strings.Join(folders, " "), "--all --out", reversed),
		fields{"members.#": 4, "choice": nil, "held_out": nil})
	stdout, stderr := succeed(t, ensemble, all, folders[0], "--all --out", whole)
	contains(t, stdout, "ensemble of 4", "all models", "--from-ensemble "+whole)
	if strings.Count(stderr, "counts once") != 1 {
		t.Error(stderr)
	}
	first, again := loadEnsemble(t, reversed), loadEnsemble(t, whole)
	same(t, "another order", []any{again.Valid, again.Test}, []any{first.Valid, first.Test})
	entries, err := os.ReadDir(reversed)
	if err != nil || len(entries) != 6 { // with model.json and calibration.json
		t.Errorf("the folder of the ensemble has %v, %v", entries, err)
	}

	// An ensemble stands for its members.
	line := "ensemble --size 1 --dataset " + graph + " --out " + dir + "/part " + whole + " "
	part := object(t, line, folders[1])
	has(t, part, fields{"candidates": 4, "members.#": 1})
	stdout, stderr = succeed(t, line, whole)
	contains(t, flat(stderr), whole+" repeats 4 models of "+whole+"; each counts once")
	if strings.Contains(stdout, "No other model improves") {
		t.Errorf("the size is the reason: %q", stdout)
	}

	// It is asked as a model is, and text says what it is.
	o := object(t, "predict --any --head e10 --relation near --top 0 --model", whole)
	g := enginetest.Graph()
	predicted, err := again.Predict(g, completion.Query{Head: "e10", Relation: "near"},
		completion.PredictOptions{Known: eval.MarkKnown, AnyKind: true})
	must(t, err)
	for i := range predicted { // shares are of float32
		predicted[i].Share = get(o, fmt.Sprintf("answers.%d.share", i)).(float64)
	}
	has(t, o, fields{"answers": predicted, "answers.#": len(g.Entities)})
	stdout, _ = succeed(t, "eval --by relation --model", whole, "--dataset", graph)
	contains(t, stdout, "an ensemble of 4 models", "near")
	stdout, stderr = succeed(t, ensemble, all, "--out", out)
	contains(t, stdout, "held out", "saved in", out, "selected from 4")
	if strings.Count(stderr, "\n") != countWarnings(stderr) || !strings.Contains(stderr, "follow from train") {
		t.Errorf("more than the warning of the data: %q", stderr)
	}
}

// specialists writes a graph of two relations, and two models. Each knows one relation and learned
// false triples of the other.
func specialists(t *testing.T) (graph string, folders []string) {
	t.Helper()
	const entities = 40
	g := &datasets.Graph{Name: "two", Relations: []string{"left", "right"}}
	for i := range int32(entities) {
		g.Entities = append(g.Entities, fmt.Sprintf("e%d", i))
		g.Train = append(g.Train, datasets.Triple{Head: i, Relation: 0, Tail: (7*i + 3) % entities},
			datasets.Triple{Head: i, Relation: 1, Tail: (11*i + 5) % entities})
	}
	g.Valid, g.Test = g.Train, g.Train[:20]
	dir := t.TempDir()
	must(t, datasets.WriteFolder(g, dir+"/graph"))
	engine := cpu.New(1)
	defer engine.Close()
	for i, name := range []string{"complex", "simple"} {
		one := &datasets.Graph{
			Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: slices.Clone(g.Train),
		}
		for n, f := range one.Train {
			if f.Relation != int32(i) {
				one.Train[n].Tail = (f.Tail + 1) % int32(len(g.Entities))
			}
		}
		s := kge.DefaultSettings()
		s.Dim, s.Batch = 32, 16
		report, err := kge.Train(t.Context(), engine, kge.Job{
			Data: completion.Data(one), Settings: s,
			Members: []kge.Member{kge.DefaultMember(structure.MustParse(name))},
		})
		must(t, err)
		folder := filepath.Join(dir, name)
		must(t, report.Results[0].Model.Save(folder))
		folders = append(folders, folder)
	}
	return dir + "/graph", folders
}

// TestEnsembleByRelation makes an ensemble with weights for each relation where they help, and one
// with equal weights where they do not.
func TestEnsembleByRelation(t *testing.T) {
	graph, folders := specialists(t)
	dir, both := t.TempDir(), strings.Join(folders, " ")
	out, plain := dir+"/weighed", dir+"/plain"
	made := object(t, "ensemble --by relation --dataset", graph, "--out", out, both)
	has(t, made, fields{
		"choice": nil, "members.#": 2, "weights.triples": 80, "weights.by_relation.left.#": 2,
		"weights.by_relation.right.#": 2, "held_out": get(made, "weights.held_out"),
	})
	equal := object(t, "ensemble --dataset", graph, "--out", plain, both)
	all := dir + "/all"
	object(t, "ensemble --all --dataset", graph, "--out", all, both)
	has(t, equal, fields{"weights": nil})
	ranked := object(t, "eval --model", out, "--dataset", graph)
	same(t, "the folder", ranked["test"], made["test"])
	if better, worse := number(t, made, "test.both.mrr"), number(t, equal, "test.both.mrr"); better < worse+.05 {
		t.Errorf("test MRR %v with weights by relation, %v with equal ones", better, worse)
	}
	if number(t, made, "held_out") < number(t, made, "weights.equal") {
		t.Errorf("the weights are kept, but not better: %v", made["weights"])
	}
	succeed(t, "predict --head e3 --relation left --model", out)
	stdout, _ := succeed(t, "ensemble --verbose --by relation --dataset", graph, "--out", out, both)
	contains(t, stdout, "weights by relation", "Weights of 2 relations", "held-out MRR",
		"weights of the members", "right")

	// Neither replaces the other, though the members are the same.
	refuse(t, []refusal{
		{cli.Failed, "cannot write the ensemble to " + out,
			"ensemble --all --dataset " + graph + " --out " + out + " " + both},
		{cli.Failed, "cannot write the ensemble to " + all,
			"ensemble --by relation --dataset " + graph + " --out " + all + " " + both},
	})

	// Two trainings of one model are alike: what little differs is not worth weights.
	alike := smallGraph(t)
	seeds, _ := seeds(t, alike)
	made = object(t, "ensemble --all --by relation --dataset", alike, "--out", dir+"/alike", seeds[0], seeds[1])
	equal = object(t, "ensemble --all --dataset", alike, "--out", dir+"/equal", seeds[0], seeds[1])
	isKept := get(made, "weights.shared") != nil
	if ranked := number(t, equal, "valid.both.mrr"); isKept != (number(t, made, "weights.held_out") > ranked) {
		t.Errorf("%v; MRR %v with equal weights", made["weights"], ranked)
	}

	few := ensembleSummary{Weights: &completion.RelationWeights{Shared: []float64{.4, .6}}}
	contains(t, few.weightsNote(), "Weights that all relations share")
}

func TestEnsembleRefusals(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	folders, other := seeds(t, graph)
	all, one := strings.Join(folders, " "), folders[0]
	object(t, "ensemble --all --dataset", graph, "--out", dir+"/ensemble", all)
	object(t, "train --dataset world --out", dir+"/world", quick)
	copyFolder(t, dir+"/torn", dir+"/ensemble")
	inside, err := filepath.Glob(dir + "/torn/member-*/entities.npy")
	if err != nil || len(inside) != 3 {
		t.Fatal(inside, err)
	}
	must(t, os.Remove(inside[1]))
	noValid := *enginetest.Graph()
	noValid.Valid = nil
	must(t, datasets.WriteFolder(&noValid, dir+"/no-valid"))
	must(t, os.Mkdir(dir+"/empty", 0o755))
	ensemble := "ensemble --dataset " + graph + " --out " + dir + "/new "
	const torn = "a member of the ensemble"
	for _, r := range []refusal{
		{cli.Misuse, "model", ensemble},
		{cli.Misuse, "needs two models", ensemble + other},
		{cli.Misuse, "needs two models", ensemble + other + " " + other},
		{cli.Failed, "no model.json", ensemble + one + " " + dir + "/empty"},
		{cli.Failed, "only one of them has the entity", ensemble + one + " " + dir + "/world"},
		{cli.Failed, one + " and " + dir + "/world", ensemble + one + " " + dir + "/world"},
		{cli.Failed, torn, ensemble + one + " " + dir + "/torn"},
		{cli.Failed, filepath.Base(filepath.Dir(inside[1])), ensemble + one + " " + dir + "/torn"},
		{cli.Failed, torn, "eval --model " + dir + "/torn --dataset " + graph},
		{cli.Failed, torn, "predict --head e10 --relation near --model " + dir + "/torn"},
		{cli.Failed, "no valid triples to rank (--all uses all models",
			"ensemble --dataset " + dir + "/no-valid --out " + dir + "/new " + one + " " + other},
		{cli.Misuse, "float32 or auto",
			"eval --precision bfloat16 --model " + dir + "/ensemble --dataset " + graph},
		{cli.Failed, "ensemble of 3 models",
			"query predict --anchor e10 --path near --model " + dir + "/ensemble"},
		{cli.Failed, dir + "/ensemble", "classify predict --node e10 --model " + dir + "/ensemble"},
		{cli.Failed, "nobody", "predict --head nobody --relation near --model " + dir + "/ensemble"},
	} {
		stderr := fail(t, r.status, r.text, r.line)
		if _, err := os.Stat(dir + "/new"); err == nil || strings.Count(stderr, "\n") > 2+countWarnings(stderr) {
			t.Fatalf("%s: something was made, or %q", r.line, stderr)
		}
	}
	failInterrupted(t, "interrupted before there was a result to save", ensemble, all)
	o := object(t, "ensemble --all --dataset", dir+"/no-valid --out", dir+"/blind", one, other)
	has(t, o, fields{"valid": nil, "best": nil, "members.#": 2})
	if o["test"] == nil {
		t.Errorf("without validation: %v", o)
	}
}

// TestEnsembleOnOtherData checks that metrics on other data than those of the models say so, and that
// the suggested commands use the same data.
func TestEnsembleOnOtherData(t *testing.T) {
	graph := smallGraph(t)
	folders, _ := seeds(t, graph)
	t.Chdir(t.TempDir())
	part := *enginetest.Graph()
	part.Train, part.Test = part.Train[:len(part.Train)-1], nil
	must(t, datasets.WriteFolder(&part, "part"))
	stdout, stderr := succeed(t, "ensemble --all --dataset part --out e", folders[0], folders[1])
	contains(t, flat(stderr), "trained on other data, "+graph)
	contains(t, stdout, "--dataset part\n")
	if strings.Contains(stdout, " eval ") {
		t.Errorf("there are no test triples to evaluate on: %q", stdout)
	}
}

// TestHeldOutNote checks that the summary names the triples of a held-out MRR.
func TestHeldOutNote(t *testing.T) {
	s := ensembleSummary{Valid: &completion.Evaluation{Triples: 3034}, Choice: &completion.Choice{}}
	s.Choice.Folds = 5
	contains(t, s.heldOutNote(), "when each of 5 parts is left out")
	s.Choice.Triples = 500
	contains(t, s.heldOutNote(), "when each of 5 parts of a sample of 500 triples is left out")
}
