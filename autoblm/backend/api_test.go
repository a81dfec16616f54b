package backend

import (
	"strings"
	"testing"
)

// TestListWarnsOfOldPJRT checks the warning and that it keeps other notes.
func TestListWarnsOfOldPJRT(t *testing.T) {
	for version, old := range map[string]bool{
		"0.104": false, "0.81": false, "1.0": false, "": false, "unknown": false,
		"0.80": true, "0.9": true,
	} {
		f := machine(nil, gpuFile, cpuFile, jaxFile)
		f.loadPlugin = func(string) (string, error) { return version, nil }
		for _, b := range f.list(t.Context()) {
			loaded := b.Plugin != "" && b.Usable
			if (loaded && old) != strings.Contains(b.Note, version+" is older than 0.81") ||
				(b.Plugin == jaxFile) != strings.Contains(b.Note, "Jax's") {
				t.Errorf("%q: %+v", version, b)
			}
		}
	}
}
