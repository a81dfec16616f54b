package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// writeSeconds writes a file of an interrupted ranking in which each triple of some splits has
// rank 2.
func writeSeconds(t *testing.T, file string, splits ...[]datasets.Triple) {
	t.Helper()
	var calls [][][]eval.Ranked
	for _, triples := range splits {
		ranks := make([]eval.Ranked, len(triples))
		for i := range ranks {
			ranks[i] = eval.Ranked{Tail: eval.Rank{Better: 1}, Head: eval.Rank{Better: 1}}
		}
		calls = append(calls, [][]eval.Ranked{ranks})
	}
	must(t, checkpoint.Write(file, calls, nil))
}

func isGone(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", file, err)
	}
}

// TestEvalResumes checks that only the same ranking resumes from a file, and removes it.
func TestEvalResumes(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	object(t, "train --no-eval --dataset world --out", model, quick)
	line := "eval --dataset world --model " + model
	want := object(t, line)
	g := datasets.World()
	c := evalCommand{Model: model, Split: "test"}
	file, err := c.rankingFile(g, &evalSummary{
		Engine: want["engine"].(string), Backend: want["backend"].(string),
	})
	must(t, err)
	writeSeconds(t, file, g.Test)
	has(t, object(t, line, "--split valid"), fields{"test": nil})
	has(t, object(t, line, "--sample 10"), fields{"test.triples": 10})
	_, stderr := succeed(t, line)
	contains(t, stderr, "resuming the ranking in "+file)
	isGone(t, file)
	writeSeconds(t, file, g.Test)
	has(t, object(t, line), fields{"test.both.mrr": .5, "test.triples": len(g.Test)})
	same(t, "a new ranking", object(t, line)["test"], want["test"])
}

// TestTrainResumesRanking checks that the ranking after a training resumes unless a deadline
// limits it, and that the end of the training removes the file.
func TestTrainResumesRanking(t *testing.T) {
	dir := t.TempDir()
	object(t, "train --no-eval --dataset world --out", dir, quick)
	m, err := kge.Load(dir)
	must(t, err)
	g := datasets.World()
	out := &modelOutput{o: &output{Stderr: io.Discard}, folder: dir, key: "a-training"}
	file, err := out.rankingFile()
	must(t, err)
	writeSeconds(t, file, g.Valid, g.Test)
	now := time.Now()
	for d, resumes := range map[*kge.Deadline]bool{
		nil: true, {Began: now, End: now.Add(time.Hour)}: false,
	} {
		report := &kge.Report{Results: []kge.Result{{Model: m}}}
		e, err := evaluate(t.Context(), out, cpu.New(1), g, report, d)
		must(t, err)
		if got := e[0].Valid.Both.MRR == .5 && e[0].Test.Both.MRR == .5; got != resumes {
			t.Errorf("with deadline %v: resumed %t, want %t", d, got, resumes)
		}
	}
	must(t, out.done())
	isGone(t, file)
}

// TestTrainReturnsToItsRanking checks that a training without --out returns to a folder with ranks
// of its model, also if the training was too short for a checkpoint, and that a training in another
// precision, whose model differs, does not use these ranks.
func TestTrainReturnsToItsRanking(t *testing.T) {
	t.Chdir(t.TempDir())
	g := datasets.World()
	const line = "train --dataset world --precision float32"
	first := object(t, line, quick)
	dir := first["out"].(string)
	key := trainingKey(t, dir, g)
	out := &modelOutput{folder: dir, key: key}
	file, err := out.rankingFile()
	must(t, err)
	writeSeconds(t, file, g.Valid, g.Test)
	if timed := object(t, line, "--minutes 1", quick); timed["out"] == dir {
		t.Error("a training with a deadline replaced the model of one without")
	}
	again := object(t, line, quick)
	has(t, again, fields{"out": dir, "test.both.mrr": .5})
	isGone(t, file)
	same(t, "a new training", object(t, line, quick)["test"], first["test"])

	m, err := kge.Load(dir)
	must(t, err)
	m.Training.Settings.Precision = kge.Bfloat16
	must(t, m.Save(dir))
	other, err := out.rankingFile()
	must(t, err)
	if other == file {
		t.Error("models in two precisions share a file")
	}
}

// trainingKey returns the key of the training of a saved model.
func trainingKey(t *testing.T, dir string, g *datasets.Graph) string {
	t.Helper()
	m, err := kge.Load(dir)
	must(t, err)
	key, err := kge.Job{
		Data: completion.Data(g), Settings: m.Training.Settings,
		Members: []kge.Member{m.Training.Member},
	}.Name(cpu.New(1))
	must(t, err)
	return key
}
