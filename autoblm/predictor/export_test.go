package predictor

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
)

// On runs all fits and predictions on a backend until the test ends. Such tests cannot run in
// parallel.
func On(t testing.TB, name string) {
	t.Helper()
	opened, err := backend.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := programsOn(opened)
	if err != nil {
		t.Fatal(err)
	}
	before := compiled
	compiled = func() (*programs, error) { return all, nil }
	t.Cleanup(func() {
		compiled = before
		all.descend.Finalize()
		all.outputs.Finalize()
		opened.Finalize()
	})
}
