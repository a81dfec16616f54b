package textfile

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedFile: the part of a line before a failure is no line, and the failure is the error.
func TestDamagedFile(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for range 5000 {
		if _, err := w.Write([]byte("a whole line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{packed.Len() - 20, packed.Len() / 2, packed.Len()} {
		path := filepath.Join(t.TempDir(), "lines.gz")
		if err := os.WriteFile(path, packed.Bytes()[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range file.Lines(100) {
			if string(line) != "a whole line" {
				t.Errorf("cut to %d bytes, it has the line %q", size, line)
			}
		}
		isWhole := size == packed.Len()
		if isWhole != (file.Err == nil) || !isWhole && !strings.Contains(file.Err.Error(), "unexpected EOF") {
			t.Errorf("cut to %d bytes: %v", size, file.Err)
		}
		if isWhole && file.Line != 5000 {
			t.Errorf("it has %d lines", file.Line)
		}
	}
}
