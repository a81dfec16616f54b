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
	content, err := os.ReadFile(Library("docs", "results-log.md"))
	if err != nil || !strings.Contains(string(content), "<!-- results -->") {
		t.Errorf("docs/results-log.md: %v", err)
	}
	if found := Results("query-*.json"); len(found) == 0 {
		t.Error("there are no results of queries")
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
