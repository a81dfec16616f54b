package record

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"pgregory.net/rapid"
)

// TestCommandLine checks that a shell splits a command line into the same words.
func TestCommandLine(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.SampledFrom([]rune("ab-=*?[]'\"\\$`;&|<>(){}!#~,:/ \t\n")))
		want := rapid.SliceOfN(word, 1, 4).Draw(t, "arguments")
		output, err := exec.Command(shell, "-c", "printf '%s\\n' "+CommandLine(want...)).Output()
		require.NoError(t, err)
		if got := strings.TrimSuffix(string(output), "\n"); got != strings.Join(want, "\n") {
			t.Fatalf("%q became %q", want, got)
		}
	})
}
