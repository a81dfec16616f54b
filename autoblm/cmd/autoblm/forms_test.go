package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestForms trains, ranks, saves, loads and queries a model of every form.
func TestForms(t *testing.T) {
	graph := smallGraph(t)
	for _, f := range form.All()[1:] {
		model := t.TempDir() + "/model"
		trained := object(t, "train --model", f.String(), "--dim 8 --epochs 6 --batch 32 --dataset",
			graph, "--out", model)
		has(t, trained, fields{"model": f.String(), "structure": nil, "engine": "cpu"})
		if number(t, trained, "loss.5") >= number(t, trained, "loss.0") {
			t.Errorf("%v does not learn: %v", f, trained["loss"])
		}
		has(t, object(t, "eval --model", model, "--dataset", graph),
			fields{"model": f.String(), "test": trained["test"]})
		o := object(t, "predict --any --head e00 --relation near --top 0 --model", model,
			"--dataset", graph)
		has(t, o, fields{"answers.#": 37})
		answers := o["answers"].([]any)
		for i := range answers[1:] {
			if number(t, answers[i], "score") < number(t, answers[i+1], "score") {
				t.Errorf("%v: answer %d scores below the next", f, i+1)
			}
		}
	}
	train := "train --dim 8 --dataset " + graph + " --model "
	refuse(t, []refusal{
		{cli.Misuse, "either --structure or --model", train + "transe --structure complex"},
		{cli.Failed, "use engine cpu", train + "q2b --engine gomlx --backend go --sampled-softmax 5 --buckets 8"},
		{cli.Misuse, "transe scores by distances: leave dropout at 0", train + "transe --dropout 0.1"},
		{cli.Misuse, "transe scores by distances: leave products and dura at 0", train + "transe --dura 0.1"},
		{cli.Misuse, "it must divide the number of chunks of transe", train + "transe --n3 0.1 --n3-block 2"},
		{cli.Misuse, `unknown model "translation": use`, train + "translation"},
		{cli.Misuse, "rescal, tucker", train + "translation"},
		{cli.Misuse, `--model has no value "rgcn"; did you mean --encoder rgcn?`, train + "rgcn"},
		{cli.Misuse, "did you mean --encoder compgcn-sub, --encoder compgcn-mult or --encoder compgcn-corr?",
			train + "compgcn"},
		{cli.Misuse, "did you mean --structure complex?", train + "complex"},
		{cli.Misuse, `--structure has no value "transe"; did you mean --model transe?`,
			"train --dataset world --structure transe"},
		{cli.Misuse, "did you mean complex?", "train --dataset world --structure complexx"},
		{cli.Misuse, `unknown model "complex": use`, "search --model complex"},
		{cli.Misuse, `lr is 0: it must be above 0`, train + "transe --lr 0"},
		{cli.Misuse, `--seed is "-1": it must be a whole number from 0 on`, train + "transe --seed -1"},
		{cli.Misuse, `--by: unknown value "foo": use relation, pattern or degree`, "eval --model m --by foo"},
	})
}

// TestBatchNorm trains, ranks, continues and queries models with batch normalization.
func TestBatchNorm(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --model core-2 --batch-norm --reciprocal --no-eval --dim 8 --epochs 4 --batch 32 " +
		"--dataset " + graph + " --out " + dir + "/"
	first := object(t, train+"first --input-dropout 0.1")
	has(t, first, fields{"model": "core-2-normalized"})
	if number(t, first, "loss.3") >= number(t, first, "loss.0") {
		t.Errorf("it does not learn: %v", first["loss"])
	}
	ranked, _ := succeed(t, "eval --dataset", graph, "--model", dir+"/first")
	contains(t, ranked, "core-2-normalized")
	more := object(t, "train --epochs 3 --no-eval --dataset", graph, "--from", dir+"/first --out",
		dir+"/more")
	has(t, more, fields{"model": "core-2-normalized"})
	if after := number(t, more, "loss.0"); after >= number(t, first, "loss.0") {
		t.Errorf("continues with the loss %v after %v", after, first["loss"])
	}
	object(t, "predict --any --head e00 --relation near --model", dir+"/first --dataset", graph)
	refuse(t, []refusal{
		{cli.Misuse, "set reciprocal", strings.Replace(train, "--rec", "--no-rec", 1) + "none"},
		{cli.Misuse, "core-2-normalized has no relation prediction", train + "none --relation-prediction 1"},
		{cli.Misuse, "products and IVR are not defined", train + "none --products 0.1"},
		{cli.Misuse, "gqe has no cores: switch batch-norm off",
			"train --model gqe --batch-norm --reciprocal --dim 8 --dataset " + graph},
		{cli.Misuse, "give --model core-2 --batch-norm", "train --model core-2-normalized --dim 8 --dataset " + graph},
	})
}

// TestTranslated trains, ranks, continues, queries and searches models with translations.
func TestTranslated(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --translate --no-eval --dim 16 --epochs 4 --batch 32 --dataset " + graph + " --out " + dir + "/"
	first := object(t, train+"first --structure bique")
	has(t, first, fields{"model": "translated", "structure": structure.MustParse("bique").String()})
	if number(t, first, "loss.3") >= number(t, first, "loss.0") {
		t.Errorf("it does not learn: %v", first["loss"])
	}
	ranked, _ := succeed(t, "eval --dataset", graph, "--model", dir+"/first")
	contains(t, ranked, "BiQUE, translated")
	more := object(t, "train --epochs 3 --no-eval --dataset", graph, "--from", dir+"/first --out",
		dir+"/more")
	has(t, more, fields{"model": "translated", "structure": first["structure"]})
	if after := number(t, more, "loss.0"); after >= number(t, first, "loss.0") {
		t.Errorf("continues with the loss %v after %v", after, first["loss"])
	}
	object(t, "predict --any --head e00 --relation near --model", dir+"/first --dataset", graph)
	found := object(t, "search --recipe basic --translate --reciprocal --k 8 --dim 8 --epochs 1",
		"--budget 2 --dataset", graph, "--out", dir+"/search")
	has(t, found, fields{"k": 8, "baselines.#": 6})
	refuse(t, []refusal{
		{cli.Misuse, "set reciprocal", train + "none --structure complex --no-reciprocal"},
		{cli.Misuse, "no heads to translate", train + "none --model transe"},
		{cli.Misuse, "translated has no relation prediction",
			train + "none --structure complex --relation-prediction 1"},
		{cli.Misuse, "IVR is for structures and cores without translation, not for translated",
			train + "none --structure complex --ivr 0.1"},
	})
}

// TestSearchForARecipe: a search for a form without structures tries recipes, and resuming with a
// larger budget gives the same trials.
func TestSearchForARecipe(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	search := "search --recipe basic --model transe --dim 8 --epochs 3 --dataset " + graph +
		" --out " + dir
	object(t, search+"/pieces --budget 4")
	pieces, whole := object(t, search+"/pieces --budget 8"), object(t, search+"/whole --budget 8")
	has(t, whole, fields{"best": pieces["best"], "best.#": 8, "baselines.#": 0})
	has(t, pieces, fields{"resumed": 4})
	recipes := map[string]bool{}
	for _, b := range whole["best"].([]any) {
		recipes[asText(t, b)] = true
		has(t, b, fields{"model": "transe", "structure": nil, "dim": 8})
	}
	if len(recipes) != 8 {
		t.Errorf("%d recipes in 8 trials", len(recipes))
	}
	has(t, object(t, "eval --model", dir+"/whole/model", "--dataset", graph),
		fields{"test.both.mrr": get(whole, "best.0.test_mrr")})
	study := dir + "/whole/study.db"
	has(t, object(t, "study best", study, "--out", dir+"/best"),
		fields{"form": "transe", "structure": nil})
	refuse(t, []refusal{
		{cli.Failed, "study show", "report --study " + study + " --out " + dir + "/page.html"},
		{cli.Misuse, "no structure", search + " --tune 3"},
	})
}

// TestBinaryCrossEntropy trains models with binary cross entropy.
func TestBinaryCrossEntropy(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --loss bce --no-eval --dim 8 --epochs 4 --batch 16 --dataset " + graph + " --out " + dir + "/"
	for name, model := range map[string]string{
		"a": "--structure complex", "b": "--model core-1 --batch-norm --optimizer adam --lr 0.01",
		"c": "--structure complex --label-smoothing 0 --dropout 0.1",
	} {
		trained := object(t, train+name, model)
		if number(t, trained, "loss.3") >= number(t, trained, "loss.0") {
			t.Errorf("%s does not learn: %v", model, trained["loss"])
		}
		m, err := kge.Load(dir + "/" + name)
		require.NoError(t, err)
		want := kge.LossFunction{Loss: kge.BCE, LabelSmoothing: 0.1}
		if name == "c" {
			want.LabelSmoothing = 0
		}
		if got := m.Training.Settings.LossFunction; got != want {
			t.Errorf("%s: trained with %+v, want %+v", model, got, want)
		}
	}
	refuse(t, []refusal{
		{cli.Misuse, "set reciprocal", train + "none --no-reciprocal"},
		{cli.Misuse, "bce has no penalties", train + "none --structure complex --n3 0.1"},
		{cli.Misuse, "leave negatives", train + "none --structure complex --sampled-softmax 8"},
		{cli.Misuse, "log-loss or bce", strings.Replace(train, "bce", "mse", 1) + "none"},
	})
}

// trainNeural trains a neural model in four epochs as the first one in a folder, and ranks, explains
// and queries with it without GoMLX.
func trainNeural(t *testing.T, graph, dir, line, model string) {
	t.Helper()
	first := object(t, line)
	has(t, first, fields{"model": model, "engine": "gomlx"})
	if number(t, first, "loss.3") >= number(t, first, "loss.0") {
		t.Errorf("it does not learn: %v", first["loss"])
	}
	native := object(t, "eval --engine cpu --dataset", graph, "--model", dir+"/first")
	has(t, object(t, "eval --engine gomlx --backend go --dataset", graph, "--model", dir+"/first"),
		fields{"test.both.hits10": get(native, "test.both.hits10")})
	object(t, "predict --any --explain 2 --head e00 --relation near --model", dir+"/first --dataset", graph)
}

// TestConvE trains ConvE, and ranks, explains and queries with it without GoMLX.
func TestConvE(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --model conve-2-4-2 --reciprocal --loss bce --optimizer adam --lr 0.01 --dim 8 --no-eval " +
		"--epochs 4 --batch 32 --backend go --dataset " + graph + " --out " + dir + "/"
	trainNeural(t, graph, dir, train+"first --input-dropout 0.1 --dropout 0.1 --feature-dropout 0.1", "conve-2-4-2")
	refuse(t, []refusal{
		{cli.Misuse, "set reciprocal", strings.Replace(train, "--rec", "--no-rec", 1) + "none"},
		{cli.Misuse, "products are not defined", strings.Replace(train, "bce", "log-loss", 1) + "none --products 0.1"},
		{cli.Misuse, "transe has no feature maps",
			"train --model transe --feature-dropout 0.1 --dataset " + graph},
		{cli.Misuse, "smaller than filters", strings.Replace(train, "2-4-2", "8-4-2", 1) + "none"},
		{cli.Failed, "use engine gomlx", strings.Replace(train, "--backend go", "--engine cpu", 1) + "none"},
	})
}

// TestInterstellar trains Interstellar on walks, and ranks and queries with it without GoMLX.
func TestInterstellar(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --model interstellar-3-4-9-1-2-1-1-1-1-1-1 --walk-hops 3 --optimizer adam --lr 0.01 " +
		"--dim 8 --no-eval --epochs 4 --batch 32 --backend go --dataset " + graph + " --out " + dir + "/"
	trainNeural(t, graph, dir, train+"first --input-dropout 0.1 --dropout 0.1 --max-norm 1", "interstellar-3-4-9-1-2-1-1-1-1-1-1")
	refuse(t, []refusal{
		{cli.Misuse, "products are not defined", train + "none --products 0.1"},
		{cli.Misuse, "reads no paths", "train --model transe --walk-hops 3 --dataset " + graph},
		{cli.Misuse, "log-loss of single paths", train + "none --answers-per-query 4 --reciprocal"},
		{cli.Misuse, "a cell has 11 numbers", strings.Replace(train, "-1-2-1", "", 1) + "none"},
		{cli.Misuse, "product with 0", strings.Replace(train, "-3-4-", "-3-13-", 1) + "none"},
		{cli.Failed, "use engine gomlx", strings.Replace(train, "--backend go", "--engine cpu", 1) + "none"},
	})
}

// TestRSN trains RSN on walks, and ranks and queries with it without GoMLX.
func TestRSN(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --model rsn --reciprocal --walk-hops 2 --optimizer adam --lr 0.01 --dim 8 --no-eval " +
		"--epochs 4 --batch 32 --backend go --dataset " + graph + " --out " + dir + "/"
	trainNeural(t, graph, dir, train+"first --dropout 0.1 --max-norm 1", "rsn")
	has(t, object(t, train+"sampled --sampled-softmax 8"), fields{"model": "rsn"})
	both := object(t, "ensemble --all --dataset "+graph, "--out", dir+"/both", dir+"/first", dir+"/sampled")
	has(t, both, fields{"members.#": 2})
	refuse(t, []refusal{
		{cli.Misuse, "rsn learns from random walks", strings.Replace(train, "--walk-hops 2", "--walk-hops 0", 1) + "none"},
		{cli.Misuse, "rsn has no transpose", strings.Replace(train, "--rec", "--no-rec", 1) + "none"},
		{cli.Misuse, "leave input-dropout at 0", train + "none --input-dropout 0.1"},
		{cli.Misuse, "products are not defined", train + "none --products 0.1"},
		{cli.Misuse, "log-loss of single paths", train + "none --negatives 4"},
		{cli.Misuse, "must be a positive multiple of 2", strings.Replace(train, "--dim 8", "--dim 7", 1) + "none"},
		{cli.Failed, "use engine gomlx", strings.Replace(train, "--backend go", "--engine cpu", 1) + "none"},
	})
}
