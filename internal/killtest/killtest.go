// Package killtest kills processes of tests without warning, at random moments.
package killtest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

const folderVariable = "AUTOBLM_TEST_KILLED_IN"

// Run has work done again and again in a folder, each time by a process of its own, which
// is killed up to the given time after it has begun to work; a work that ends begins anew.
// After each kill check looks at the folder. The test must do nothing else.
func Run(t *testing.T, kills int, upTo time.Duration, work func(folder string) error, check func(folder string)) {
	t.Helper()
	if folder := os.Getenv(folderVariable); folder != "" {
		os.Stdout.WriteString("!")
		for {
			if err := work(folder); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for range kills {
		process := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		process.Env = append(os.Environ(), folderVariable+"="+folder)
		var said bytes.Buffer
		begun, err := process.StdoutPipe()
		process.Stderr = &said
		if err == nil {
			err = process.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := begun.Read(make([]byte, 1)); err == nil {
			time.Sleep(time.Duration(rng.Int64N(int64(upTo))))
		}
		_ = process.Process.Kill()
		if err := process.Wait(); process.ProcessState.Exited() {
			t.Fatalf("the work ended by itself: %v: %s", err, &said)
		}
		check(folder)
	}
}
