package results

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/words"
)

// The paper's table on running time (Section V-A), WN18RR with K of 4: minutes of one RTX 2080 Ti
// for a search of 256 structures.
const (
	paperStructures = 256
	paperTraining   = 1231 + 156 // and evaluating
	paperChoosing   = 1.4 + 23   // filter and predictor
)

// cost is the table of what the paper's search takes at its own settings, from some structures that
// were trained in full.
func cost(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("paper-wn18rr-1.json"); err != nil {
		return "Not run yet.\n"
	}
	var some reproduce.Result
	var whole struct {
		Trained  int     `json:"trained"`
		Overhead float64 `json:"overhead"`
	}
	file, chosen := read(t, "paper-wn18rr-1.json", &some), read(t, "paper-choosing-1.json", &whole)
	s := some.Search
	settings, err := recipe.Named(s.Recipe, some.Dataset)
	if err != nil {
		t.Fatal(err)
	}
	if s.Recipe != "paper-search" || !s.Complete || s.Failed > 0 || s.Settings.Training.Epochs != settings.Training.Epochs || whole.Trained != paperStructures {
		t.Fatalf("these are no searches as in the paper: %+v, %+v", s, whole)
	}
	structures := s.Trained + len(s.Named)
	trained := s.Seconds / 60
	all := trained / float64(structures) * paperStructures
	inMinutes := func(n float64) string { return words.Whole(int(math.Round(n))) + " min" }
	var text strings.Builder
	table := words.NewTable("WN18RR, d 64, 50 epochs", "structures", "training and evaluation", "filter and predictor", "together")
	table.Add("the paper, one RTX 2080 Ti", paperStructures, inMinutes(paperTraining), inMinutes(paperChoosing), inMinutes(paperTraining+paperChoosing))
	table.Add("here, one thread", structures, inMinutes(trained), nil, nil)
	table.Add("here, one thread, **extrapolated**", paperStructures, inMinutes(all), fmt.Sprintf("%.1f s", whole.Overhead), inMinutes(all+whole.Overhead/60))
	markdown(&text, table.Header, table.Rows)
	fmt.Fprintf(&text, "\n`%s` trained %d named models and %d of the search, %s, %s. What choosing 256 takes is of a search with trainings of hardly any length: `%s`, %s, %s.\n",
		file.Command, len(s.Named), s.Trained, file.Machine, file.Date, chosen.Command, chosen.Machine, chosen.Date)
	return text.String()
}
