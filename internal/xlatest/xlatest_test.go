package xlatest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
)

// TestBackend opens the backend.
func TestBackend(t *testing.T) {
	opened, err := backend.Open(xlatest.Backend(t))
	require.NoError(t, err)
	defer opened.Finalize()
	t.Log(opened.Description())
}

// TestSkip checks that the reason for a skip names the command that installs a plugin.
func TestSkip(t *testing.T) {
	again := exec.Command(os.Args[0], "-test.run=^TestBackend$", "-test.v")
	again.Env = append(os.Environ(), probe.PluginPaths+"="+t.TempDir())
	printed, err := again.CombinedOutput()
	said := string(printed)
	if strings.Contains(said, "built without XLA") {
		t.Skip("this program has no XLA, whatever is installed")
	}
	if err != nil || !strings.Contains(said, "--- SKIP: TestBackend") ||
		!strings.Contains(said, "autoblm backend install cpu") {
		t.Errorf("without a plugin: %v: %s", err, said)
	}
}
