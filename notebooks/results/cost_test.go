package results

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/table"
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
	var whole struct {
		Trained  int     `json:"trained"`
		Overhead float64 `json:"overhead"`
	}
	file, err := record.Read[reproduce.Result]("paper-wn18rr-1.json")
	if err != nil {
		t.Fatal(err)
	}
	chosen := read(t, "paper-choosing-1.json", &whole)
	s := file.Result.Search
	published, err := recipe.Named("paper-search", "wn18rr")
	if err != nil {
		t.Fatal(err)
	}
	how, threads := s.Settings.Training, format.Count(file.Threads(), "thread")
	if published.Training.Precision = how.Precision; how != published.Training || file.Result.Dataset != "wn18rr" || !s.Complete || s.Failed > 0 || whole.Trained != paperStructures {
		t.Fatalf("these are no searches as in the paper: %+v, %+v", s, whole)
	}
	structures := s.Trained + len(s.Baselines)
	trained := s.Seconds / 60
	all := trained / float64(structures) * paperStructures
	inMinutes := func(n float64) string { return format.Whole(int(math.Round(n))) + " min" }
	var text strings.Builder
	table := table.New(fmt.Sprintf("WN18RR, d %d, %d epochs", how.Dim, how.Epochs), "structures", "training and evaluation", "filter and predictor", "together")
	table.Add("the paper, one RTX 2080 Ti", paperStructures, inMinutes(paperTraining), inMinutes(paperChoosing), inMinutes(paperTraining+paperChoosing))
	table.Add("here, "+threads, structures, inMinutes(trained), nil, nil)
	table.Add("here, "+threads+", **extrapolated**", paperStructures, inMinutes(all), fmt.Sprintf("%.1f s", whole.Overhead), inMinutes(all+whole.Overhead/60))
	markdown(&text, table.Header, table.Rows)
	fmt.Fprintf(&text, "\n`%s` trained %d named models and %d of the search, %s, %s. What choosing 256 takes is of a search with trainings of hardly any length: `%s`, %s, %s.\n",
		file.Command, len(s.Baselines), s.Trained, file.Machine, file.Date, chosen.Command, chosen.Machine, chosen.Date)
	return text.String()
}
