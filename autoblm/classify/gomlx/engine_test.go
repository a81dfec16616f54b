package gomlx

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
)

// TestConformance with one model a call and with all in one.
func TestConformance(t *testing.T) {
	for name, oneByOne := range map[string]bool{"model by model": true, "all at once": false} {
		t.Run(name, func(t *testing.T) {
			engine, err := New("go")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(engine.Close)
			tolerance := enginetest.Tolerance{Definition: 1e-4}
			if engine.oneByOne = oneByOne; !oneByOne {
				tolerance.Fellows = 1e-4
			}
			enginetest.Run(t, engine, tolerance)
		})
	}
}

func TestUnknownBackend(t *testing.T) {
	if _, err := New("gpu"); err == nil || !strings.Contains(err.Error(), "unknown backend") {
		t.Error(err)
	}
}
