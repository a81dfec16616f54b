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

// rooms lists all layers from the bottom up. A layer is a folder with its subfolders, unless
// these are listed themselves. It imports only from itself and from the layers before it. So
// models (kge/form, kge) do not import engines (kge/cpu, kge/gomlx).
var rooms = []string{
	"internal", "autoblm/structure", "autoblm/backend", "internal/xlatest", "internal/record", "datasets",
	"autoblm/plot", "autoblm/predictor",
	"autoblm/kge/internal", "autoblm/kge/form", "autoblm/kge/eval", "autoblm/kge",
	"autoblm/kge/cpu/kernel", "autoblm/kge/cpu/tiles", "autoblm/kge/cpu/mix", "autoblm/kge/cpu", "autoblm/kge/gomlx",
	"autoblm/proofs", "autoblm/recipe",
	"autoblm/task", "autoblm/completion", "autoblm/query", "autoblm/classify", "autoblm/kge/enginetest",
	"autoblm/search/controller", "autoblm/search/strategy", "autoblm/search", "autoblm/search/budget", "autoblm/search/stage", "autoblm/search/study", "autoblm/search/ablation",
	"autoblm/report", "autoblm/reproduce",
	"autoblm", "autoblm/show", "autoblm/bench", "autoblm/cmd", "internal/attack",
	"kernels", "notebooks", "docker",
}

// strangers lists the lower layers that a layer must not import.
var strangers = map[string][]string{
	"autoblm/search":       {"datasets", "autoblm/completion", "autoblm/query", "autoblm/classify", "autoblm/kge/cpu", "autoblm/kge/gomlx"},
	"autoblm/search/study": {"datasets", "autoblm/completion", "autoblm/query", "autoblm/classify", "autoblm/kge/cpu", "autoblm/kge/gomlx"},
	"autoblm/report":       {"datasets", "autoblm/completion", "autoblm/query", "autoblm/classify", "autoblm/kge"},
	"autoblm/classify":     {"autoblm/completion", "autoblm/query"},
	"autoblm/completion":   {"autoblm/kge/cpu", "autoblm/kge/gomlx"},
	"autoblm/query":        {"autoblm/kge/cpu", "autoblm/kge/gomlx"},
}

func roomOf(t *testing.T, path string) string {
	t.Helper()
	room := ""
	for _, r := range rooms {
		if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(room) {
			room = r
		}
	}
	if room == "" {
		t.Fatalf("the package %s has no room: it belongs into the list", path)
	}
	return room
}

// TestImportsGoDown: no package imports one from a room above its own, so that there is no
// circle of rooms, and none imports what it must not know.
func TestImportsGoDown(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	inhabited := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		packages := strings.Fields(line)
		path := strings.TrimPrefix(packages[0], module)
		room := roomOf(t, path)
		inhabited[room] = true
		for _, imported := range packages[1:] {
			below, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			to := roomOf(t, below)
			if slices.Index(rooms, to) > slices.Index(rooms, room) {
				t.Errorf("%s imports %s, which stands above it", path, below)
			}
			if slices.Contains(strangers[room], to) {
				t.Errorf("%s imports %s, which %s is not to know", path, below, room)
			}
		}
	}
	for _, room := range rooms {
		if !inhabited[room] {
			t.Errorf("there is no package in %s", room)
		}
	}
}

// TestArchitectureNamesFilesThatAreThere.
func TestArchitectureNamesFilesThatAreThere(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([a-z_/]+/[a-z_]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	for _, name := range names {
		_, below := os.Stat(name[1])
		if _, err := os.Stat("../" + name[1]); err != nil && below != nil {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", name[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("%d files are named: the test reads another text than it should", len(names))
	}
}
