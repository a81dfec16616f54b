package backend

import (
	"strings"
	"testing"
)

// TestOlderPJRT: what is said of a plugin depends on what was compared.
func TestOlderPJRT(t *testing.T) {
	for version, says := range map[string]string{
		"0.104": "", "0.116": "", "1.0": "", "": "", "unknown": "",
		"0.103": "lacks only PJRT_Buffer_Bitcast", "0.81": "lacks only PJRT_Buffer_Bitcast",
		"0.80": "install a newer", "0.9": "install a newer",
	} {
		got := warnOldPJRT(version)
		if (got == "") != (says == "") || !strings.Contains(got, says) || says != "" && (!strings.Contains(got, version) || !strings.Contains(got, calledPJRT)) {
			t.Errorf("%q: %q, which should say %q", version, got, says)
		}
	}
}

// TestListTellsOlderPJRT: beside what else is worth knowing.
func TestListTellsOlderPJRT(t *testing.T) {
	f := machine(nil, gpuFile, cpuFile, jaxFile)
	f.loadPlugin = func(string) (string, error) { return "0.81", nil }
	for _, b := range f.list(t.Context()) {
		loaded := b.Plugin != "" && b.Usable
		if loaded != (b.PJRTCalled == calledPJRT) || loaded != strings.Contains(b.Note, "0.81 is older") || (b.Plugin == jaxFile) != strings.Contains(b.Note, "Jax's") {
			t.Errorf("%+v", b)
		}
	}
}
