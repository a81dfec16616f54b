package show

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// tiny returns the settings of a very short search.
func tiny() autoblm.SearchSettings {
	s := autoblm.DefaultSearch()
	s.Settings = search.BasicSettings()
	s.Budget, s.Training.Dim, s.Training.Epochs = 10, 8, 1
	return s
}

var finished = regexp.MustCompile(`^10 structures trained in [0-9.]+ s; best MRR 0\.\d{3}, ` +
	`best baseline 0\.\d{3} \(\w+\)$`)

// TestSearchInNotebook checks that a search updates one output, which ends with the result.
func TestSearchInNotebook(t *testing.T) {
	n := openNotebook(t)
	calls := 0
	s := tiny()
	s.OnProgress = func(search.Progress) { calls++ }
	found, err := Search(t.Context(), datasets.World(), s)
	require.NoError(t, err)
	if found.Trained != 10 || calls == 0 {
		t.Errorf("%d structures trained, %d calls of OnProgress", found.Trained, calls)
	}
	for _, sent := range n.sent {
		if sent.DisplayID == "" || sent.DisplayID != n.sent[0].DisplayID {
			t.Errorf("a second output: %v", sent)
		}
	}
	if last := n.sent[len(n.sent)-1].Data[protocol.MIMETextPlain].(string); !finished.MatchString(
		last) {
		t.Errorf("it ends with %q", last)
	}
}

func TestSearchAsText(t *testing.T) {
	text := terminal(t)
	if _, err := Search(t.Context(), datasets.World(), tiny()); err != nil {
		t.Fatal(err)
	}
	if lines, ended := strings.CutSuffix(text.String(), "\n"); !ended || !finished.MatchString(lines) {
		t.Errorf("%q", text.String())
	}
}

func TestInterruptedSearch(t *testing.T) {
	text := terminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, datasets.World(), tiny()); !errors.Is(err, autoblm.ErrNoModel) {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "interrupted") {
		t.Errorf("%q", text.String())
	}
}

func TestSearchFails(t *testing.T) {
	s := tiny()
	s.Algorithm = "guessing"
	if _, err := Search(t.Context(), datasets.World(), s); err == nil {
		t.Error("no error")
	}
}

// TestMonitor checks that the output changes a few times a second at most, and then includes all
// progress.
func TestMonitor(t *testing.T) {
	n := openNotebook(t)
	clock := time.Unix(100, 0)
	m := monitor{screen: here, id: "one", now: func() time.Time { return clock }}
	best := func(mrr float64) *task.Trial {
		return &task.Trial{State: task.Complete, Score: &mrr}
	}
	searching := func(trained int, mrr float64) search.Progress {
		return search.Progress{
			Stage: task.Searching, Trained: trained, Budget: 16, Metric: "MRR", Best: best(mrr),
		}
	}
	in := func(stage task.Stage) search.Progress {
		return search.Progress{Stage: stage, Trained: 1, Budget: 4}
	}
	for _, step := range []struct {
		wait     time.Duration
		progress search.Progress
		want     string // "" for no change
	}{
		{0, in(task.Tuning), fmt.Sprintf("%s: 1 of 4", task.Tuning)},
		{
			time.Second, search.Progress{Stage: task.Searching, Baselines: true},
			"training the baselines",
		},
		{time.Second, searching(8, 0.1), "training 8 of 16 structures, best MRR 0.100"},
		{time.Millisecond, searching(9, 0.2), ""},
		{time.Millisecond, searching(9, 0.2), ""},
		{time.Second, searching(16, 0.45), "training 16 of 16 structures, best MRR 0.450"},
	} {
		clock = clock.Add(step.wait)
		before := len(n.sent)
		m.update(step.progress)
		got := ""
		if len(n.sent) > before {
			got = n.sent[before].Data[protocol.MIMETextPlain].(string)
		}
		if got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
}

// TestPlanAndEnsemble checks that the output has the plan and the ensemble, and that the caller's
// OnPlan is called.
func TestPlanAndEnsemble(t *testing.T) {
	score := 0.4
	first := search.Plan{Structures: 10, Dim: 64, Epochs: 20}
	second := search.Plan{Structures: 8, Dim: 64, Epochs: 20}
	var plans []search.Plan
	n := openNotebook(t)
	s := autoblm.SearchSettings{OnPlan: func(p search.Plan) { plans = append(plans, p) }}
	if _, err := watch(s, func(s autoblm.SearchSettings) (*search.Result, error) {
		s.OnPlan(first)
		s.OnProgress(search.Progress{Stage: task.Searching, Trained: 1, Budget: 10})
		s.OnPlan(second)
		ensemble := task.Trial{
			Stage: task.EnsembleSelection, Score: &score, Kept: true,
			Ensemble: &task.Selection{Members: []int{1, 2, 3}},
		}
		return &search.Result{
			Plan: &second, Kept: &ensemble, Metric: "MRR", Stopped: search.TimeLimitReached,
		}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(plans) != 2 || len(n.sent) != 2 {
		t.Fatalf("%d plans and %d outputs, want 2 of each", len(plans), len(n.sent))
	}
	during, _ := n.sent[0].Data[protocol.MIMETextPlain].(string)
	if want := "plan: " + first.String() + "\ntraining 1 of 10 structures"; during != want {
		t.Errorf("%q, want %q", during, want)
	}
	after, _ := n.sent[1].Data[protocol.MIMETextPlain].(string)
	if !strings.HasPrefix(after, "plan: "+second.String()+"\n") ||
		!strings.Contains(after, "\nkept: ensemble of 3, MRR 0.400") {
		t.Errorf("it ends with %q", after)
	}
}

// TestSearchForClasses checks that the output has the metric of the task.
func TestSearchForClasses(t *testing.T) {
	g := &rdf.Graph{
		Name: "kinds", Nodes: []string{"<hub:0>", "<hub:1>"},
		Relations: []string{"<r>"}, Classes: []string{"a", "b"},
	}
	for i := range int32(12) {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Triples = append(g.Triples, datasets.Triple{Head: i + 2, Tail: i % 2})
		g.Train = append(g.Train, rdf.Label{Node: i + 2, Class: i % 2})
	}
	c := classify.Defaults(classify.BLM)
	c.Dim, c.Layers, c.Epochs, c.Folds, c.Runs = 4, 1, 4, 2, 0
	settings := classify.TaskSettings{Convolution: c, Member: classify.DefaultMember()}
	classes := &classify.Task{Graph: g, Settings: settings, Engine: cpu.New(1)}
	defer classes.Close()
	text := terminal(t)
	found, err := SearchFor(t.Context(), classes, tiny())
	require.NoError(t, err)
	best := fmt.Sprintf("; best accuracy %.3f, best baseline ", *found.Best[0].Score)
	if !strings.Contains(text.String(), best) || strings.Contains(text.String(), "MRR") {
		t.Errorf("%q, want %q in it", text.String(), best)
	}
}
