package main

import (
	"context"
	"encoding/json"
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
func longTrainings(t *testing.T) map[string][]string {
	graph := smallGraph(t)
	return map[string][]string{
		"train": {"train", "--dataset", graph, "--structure", "complex", "--engine", "cpu", "--dim",
			"32", "--batch", "16", "--epochs", "400", "--patience", "0", "--members", "2"},
		"query train": {"query", "train", "--dataset", queries(t), "--hops", "2", "--structure",
			"complex", "--dim", "32", "--batch", "16", "--epochs", "200"},
	}
}

// folder are the files of a folder, without what says how long things took.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(content)
	}
	return files
}

// TestKilledTrainingsResume kills trainings at random times. The same command resumes them, and the
// final model has the same bytes as without kills.
func TestKilledTrainingsResume(t *testing.T) {
	all := longTrainings(t)
	if cpu.DetectInstructions().Bfloat16 != "" {
		all["train in bfloat16"] = append(slices.Clone(all["train"]), "--precision", "bfloat16")
	}
	all["classify train"] = []string{"classify", "train", "--dataset", kinds(t, nil), "--structure",
		"1,0;0,2", "--dim", "16", "--epochs", "100", "--runs", "4", "--tune", "4"}
	all["train on XLA"] = append(slices.Clone(all["train"]), "--engine", "gomlx", "--backend",
		backend.CPU)
	all["classify train on XLA"] = append(slices.Clone(all["classify train"]), "--backend",
		backend.CPU)
	for name, arguments := range all {
		t.Run(name, func(t *testing.T) {
			if slices.Contains(arguments, backend.CPU) {
				xlatest.Backend(t)
			}
			alone, killed := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "killed")
			began := time.Now()
			want := object(t, append(arguments, "--out", alone)...)
			took := time.Since(began)
			arguments := append(arguments, "--save-every", "0s", "--out", killed)
			rng := rand.New(rand.NewPCG(7, 0))
			keeps := func() bool {
				found, _ := filepath.Glob(filepath.Join(killed, "training-*"))
				return len(found) > 0
			}
			kept := 0
			for n := 0; n < 20*kills(t, 3) && kept < kills(t, 3); n++ {
				command := startProgram(t, arguments...)
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
			got := object(t, arguments...)
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
			if difference := cmp.Diff(want, got) + cmp.Diff(folder(t, alone),
				folder(t, killed)); difference != "" {
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
func interrupt(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if found, _ := filepath.Glob(filepath.Join(dir, "training-*")); len(found) > 0 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	status, _, stderr := invoke(ctx, arguments...)
	if status != cli.Failed {
		t.Fatalf("%v: exit status %d: %s", arguments, status, stderr)
	}
	return stderr
}

// TestInterruptedTraining: an interruption saves the model so far, but does not replace a finished
// model.
func TestInterruptedTraining(t *testing.T) {
	for name, arguments := range longTrainings(t) {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			dir := filepath.Join("autoblm-out", strings.ReplaceAll(name, " ",
				"-")+"-"+filepath.Base(arguments[1+len(strings.Fields(name))]))
			// The model so far is of the last epoch, however late the end comes: of a training that
			// validates it is of the best.
			long := append(arguments, "--save-every", "0s", "--epochs", "100000", "--validate-every", "0")
			said := interrupt(t, dir, long...)
			model, err := kge.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			at, err := json.Marshal(model.Position.Epoch)
			if err != nil || !model.Position.Interrupted || model.Position.Steps != 0 ||
				!strings.Contains(said,
					"interrupted after epoch "+string(at)+" of 100000; the same command resumes it; the model so far is in "+dir) {
				t.Errorf("%v: the model is of %+v, said %q", err, *model.Position, said)
			}
			status, stdout, stderr := invoke(t.Context(), arguments...)
			if status != cli.Done || !strings.Contains(stderr, dir+"/training-") ||
				!strings.Contains(stderr, " holds another interrupted training") ||
				!strings.HasSuffix(stdout, "The model is in "+dir+"\n") {
				t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
			}
			whole := folder(t, dir)
			if said = interrupt(t, dir, long...); !strings.Contains(said, "resuming the training in") ||
				!strings.Contains(said, "the finished model in "+dir+" is unchanged") {
				t.Errorf("said %q", said)
			}
			for name, content := range folder(t, dir) {
				if !strings.HasPrefix(name, "training-") && content != whole[name] {
					t.Errorf("%s was replaced", name)
				}
			}
		})
	}
}

// TestInterruptedWithoutCheckpoint reports why there is no checkpoint.
func TestInterruptedWithoutCheckpoint(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
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
	classes := []string{"classify", "train", "--dataset", kinds(t, nil), "--structure", "1,0;0,2",
		"--dim", "4", "--epochs", "8", "--runs", "2"}
	for name, c := range map[string]struct {
		arguments []string
		ended     map[string]any
		says      string
	}{
		"train": {[]string{"train", "--dataset", smallGraph(t), "--structure", "complex",
			"--engine", "cpu", "--epochs", "3", "--validate-every", "1"}, first, "or more --minutes"},
		"query train": {[]string{"query", "train", "--dataset", queries(t), "--hops", "2",
			"--structure", "complex", "--epochs", "3"}, first, "or more --minutes"},
		"classify train": {classes, map[string]any{"phase": "cross-validation", "epoch": 1.0,
			"epochs": 8.0}, ""},
		"classify train tune": {append(slices.Clone(classes), "--tune", "3"),
			map[string]any{"phase": "cross-validation", "epoch": 1.0, "epochs": 8.0}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := c.arguments
			train := func(dir string, more ...string) (summary map[string]any, stderr string) {
				t.Helper()
				status, stdout, stderr := invoke(t.Context(),
					slices.Concat(arguments, []string{"--json", "--out", dir}, more)...)
				if err := json.Unmarshal([]byte(stdout), &summary); err != nil || status != cli.Done {
					t.Fatalf("status %d, %v: %q, %q", status, err, stdout, stderr)
				}
				delete(summary, "seconds")
				delete(summary, "out")
				return summary, stderr
			}
			whole, dir := t.TempDir(), t.TempDir()
			want, _ := train(whole)
			cut, stderr := train(dir, "--minutes", "0.000001")
			ended, _ := cut["stopped_early"].(map[string]any)
			delete(ended, "steps")
			if !cmp.Equal(ended, c.ended) || cut["test"] == nil || !strings.Contains(stderr, c.says) {
				t.Errorf("without time %v, %q", cut, stderr)
			}
			if !strings.Contains(folder(t, dir)["model.json"], `"interrupted"`) {
				t.Error("the model does not say that its training was ended")
			}
			got, _ := train(dir, "--minutes", "60")
			if difference := cmp.Diff(want, got); difference != "" {
				t.Errorf("with much time (-without a limit +with one):\n%s", difference)
			}
			files := folder(t, dir)
			for name, content := range folder(t, whole) {
				if files[name] != content {
					t.Errorf("%s differs from that of a training without a limit", name)
				}
			}
		})
	}
}
