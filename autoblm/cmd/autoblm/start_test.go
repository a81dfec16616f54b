package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// lossesOf returns the losses of the epochs of a training.
func lossesOf(t *testing.T, trained any) (losses []float64) {
	t.Helper()
	for _, x := range get(trained, "loss").([]any) {
		losses = append(losses, x.(float64))
	}
	return losses
}

// TestTrainFrom continues a training, on its data and on data with a new entity and relation.
func TestTrainFrom(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	first := object(t, "train --structure complex --dim 16 --epochs 30 --patience 0 --validate-every 0",
		"--no-eval --dataset", graph, "--out", dir+"/first")
	before := lossesOf(t, first)
	more := object(t, "train --epochs 3 --no-eval --dataset", graph, "--from", dir+"/first --out",
		dir+"/more")
	has(t, more, fields{"structure": first["structure"], "dim": 16, "start.entities": get(more,
		"start.all_entities"), "start.relations": get(more, "start.all_relations")})
	after := lossesOf(t, more)
	if last := before[len(before)-1]; after[0] > last || after[2] > 1.1*last {
		t.Errorf("the losses %v continue those of %v", after, before)
	}

	const alike = "so they stay equal: leave out --members"
	line := "train --epochs 1 --no-eval --dataset " + graph + " --from " + dir + "/first --members 2 --out " + dir
	fail(t, cli.Misuse, alike, line+"/alike")
	object(t, line+"/random", "--dropout 0.1")

	train := readFile(t, graph, "train.txt")
	entity := strings.Split(train, "\t")[0]
	writeFile(t, train+entity+"\tnew-relation\tnew-entity\n", graph, "train.txt")
	// The old model ranks what it knows.
	old := object(t, "eval --split train --model", dir+"/first --dataset", graph)
	has(t, old, fields{"unknown.train": 1, "unknown.test": 0,
		"train.triples": strings.Count(train, "\n")})
	stdout, _ := succeed(t, "eval --split train --model", dir+"/first --dataset", graph)
	contains(t, flat(stdout), "1 triple more cannot be ranked", "train --from")
	_, stderr := succeed(t, "predict --relation", strings.Split(train, "\t")[1], "--head", entity,
		"--model", dir+"/first --dataset", graph)
	contains(t, flat(stderr), "the model lacks labels of 1 triple of the data")
	// It learns the new labels alone, without being trained again.
	folded := object(t, "eval --fold-in --split train --model", dir+"/first --dataset", graph)
	has(t, folded, fields{"unknown": nil, "train.triples": strings.Count(train, "\n") + 1})
	asked := "predict --head " + entity + " --relation new-relation --model " + dir + "/first "
	fail(t, cli.Failed, "has no relation", asked, "--dataset", graph)
	about := "predict --head new-entity --relation next --model " + dir + "/first --dataset "
	fail(t, cli.Failed, "facts of it, from which --fold-in learns it", about, graph)
	writeFile(t, train, dir, "old/train.txt")
	if stderr := fail(t, cli.Failed, "has no entity", about, dir+"/old"); strings.Contains(stderr, "fold-in") {
		t.Errorf("old data has nothing to learn from: %q", stderr)
	}
	for _, known := range []string{"mark", "keep"} {
		found := object(t, asked, "--fold-in --top 1 --any --known", known, "--dataset", graph)
		has(t, found, fields{"answers.0.entity": "new-entity"})
	}
	grown := object(t, "train --epochs 2 --no-eval --dataset", graph, "--from", dir+"/first --out",
		dir+"/grown")
	all := number(t, grown, "start.all_entities")
	has(t, grown, fields{"start.entities": all - 1,
		"start.relations": number(t, grown, "start.all_relations") - 1})
	if got := lossesOf(t, grown); got[0] > 1.2*before[len(before)-1] {
		t.Errorf("with a new triple the loss is %v after %v", got, before)
	}
	// New labels are in the model, and what was learnt is still there.
	succeed(t, "predict --relation new-relation", "--head "+entity, "--model", dir+"/grown")
}

// TestTrainInitFrom begins with embeddings of other programs.
func TestTrainInitFrom(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "train --structure complex --dim 8 --epochs 1 --no-eval --dataset " + graph + " --out " +
		dir + "/"
	succeed(t, train+"whole", "--epochs 20")
	succeed(t, "model export --format word2vec --model", dir+"/whole", "--out", dir+"/vectors")
	entities := filepath.Join(dir, "vectors", "entities.txt")
	begun := object(t, train+"begun", "--init-from", entities, "--init-from", dir+"/vectors/relations.txt")
	has(t, begun, fields{"start.entities": get(begun, "start.all_entities"),
		"start.relations": get(begun, "start.all_relations")})
	some := strings.Join(strings.Split(readFile(t, entities), "\n")[1:4], "\n")
	has(t, object(t, train+"some", "--init-from", writeFile(t, some, dir, "some.vec")),
		fields{"start.entities": 3, "start.relations": 0})
	odd := writeFile(t, some, dir, "a,#].vec") // its name has signs of YAML
	has(t, object(t, train+"odd", "--init-from", odd), fields{"start.entities": 3})
	has(t, object(t, train+"again", "--config", dir+"/odd/config.yaml"), fields{"start.entities": 3})
	fail(t, cli.Misuse, "choose the same model and dimension", train+"none", "--dim 4 --init-from", entities)
	fail(t, cli.Failed, "--init-from: ", train+"none", "--init-from", dir+"/nosuch.vec")
	fail(t, cli.Misuse, "none of the labels", train+"none", "--init-from",
		writeFile(t, "stranger 1 2 3 4 5 6 7 8\n", dir, "strange.vec"))
	fail(t, cli.Misuse, "--from", train+"none", "--from", dir+"/whole", "--init-from", entities)
}
