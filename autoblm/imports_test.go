package autoblm_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/autoblm/autoblm-go/"

// layers lists all layers from the bottom up. A layer is a folder with its subfolders, unless
// these are listed themselves. It imports only from itself and from the layers before it.
// So models (kge/form, kge) do not import engines (kge/cpu, kge/gomlx).
var layers = []string{
	"internal", "autoblm/structure", "autoblm/backend", "internal/xlatest", "internal/record",
	"datasets",
	"autoblm/plot",
	"autoblm/kge/internal", "autoblm/kge/form", "autoblm/kge/eval", "autoblm/kge",
	"autoblm/kge/exchange",
	"autoblm/kge/cpu/kernel", "autoblm/kge/cpu/tiles", "autoblm/kge/cpu",
	"autoblm/kge/gomlx",
	"autoblm/proofs", "autoblm/recipe",
	"autoblm/task", "autoblm/completion", "autoblm/query", "autoblm/classify",
	"autoblm/kge/enginetest",
	"autoblm/search/controller", "autoblm/search/surrogate", "autoblm/search/strategy",
	"autoblm/search", "autoblm/search/budget", "autoblm/search/stage", "autoblm/search/study",
	"autoblm/search/ablation", "autoblm/search/cluster",
	"autoblm/report", "autoblm/dashboard", "autoblm/server", "autoblm/reproduce",
	"autoblm", "autoblm/tasks", "autoblm/show", "autoblm/bench", "autoblm/cmd", "internal/attack",
	"kernels", "notebooks", "docker", "docs",
}

// forbidden lists the lower layers that a layer must not import.
var forbidden = map[string][]string{
	"autoblm/search":          slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/search/stage":    slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/search/strategy": slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/search/budget":   slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/search/study":    slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/search/cluster":  slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/report":          slices.Concat(tasks, engines, []string{"datasets", "autoblm/kge"}),
	"autoblm/dashboard":       slices.Concat(tasks, engines, []string{"datasets"}),
	"autoblm/server":          append([]string{"autoblm/search", "autoblm/report"}, engines...),
	"autoblm/classify":        {"autoblm/completion", "autoblm/query"},
	"autoblm/completion":      engines,
	"autoblm/query":           engines,
}

var (
	tasks   = []string{"autoblm/completion", "autoblm/query", "autoblm/classify"}
	engines = []string{"autoblm/kge/cpu", "autoblm/kge/gomlx"}
)

func layerOf(t *testing.T, path string) string {
	t.Helper()
	layer := ""
	for _, r := range layers {
		if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(layer) {
			layer = r
		}
	}
	if layer == "" {
		t.Fatalf("the package %s is in no layer: add it to the list", path)
	}
	return layer
}

// TestImportsGoDown checks that packages import only from their own layer and lower ones, and
// nothing from layers that are forbidden for them.
func TestImportsGoDown(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		packages := strings.Fields(line)
		path := strings.TrimPrefix(packages[0], module)
		layer := layerOf(t, path)
		used[layer] = true
		for _, imported := range packages[1:] {
			below, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			to := layerOf(t, below)
			if slices.Index(layers, to) > slices.Index(layers, layer) {
				t.Errorf("%s imports %s, which is in a higher layer", path, below)
			}
			if slices.Contains(forbidden[layer], to) {
				t.Errorf("%s imports %s, which is forbidden in %s", path, below, layer)
			}
		}
	}
	for _, layer := range layers {
		if !used[layer] {
			t.Errorf("layer %s has no package", layer)
		}
	}
}

// TestArchitectureNamesExistingFiles checks the paths in ARCHITECTURE.md.
func TestArchitectureNamesExistingFiles(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([a-z_/]+/[a-z_]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	for _, name := range names {
		_, below := os.Stat(name[1])
		if _, err := os.Stat("../" + name[1]); err != nil && below != nil {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", name[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("ARCHITECTURE.md names only %d files: check the pattern of this test", len(names))
	}
}
