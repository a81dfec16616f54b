package show

import (
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/datasets"
)

// File returns the path of a file or folder that later cells read. It is gone with the kernel. In
// full size it is in the folder autoblm-out and stays.
func File(name string) string {
	folder := os.Getenv("GONB_TMP_DIR")
	if Full() || folder == "" {
		folder = "autoblm-out"
	}
	path := filepath.Join(folder, name)
	Check(os.MkdirAll(filepath.Dir(path), 0o755))
	return path
}

// Graph loads the first of the benchmarks that is on this machine, or the graph "world".
func Graph(benchmarks ...string) *datasets.Graph {
	for _, name := range benchmarks {
		if _, found := datasets.Locate(name); found {
			return Must(autoblm.Load(name))
		}
	}
	return datasets.World()
}
