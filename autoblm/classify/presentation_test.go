package classify

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func TestMessages(t *testing.T) {
	for text, want := range map[string]string{
		"1,2;0,-1":  "h1 ← r1∘t1 + r2∘t2; h2 ← -r1∘t2",
		"-1,-2;0,0": "h1 ← -r1∘t1 - r2∘t2; h2 ← 0",
		"0,2;1,0":   "h1 ← r2∘t2; h2 ← r1∘t1",
	} {
		if got := strings.ReplaceAll(messageFormula(structure.MustParse(text)), "\u00a0",
			" "); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}
