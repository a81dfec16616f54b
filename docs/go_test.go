package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goBlock matches a block of Go.
var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// imports are the packages that parts of programs in the documents use without importing them.
const imports = `package program
import (
	"context"
	"fmt"
	"log"
	"time"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)
var ctx, g = context.Background(), &datasets.Graph{}
func _() {
`

// TestDocumentPrograms compiles the blocks of Go in the documents. A block that is not a whole
// program may leave out imports and the use of variables.
func TestDocumentPrograms(t *testing.T) {
	folder, programs := t.TempDir(), 0
	for path, text := range documents(t) {
		for _, block := range goBlock.FindAllStringSubmatch(text, -1) {
			programs++
			program, whole := strings.CutPrefix(block[1], "package main\n")
			if whole {
				program = "package program\n" + program // which go build does not link
			} else {
				program = imports + program + "}\n"
			}
			file := filepath.Join(folder, fmt.Sprintf("%d.go", programs))
			if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("go", "build", "-gcflags=-e", file).CombinedOutput()
			if err == nil {
				continue
			}
			for line := range strings.Lines(string(out)) {
				unused := strings.Contains(line, "declared and not used") ||
					strings.Contains(line, "imported and not used")
				if !strings.HasPrefix(line, "#") && (whole || !unused) {
					t.Errorf("%s: %s", path, line)
				}
			}
		}
	}
	if programs < 2 {
		t.Errorf("the documents have %d programs in Go, want at least 2", programs)
	}
}
