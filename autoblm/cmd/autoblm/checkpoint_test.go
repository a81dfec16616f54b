package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/google/go-cmp/cmp"
)

// longTrainings are commands that train for some tenths of a second.
func longTrainings(t *testing.T) map[string]string {
	return map[string]string{
		"train": "train --dataset " + smallGraph(t) + " --structure complex --engine cpu --dim 32 " +
			"--batch 16 --epochs 400 --patience 0 --members 2 ",
		"query train": "query train --dataset " + queries(t) + " --hops 2 --structure complex " +
			"--dim 32 --batch 16 --epochs 200 ",
	}
}

// folder returns the files of a folder, without the state of a training, which has durations.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if e.Name() == stateName {
			continue
		}
		files[e.Name()] = readFile(t, dir, e.Name())
	}
	return files
}

// TestKilledTrainingsResume kills trainings at random times. The same command resumes them, and the
// final model has the same bytes as without kills.
func TestKilledTrainingsResume(t *testing.T) {
	all := longTrainings(t)
	if cpu.DetectInstructions().Bfloat16 != "" {
		all["train in bfloat16"] = all["train"] + "--precision bfloat16 "
	}
	onXLA := "--backend " + backend.CPU + " "
	all["classify train"] = "classify train --dataset " + kinds(t, nil) + " --structure 1,0;0,2 " +
		"--dim 16 --epochs 100 --runs 4 --tune 4 "
	all["train on XLA"] = strings.Replace(all["train"], "--engine cpu", "--engine gomlx", 1) + onXLA
	all["classify train on XLA"] = all["classify train"] + onXLA
	for name, line := range all {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(line, onXLA) {
				xlatest.Backend(t)
			}
			alone, killed := t.TempDir()+"/alone", t.TempDir()+"/killed"
			began := time.Now()
			want := object(t, line, "--out", alone)
			took := time.Since(began)
			line += "--save-every 0s --out " + killed
			rng := rand.New(rand.NewPCG(7, 0))
			keeps := func() bool { return len(checkpointsIn(killed)) > 0 }
			kept := 0
			for n := 0; n < 20*kills(t, 3) && kept < kills(t, 3); n++ {
				command := startProgram(t, line)
				ended := make(chan struct{})
				go func() {
					_ = command.Wait()
					close(ended)
				}()
				if n%2 == 1 { // since where programs start slowly, no moment of the others may be late enough
					waitUntil(keeps, ended)
				}
				time.Sleep(time.Duration(rng.Int64N(int64(took))))
				_ = command.Process.Kill()
				<-ended
				if keeps() {
					kept++
				}
			}
			got := object(t, line)
			if epochs := got["resumed"]; kept == 0 || !strings.HasPrefix(name, "classify") && epochs == nil {
				t.Errorf("after %d kills with something kept, epochs gone on with: %v", kept, epochs)
			}
			for _, o := range []map[string]any{got, want} {
				delete(o, "seconds")
				delete(o, "out")
				delete(o, "resumed")
				if name == "train on XLA" {
					withoutLosses(o)
				}
			}
			difference := cmp.Diff(want, got) + cmp.Diff(folder(t, alone), folder(t, killed))
			if difference != "" {
				t.Errorf("after %d kills (-alone +killed):\n%s", kept, difference)
			}
		})
	}
}

// waitUntil waits for a condition until done is closed.
func waitUntil(there func() bool, over <-chan struct{}) {
	for !there() {
		select {
		case <-over:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// withoutLosses removes losses. GoMLX sums those of the steps in a call, and the first call of a
// process has one step, so the last digits of a loss after a kill differ.
func withoutLosses(o map[string]any) {
	delete(o, "loss")
	for _, member := range o["members"].([]any) {
		delete(member.(map[string]any), "loss")
	}
}

// interrupt runs the program until it has a checkpoint in a folder, interrupts it like Ctrl-C, and
// returns its messages.
func interrupt(t *testing.T, dir string, line ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			dirs, _ := filepath.Glob(dir)
			if slices.ContainsFunc(dirs, func(dir string) bool { return len(checkpointsIn(dir)) > 0 }) {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return failIn(ctx, t, cli.Failed, "interrupted", line...)
}

// TestInterruptedTraining: an interruption saves the model so far, but does not replace a finished
// model.
func TestInterruptedTraining(t *testing.T) {
	for name, line := range longTrainings(t) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			line += "--out " + dir + " "
			// The model so far is of the last epoch, however late the end comes: of a training that
			// validates it is of the best.
			long := line + "--save-every 0s --epochs 100000 --validate-every 0"
			said := interrupt(t, dir, long)
			model, err := kge.Load(dir)
			must(t, err)
			contains(t, said, fmt.Sprintf("interrupted after epoch %d of 100000; the same command "+
				"resumes it; the model so far is in %s", model.Position.Epoch, dir))
			if !model.Position.Interrupted || model.Position.Steps != 0 {
				t.Errorf("the model is of %+v", *model.Position)
			}
			fail(t, cli.Failed, "it has a model", line) // another training
			contains(t, interrupt(t, dir, long), "resuming the training in")

			finished := t.TempDir() + "/finished"
			line += "--save-every 0s --out " + finished
			stdout, _ := succeed(t, line)
			contains(t, stdout, "  model  ", finished+"\n")
			whole := folder(t, finished)
			contains(t, interrupt(t, finished, line), "the finished model in "+finished+" is unchanged")
			for name, content := range folder(t, finished) {
				if !strings.HasPrefix(name, "training-") && content != whole[name] {
					t.Errorf("%s was replaced", name)
				}
			}
		})
	}
}

// TestInterruptedWithoutCheckpoint reports why there is no checkpoint.
func TestInterruptedWithoutCheckpoint(t *testing.T) {
	ctx, dir := cancelled(t), t.TempDir()
	out := modelOutput{folder: dir, file: filepath.Join(dir, "training-0")}
	failure := errors.New("write the checkpoint: no space left on device")
	err := out.interrupted(ctx, fmt.Errorf("%w; %w", ctx.Err(), failure),
		"interrupted after epoch 1 of 2", nil)
	want := "interrupted after epoch 1 of 2; write the checkpoint: no space left on device: " +
		"nothing was saved"
	if err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// TestTrainingDeadline: with no time there is still a model, which is marked as interrupted; with
// enough time the result is the same as without a deadline.
func TestTrainingDeadline(t *testing.T) {
	first := map[string]any{"epoch": 0.0, "step": 0.0, "epochs": 3.0} // the steps depend on the data
	validation := map[string]any{"phase": "cross-validation", "epoch": 1.0, "epochs": 8.0}
	classes := "classify train --structure 1,0;0,2 --dim 4 --epochs 8 --runs 2 --dataset " +
		kinds(t, nil)
	for line, c := range map[string]struct {
		ended map[string]any
		says  string
	}{
		"train --structure complex --engine cpu --epochs 3 --validate-every 1 --dataset " +
			smallGraph(t): {first, "or more --minutes"},
		"query train --hops 2 --structure complex --epochs 3 --dataset " +
			queries(t): {first, "or more --minutes"},
		classes:               {validation, ""},
		classes + " --tune 3": {validation, ""},
	} {
		t.Run(line, func(t *testing.T) {
			train := func(dir, flags string) (summary map[string]any, stderr string) {
				t.Helper()
				stdout, stderr := succeed(t, line, "--json --out", dir, flags)
				decodeExactly(t, []byte(stdout), &summary)
				delete(summary, "seconds")
				delete(summary, "out")
				return summary, stderr
			}
			whole, dir := t.TempDir(), t.TempDir()
			want, _ := train(whole, "")
			cut, stderr := train(dir, "--minutes 0.000001")
			ended, _ := cut["stopped_early"].(map[string]any)
			delete(ended, "steps")
			same(t, "without time", ended, c.ended)
			contains(t, stderr, c.says)
			contains(t, readFile(t, dir, "model.json"), `"interrupted"`)
			if cut["test"] == nil {
				t.Errorf("without time %v", cut)
			}
			got, _ := train(dir, "--minutes 60")
			if difference := cmp.Diff(want, got); difference != "" {
				t.Errorf("with much time (-without a limit +with one):\n%s", difference)
			}
			files := folder(t, dir)
			for name, content := range folder(t, whole) {
				if name != configName && files[name] != content { // which has --minutes
					t.Errorf("%s differs from that of a training without a limit", name)
				}
			}
		})
	}
}
