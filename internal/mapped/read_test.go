package mapped_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/mapped"
)

// TestOpen checks that a file is read as it is, and that a change of the content does not reach it.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"", "some text"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		content, unmap, err := mapped.Open(path)
		if err != nil || string(content) != text {
			t.Fatalf("%q, %v, want %q", content, err, text)
		}
		if len(content) > 0 {
			content[0] = 'x'
		}
		unmap()
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("the file has %q, %v, want %q", kept, err, text)
		}
	}
	if _, err := mapped.ReadFile(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}
