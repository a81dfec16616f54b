// Package killtest kills processes of tests at random moments.
package killtest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/require"
)

const folderVariable = "AUTOBLM_TEST_KILLED_IN"

// Run repeats work in a folder, in separate processes. It kills each process within twice the time
// that the work takes, and then calls check. A process repeats work until it is killed. The test
// must do nothing else.
func Run(t *testing.T, kills int, work func(folder string) error, check func(folder string)) {
	t.Helper()
	if folder := os.Getenv(folderVariable); folder != "" {
		os.Stdout.WriteString("!")
		for {
			require.NoError(t, work(folder))
		}
	}
	began := time.Now()
	require.NoError(t, work(t.TempDir()))
	within := 2 * time.Since(began)
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for range kills {
		process := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		process.Env = append(os.Environ(), folderVariable+"="+folder)
		var output bytes.Buffer
		started, err := process.StdoutPipe()
		process.Stderr = &output
		if err == nil {
			err = process.Start()
		}
		require.NoError(t, err)
		if _, err := started.Read(make([]byte, 1)); err == nil {
			time.Sleep(time.Duration(rng.Int64N(int64(within))))
		}
		_ = process.Process.Kill()
		if err := process.Wait(); process.ProcessState.Exited() {
			t.Fatalf("the work ended before the kill: %v: %s", err, &output)
		}
		check(folder)
	}
}
