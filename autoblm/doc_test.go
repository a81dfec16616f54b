package autoblm_test

import (
	"os"
	"strings"
	"testing"
)

// TestPackageDocIsAnExample checks that the program in the package documentation compiles: Example
// has the same lines.
func TestPackageDocIsAnExample(t *testing.T) {
	documentation, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(examples), "\nfunc Example() {\n")
	lines := 0
	for line := range strings.Lines(string(documentation)) {
		line, isCode := strings.CutPrefix(line, "//\t")
		if !isCode {
			continue
		}
		lines++
		before, after, found := strings.Cut(rest, "\t"+line)
		if !found || strings.Contains(before, "\n}\n") {
			t.Errorf("Example lacks a line of doc.go, or has it earlier: %s", line)
			continue
		}
		rest = after
	}
	if lines < 10 {
		t.Errorf("doc.go has %d lines of code, want at least 10", lines)
	}
}
