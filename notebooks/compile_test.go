package notebooks

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var imports = regexp.MustCompile(`(?ms)^import \(.*?^\)\n`)

// toPackage returns the cells of a notebook as one package. Declarations are visible in later
// cells,
// and the lines after %% are the body of a function.
func toPackage(path string, n notebook) string {
	var head, rest strings.Builder
	head.WriteString("package cells\n")
	for i, c := range n.Cells {
		if c.Type != "code" || strings.HasPrefix(c.text(), "!") || strings.HasPrefix(c.text(), "%%bash") {
			continue
		}
		place := fmt.Sprintf("//line %s, cell %d:", path, i+1)
		declarations, statements, _ := strings.Cut("\n"+c.text()+"\n", "\n%%\n")
		above := strings.Count(declarations, "\n")
		for _, block := range imports.FindAllString(declarations, -1) {
			head.WriteString(block)
			declarations = strings.Replace(declarations, block,
				strings.Repeat("\n", strings.Count(block, "\n")), 1)
		}
		fmt.Fprintf(&rest, "%s1\n%s\nfunc _() {\n%s%d\n%s}\n", place,
			strings.TrimPrefix(declarations, "\n"), place, above+2, statements)
	}
	return head.String() + rest.String()
}

// TestCompile compiles the notebooks, as packages in an overlay, without running them.
func TestCompile(t *testing.T) {
	programs := map[string]string{}
	for _, path := range all(t) {
		programs[strings.TrimSuffix(path, ".ipynb")] = toPackage(path, read(t, path))
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	build := []string{"build", "-gcflags=-e", "-overlay", list}
	files := map[string]string{}
	for name, text := range programs {
		file := filepath.Join(t.TempDir(), "cells.go")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(here, "compiled", name, "cells.go")] = file
		build = append(build, "./compiled/"+name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("go", build...).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
}
