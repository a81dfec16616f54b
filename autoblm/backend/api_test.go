package backend

import (
	"strings"
	"testing"
)

func TestWarnOldPJRT(t *testing.T) {
	const bitcast, newer = "lacks only PJRT_Buffer_Bitcast", "install a newer"
	for version, want := range map[string]string{
		"0.104": "", "0.116": "", "1.0": "", "": "", "unknown": "",
		"0.103": bitcast, "0.81": bitcast,
		"0.80": newer, "0.9": newer,
	} {
		got := warnOldPJRT(version)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
		if want != "" && (!strings.Contains(got, version) || !strings.Contains(got, calledPJRT)) {
			t.Errorf("%q: %q lacks a version", version, got)
		}
	}
}

// TestListWarnsOfOldPJRT checks the warning and that it keeps other notes.
func TestListWarnsOfOldPJRT(t *testing.T) {
	f := machine(nil, gpuFile, cpuFile, jaxFile)
	f.loadPlugin = func(string) (string, error) { return "0.81", nil }
	for _, b := range f.list(t.Context()) {
		loaded := b.Plugin != "" && b.Usable
		if loaded != (b.PJRTCalled == calledPJRT) ||
			loaded != strings.Contains(b.Note, "0.81 is older") ||
			(b.Plugin == jaxFile) != strings.Contains(b.Note, "Jax's") {
			t.Errorf("%+v", b)
		}
	}
}
