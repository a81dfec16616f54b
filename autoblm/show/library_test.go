package show

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibrary finds files from another working directory.
func TestLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	content, err := os.ReadFile(Library("ARCHITECTURE.md"))
	if err != nil || !strings.HasPrefix(string(content), "# Architecture") {
		t.Errorf("ARCHITECTURE.md: %v", err)
	}
	for source, says := range map[string]string{
		"github.com/autoblm/autoblm-go/autoblm/show/library.go": "-trimpath",
		filepath.Join(t.TempDir(), "autoblm/show/library.go"):   "install the kernels again",
	} {
		found, err := inLibrary(source, "README.md")
		if err == nil || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), "README.md") {
			t.Errorf("from %s: %s, %v", source, found, err)
		}
	}
}
