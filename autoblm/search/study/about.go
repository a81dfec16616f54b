package study

import (
	"encoding/json"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/datasets"
)

// About is what a study is about; only the same search may go on with it. The
// budget and the source are not part of that: the study keeps those of its last run.
type About struct {
	// Dataset is the graph's name, and Fingerprint identifies its contents.
	Dataset     string          `json:"dataset"`
	Fingerprint string          `json:"fingerprint"`
	Algorithm   string          `json:"algorithm"`
	Settings    search.Settings `json:"settings"`
	// Task is "" for knowledge-graph completion, and else the name of the task;
	// TaskSettings is a JSON object with the settings that are its own.
	Task         string          `json:"task,omitempty"`
	TaskSettings json.RawMessage `json:"task_settings,omitempty"`
	// Source is what [datasets.Open] finds the graph by: a name or an absolute
	// path; "" for a graph that was built in memory.
	Source string `json:"-"`
}

// Describe is what a search of g is about.
func Describe(g *datasets.Graph, strategy search.Strategy, settings search.Settings) About {
	return About{Dataset: g.Name, Fingerprint: g.Fingerprint(), Algorithm: strategy.Name(), Settings: settings, Source: sourceOf(g)}
}

// Described is a task that says what a study of it is about: Dataset, Fingerprint,
// Source, Task and TaskSettings.
type Described interface {
	search.Task
	About() (About, error)
}

// DescribeTask is what a search for another task is about.
func DescribeTask(t Described, strategy search.Strategy, settings search.Settings) (About, error) {
	about, err := t.About()
	about.Algorithm, about.Settings = strategy.Name(), settings
	return about, err
}

func sourceOf(g *datasets.Graph) string {
	if g.Folder == "" && g.Name == datasets.World().Name {
		return g.Name
	}
	for _, b := range datasets.Registry() {
		folder, found := datasets.Locate(b.Name)
		if !found || b.Name != g.Name {
			continue
		}
		if absolute, err := filepath.Abs(folder); err == nil && absolute == g.Folder {
			return g.Name // which finds the benchmark wherever it lies later
		}
	}
	return g.Folder
}
