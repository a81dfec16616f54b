package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

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

// Values are the settings by name in the words of this package's errors, as
// "training dim" and "64", in the order of the names; what is not set is left out.
func (a About) Values() ([][2]string, error) {
	text, err := json.Marshal(map[string]search.Settings{"settings": a.Settings})
	if err != nil {
		return nil, err
	}
	flat, err := flatten(text)
	if err != nil {
		return nil, err
	}
	var values [][2]string
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		values = append(values, [2]string{name, flat[name]})
	}
	return values, nil
}

// differences names what two descriptions do not agree on, as
// "dim 64 there, 32 here".
func differences(there, here []byte) (string, error) {
	a, err := flatten(there)
	if err != nil {
		return "", err
	}
	b, err := flatten(here)
	if err != nil {
		return "", err
	}
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	var found []string
	for name := range names {
		switch {
		case name == "dataset" && a["fingerprint"] == b["fingerprint"]: // the same data under another name
		case name == "fingerprint" && a[name] != b[name]:
			found = append(found, "the data differ")
		case a[name] != b[name]:
			found = append(found, fmt.Sprintf("%s %s there, %s here", name, orNone(a[name]), orNone(b[name])))
		}
	}
	sort.Strings(found)
	return strings.Join(found, "; "), nil
}

func orNone(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// flatten gives each value in a JSON object its name; objects in it give theirs.
func flatten(text []byte) (map[string]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // seeds do not fit in a float64
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	flat := map[string]string{}
	var walk func(prefix string, object map[string]any)
	walk = func(prefix string, object map[string]any) {
		for name, value := range object {
			switch value := value.(type) {
			case map[string]any:
				if name == "settings" || name == "task_settings" { // levels that say nothing to a reader
					walk(prefix, value)
				} else {
					walk(prefix+name+" ", value)
				}
			case nil:
			default:
				flat[prefix+name] = fmt.Sprint(value)
			}
		}
	}
	walk("", object)
	return flat, nil
}
