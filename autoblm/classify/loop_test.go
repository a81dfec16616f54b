package classify_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestTooLargeForMemory checks that too much memory is an error before a model is created.
func TestTooLargeForMemory(t *testing.T) {
	s := classify.Defaults(classify.BLM)
	s.Dim, s.Layers, s.Repeats = 1<<20, 64, 1024
	m := classify.DefaultMember()
	m.Structure = structure.MustParse("simple")
	_, err := trainOnce(t.Context(), enginetest.KindsGraph(60), s, classify.Options{},
		[]classify.Member{m})
	if err == nil ||
		!strings.Contains(err.Error(),
			"training 5,120 models with dim 1048576 side by side would take at least ") ||
		!strings.Contains(err.Error(), " are free: take a smaller dim") {
		t.Errorf("%v", err)
	}
}
