package query_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// trainInFolder names the folder of a training that a process of its own does.
const trainInFolder = "AUTOBLM_TEST_TRAIN_IN"

// trainLong trains on paths of one and of two hops, long enough for a few kills, with a checkpoint
// in the folder, and saves the models there.
func trainLong(t *testing.T, folder string) {
	d := enginetest.Paths(t, 40, 3, 200)
	s := query.BasicSettings()
	s.Dim, s.Epochs, s.Batch, s.ValidateEvery, s.Hops, s.With = 8, 600, 64, 50, []int{2}, []int{1}
	data, err := d.Training(s.Paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []kge.Member{
		{Structure: structure.MustParse("complex"), Seed: 3, LearningRate: 0.1},
		{Form: form.Query2box, Seed: 3, LearningRate: 0.1},
	} {
		file := filepath.Join(folder, m.Form.String())
		report, err := kge.Train(t.Context(), cpu.New(1), kge.Job{
			Data: data, Settings: s.Settings, Members: []kge.Member{m},
			Checkpoint: &kge.Checkpoint{File: file + ".training"},
		})
		if err != nil {
			t.Fatal(err)
		}
		first := report.Results[0]
		course, err := json.Marshal([]any{first.Loss, first.Validations, first.BestEpoch})
		if err == nil {
			err = os.WriteFile(file+".json", course, 0o644)
		}
		if err == nil {
			err = first.Model.Save(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilledTrainingResumes checks that a training that is killed repeatedly, at any time, gives
// the same bytes.
func TestKilledTrainingResumes(t *testing.T) {
	if folder := os.Getenv(trainInFolder); folder != "" {
		trainLong(t, folder)
		return
	}
	alone, killed := t.TempDir(), t.TempDir()
	trainLong(t, alone)
	rng := rand.New(rand.NewPCG(1, 1))
	checkpoints, kills, wait := 0, 0, 0
	for ; ; wait += 4 { // longer and longer, so that it ends at last
		process := exec.Command(os.Args[0], "-test.run=^TestKilledTrainingResumes$")
		process.Env = append(os.Environ(), trainInFolder+"="+killed)
		var said bytes.Buffer
		process.Stdout = &said
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- process.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the training failed: %v: %s", err, &said)
			}
		case <-time.After(time.Duration(20+wait+rng.IntN(60)) * time.Millisecond):
			_ = process.Process.Kill()
			if <-ended != nil {
				kills++
				if left, _ := filepath.Glob(filepath.Join(killed, "*.training")); len(left) > 0 {
					checkpoints++
				}
				continue
			}
		}
		break
	}
	if kills < 3 || checkpoints < 2 {
		t.Errorf("%d kills, %d of them of a training that had begun, prove little", kills, checkpoints)
	}
	left := 0
	for _, pattern := range []string{"*.json", "*/*"} {
		files, _ := filepath.Glob(filepath.Join(alone, pattern))
		for _, file := range files {
			name, _ := filepath.Rel(alone, file)
			want, errWant := os.ReadFile(file)
			got, errGot := os.ReadFile(filepath.Join(killed, name))
			if errWant != nil || errGot != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is another after %d kills (%v, %v)", name, kills, errWant, errGot)
			}
			left++
		}
	}
	if left < 2+2*5 {
		t.Errorf("%d files were compared", left)
	}
	t.Logf("%d kills, %d of them of a training that had begun", kills, checkpoints)
}
