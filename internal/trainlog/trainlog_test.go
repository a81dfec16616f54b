package trainlog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/trainlog"
)

// TestLogReplacesLaterRows: the first row removes rows of its epoch and of later ones, and an
// incomplete row.
func TestLogReplacesLaterRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.csv")
	add := func(epochs ...int) {
		t.Helper()
		l := trainlog.Log{CSV: file}
		for _, e := range epochs {
			require.NoError(t, l.Add(trainlog.Row{Epoch: e, Step: 10 * e, Loss: 0.5, LearningRate: 0.1}))
		}
		require.NoError(t, l.Close())
	}
	add(1, 2, 3)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	if _, err := f.WriteString("4,40,0."); err != nil {
		t.Fatal(err)
	}
	f.Close()
	add(3, 4)
	got, err := os.ReadFile(file)
	want := "epoch,step,seconds,loss,learning rate,valid MRR\n1,10,0.000,0.5,0.1,\n" +
		"2,20,0.000,0.5,0.1,\n3,30,0.000,0.5,0.1,\n4,40,0.000,0.5,0.1,\n"
	if err != nil || string(got) != want {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}
