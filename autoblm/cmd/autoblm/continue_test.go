package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/google/go-cmp/cmp"
)

// TestMoreEpochsContinue checks that a finished training continues with more epochs: at a constant
// learning rate it gives the bytes of a training with all epochs at once, also after kills.
func TestMoreEpochsContinue(t *testing.T) {
	longTrainings := longTrainings(t)
	for _, name := range []string{"train", "query train"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			line := longTrainings[name] + "--save-every 0s --cooldown 0 --patience 0 "
			more := line + "--epochs 300 --out "
			began := time.Now()
			want := object(t, more, dir+"/once")
			took := time.Since(began)
			object(t, line, "--epochs 100 --out", dir+"/grown")
			_, stderr := succeed(t, line, "--epochs 200 --out", dir+"/grown")
			contains(t, flat(stderr), "continuing the training in "+dir+"/grown after epoch 100 of 200")
			if strings.Contains(stderr, "at once") {
				t.Errorf("a constant rate does not depend on the epochs: %s", stderr)
			}
			rng := rand.New(rand.NewPCG(3, 0))
			for range kills(t, 3) {
				command := startProgram(t, more+dir+"/grown")
				time.Sleep(time.Duration(rng.Int64N(int64(took))))
				_ = command.Process.Kill()
				_ = command.Wait()
				fail(t, cli.Failed, "cannot write the model", line, "--epochs 100 --out", dir+"/grown")
			}
			got := object(t, more, dir+"/grown")
			for _, o := range []map[string]any{got, want} {
				delete(o, "seconds")
				delete(o, "out")
				delete(o, "resumed")
			}
			difference := cmp.Diff(want, got) + cmp.Diff(folder(t, dir+"/once"), folder(t, dir+"/grown"))
			if difference != "" {
				t.Errorf("-once +grown:\n%s", difference)
			}
			if found, _ := filepath.Glob(dir + "/grown/training-*"); len(found) != 1 {
				t.Errorf("%v, want one state", found)
			}
		})
	}
}

// TestStoppedTrainingDoesNotContinue checks that more epochs leave a training that stopped early.
func TestStoppedTrainingDoesNotContinue(t *testing.T) {
	dir := t.TempDir()
	line := "query train --hops 2 --structure complex --dim 8 --cooldown 0 --validate-every 1 " +
		"--patience 1 --dataset " + queries(t) + " --out " + dir + " --epochs "
	first := object(t, line, "100")
	_, stderr := succeed(t, line, "200")
	contains(t, flat(stderr), "stopped early after epoch "+
		format.Int(len(lossesOf(t, first)))+": more epochs do not change it")
}

// TestStopThatDependedOnEpochs refuses more epochs if with them the training had not stopped there.
func TestStopThatDependedOnEpochs(t *testing.T) {
	dir := t.TempDir()
	line := "train --structure simple --dim 8 --no-eval --lr 0.5 --cooldown 0.95 --validate-every 1 " +
		"--patience 1 --dataset " + smallGraph(t) + " --out " + dir + "/model --epochs "
	first := object(t, line, "10")
	before := readFile(t, dir+"/model/config.yaml")
	fail(t, cli.Failed, "stopped early after epoch "+format.Int(len(lossesOf(t, first)))+
		", which depended on its 10 epochs", line, "200")
	same(t, "the settings", readFile(t, dir+"/model/config.yaml"), before)
}

// TestContinuedSchedule checks that a falling learning rate is reported, that a log continues, and
// that trainings which differ otherwise are refused with their differences.
func TestContinuedSchedule(t *testing.T) {
	dir := t.TempDir()
	graph := smallGraph(t)
	line := "train --dataset " + graph + " --structure simple --dim 8 --no-eval --patience 0 " +
		"--cooldown 0.5 --log " + dir + "/log.csv --out " + dir + "/model "
	object(t, line, "--epochs 4")
	_, stderr := succeed(t, line, "--epochs 6")
	contains(t, flat(stderr), "after epoch 4 of 6; its learning rate or last validation depended on "+
		"the 4 epochs, "+
		"so the model may differ from one of 6 epochs at once")
	if rows := strings.Count(readFile(t, dir, "log.csv"), "\n"); rows != 1+6 {
		t.Errorf("the log has %d rows", rows)
	}
	before := readFile(t, dir, "model", "entities.npy")
	for flags, reason := range map[string]string{
		"--epochs 5":             "its training has 6 epochs already",
		"--epochs 6":             "its training has 6 epochs already",
		"--epochs 9 --dim 16":    "more epochs continue its training, but dim 8 there, 16 here",
		"--epochs 9 --n3 0.3":    "more epochs continue its training, but n3 ",
		"--epochs 9 --members 2": "more epochs continue its training, but members 1 there, 2 here; use",
		"--epochs 9 --optimizer": "optimizer adagrad there, adam here",
	} {
		flags = strings.Replace(flags, "--optimizer", "--optimizer adam", 1)
		contains(t, flat(fail(t, cli.Failed, "it has a model (SimplE, d 8, small)", line, flags)), reason)
	}
	// Digests of data and of embeddings would explain nothing.
	fail(t, cli.Failed, "more epochs continue its training, but it began with other embeddings; use", line,
		"--epochs 9 --init-from", dir+"/model")
	writeFile(t, readFile(t, graph, "train.txt")+"new\tnear\te00\n", graph, "train.txt")
	fail(t, cli.Failed, "more epochs continue its training, but it had other data; use", line, "--epochs 9")
	state := writeFile(t, "damaged", dir, "model", stateName)
	fail(t, cli.Failed, state+": the file is damaged", line, "--epochs 9")
	if readFile(t, dir, "model", "entities.npy") != before {
		t.Error("the model was replaced")
	}
}

// TestContinuedValidation checks that a validation which only the last epoch had is reported.
func TestContinuedValidation(t *testing.T) {
	line := "train --dataset " + smallGraph(t) + " --structure simple --dim 8 --no-eval --cooldown 0 " +
		"--validate-every 2 --patience 3 --out " + t.TempDir() + "/model --epochs "
	object(t, line, "3")
	_, stderr := succeed(t, line, "6")
	contains(t, flat(stderr), "last validation depended on the 3 epochs")
}
