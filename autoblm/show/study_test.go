package show

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestStudy compares the shown study with the result of its search.
func TestStudy(t *testing.T) {
	s := tiny()
	s.Study = filepath.Join(t.TempDir(), "study.db")
	found, err := autoblm.Search(t.Context(), datasets.World(), s)
	require.NoError(t, err)
	text := terminal(t)
	Study(s.Study)
	got := text.String()
	best := task.BestFirst(append(found.Best, found.Baselines...))[0]
	for _, want := range []string{
		"kept", "baseline", "validation MRR", "test MRR", "[picture", best.Structure.String(),
		Row(best.Score)[0], Row(best.TestScore)[0],
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if rows := strings.Count(got, ";"); rows > mostRows*4 {
		t.Errorf("more than %d rows in\n%s", mostRows, got)
	}
}

// TestModels checks the order of models, and that a baseline which the strategy proposes too is
// listed once.
func TestModels(t *testing.T) {
	trial := func(number int, name string, score float64) task.Trial {
		return task.Trial{
			Number: number, Name: name, State: task.Complete, Score: &score, Structure: complEx,
		}
	}
	low, high, both := trial(1, "", 0.1), trial(2, "", 0.3), trial(3, "complex", 0.2)
	high.Structure = RandomStructure(rand.New(rand.NewPCG(1, 2)), 4, 9)
	r := &search.Result{
		Best: []task.Trial{high, both, low}, Baselines: []task.Trial{both, trial(4, "quate", 0.05)},
	}
	var names []string
	for _, m := range models(r) {
		names = append(names, nameOf(m.Trials[0]))
	}
	if got, want := strings.Join(names, " "), "structure found ComplEx structure found, is ComplEx QuatE"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEnsemble(t *testing.T) {
	text := terminal(t)
	Ensemble(&search.Result{})
	if want := "No ensemble is better than the best model.\n"; text.String() != want {
		t.Errorf("without an ensemble: %q", text.String())
	}
	score, test := 0.5, 0.4
	member := task.Trial{Number: 7, Name: "complex", Structure: complEx, Score: &test}
	member.Recipe.Seed = 3
	text = terminal(t)
	Ensemble(&search.Result{
		Metric: "MRR", Trials: []task.Trial{{Number: 6}, member},
		Ensemble: &task.Trial{
			Kept: true, Score: &score, TestScore: &test,
			Ensemble: &task.Selection{Members: []int{7}},
		},
	})
	want := "model         structure                            seed  validation MRR  test MRR\n" +
		"ComplEx       `1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2`  3     0.400           –\n" +
		"**ensemble**                                             0.500           0.400\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
