package results

import (
	"os"
	"regexp"
	"testing"
)

// TestZoo checks that each model of zoo.sh has a result on each graph, for the table of the notebook.
func TestZoo(t *testing.T) {
	script, err := os.ReadFile("zoo.sh")
	if err != nil {
		t.Fatal(err)
	}
	models := regexp.MustCompile(`(?m)^  (?:native|gomlx) (\w+)`).FindAllSubmatch(script, -1)
	if len(models) < 11 {
		t.Errorf("zoo.sh has %d models", len(models))
	}
	for _, model := range models {
		for _, graph := range smallGraphs {
			d, err := readDoc("zoo-" + graph + "-" + string(model[1]) + ".json")
			if err != nil || d.Graph() != graph {
				t.Errorf("%s on %s: %v, %v", model[1], graph, d.R, err)
			}
		}
	}
}
