package show

import (
	"context"
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
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// tiny searches in no time.
func tiny() autoblm.SearchSettings {
	s := autoblm.DefaultSearch()
	s.Settings = search.Plain()
	s.Budget, s.Training.Dim, s.Training.Epochs = 10, 8, 1
	return s
}

var finished = regexp.MustCompile(`^10 structures trained in [0-9.]+ s; best MRR 0\.\d{3}, of the named models 0\.\d{3} \(\w+\)\n[▁▂▃▄▅▆▇█]{10}$`)

// TestSearchInANotebook: there is one output, which ends with what came of it.
func TestSearchInANotebook(t *testing.T) {
	n := openNotebook(t)
	told := 0
	s := tiny()
	s.OnProgress = func(search.Progress) { told++ }
	found, err := Search(t.Context(), datasets.World(), s)
	if err != nil {
		t.Fatal(err)
	}
	if found.Trained != 10 || told == 0 {
		t.Errorf("%d structures trained, and the caller was told %d times", found.Trained, told)
	}
	for _, sent := range n.sent {
		if sent.DisplayID == "" || sent.DisplayID != n.sent[0].DisplayID {
			t.Errorf("an output of its own: %v", sent)
		}
	}
	if last := n.sent[len(n.sent)-1].Data[protocol.MIMETextPlain].(string); !finished.MatchString(last) {
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

func TestSearchThatWasInterrupted(t *testing.T) {
	text := terminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, datasets.World(), tiny()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "interrupted") {
		t.Errorf("%q", text.String())
	}
}

func TestSearchThatCannotBe(t *testing.T) {
	s := tiny()
	s.Algorithm = "guessing"
	if _, err := Search(t.Context(), datasets.World(), s); err == nil {
		t.Error("no error")
	}
}

// TestLine: the line changes a few times a second at most, and shows what was
// missed in between.
func TestLine(t *testing.T) {
	n := openNotebook(t)
	clock := time.Unix(100, 0)
	l := line{screen: here, id: "one", now: func() time.Time { return clock }}
	best := func(mrr float64) *task.Trial {
		return &task.Trial{State: task.Complete, Score: &mrr}
	}
	for _, step := range []struct {
		wait     time.Duration
		progress search.Progress
		want     string // "" for no change
	}{
		{0, search.Progress{Stage: task.Tuning, Trained: 1, Budget: 4}, "training tune: 1 of 4 recipes"},
		{time.Second, search.Progress{Stage: task.Searching, Named: true}, "training the named models"},
		{time.Second, search.Progress{Stage: task.Sizing, Trained: 1, Budget: 4}, "training in larger dimensions"},
		{time.Second, search.Progress{Stage: task.Resplit, Trained: 1, Budget: 4}, "training by other splits: 1 of 4"},
		{time.Second, search.Progress{Stage: task.EnsembleSelection, Budget: 1}, "choosing an ensemble"},
		{time.Second, search.Progress{Stage: task.Searching, Trained: 8, Budget: 16, Metric: "MRR", Best: best(0.1)}, "training 8 of 16 structures, best MRR 0.100\n▁"},
		{time.Millisecond, search.Progress{Stage: task.Searching, Trained: 9, Budget: 16, Metric: "MRR", Best: best(0.2)}, ""},
		{time.Millisecond, search.Progress{Stage: task.Searching, Trained: 9, Budget: 16, Metric: "MRR", Best: best(0.2)}, ""},
		{time.Second, search.Progress{Stage: task.Searching, Trained: 16, Budget: 16, Metric: "MRR", Best: best(0.45)}, "training 16 of 16 structures, best MRR 0.450\n▁▃█"},
	} {
		clock = clock.Add(step.wait)
		before := len(n.sent)
		l.update(step.progress)
		got := ""
		if len(n.sent) > before {
			got = n.sent[before].Data[protocol.MIMETextPlain].(string)
		}
		if got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
}

// TestPlanAndEnsemble: a search by minutes says its plan, and what is kept in the end. Who asked to
// be told of the plan is.
func TestPlanAndEnsemble(t *testing.T) {
	score := 0.4
	first, second := search.Plan{Structures: 10, Dim: 64, Epochs: 20}, search.Plan{Structures: 8, Dim: 64, Epochs: 20}
	var told []search.Plan
	n := openNotebook(t)
	s := autoblm.SearchSettings{OnPlan: func(p search.Plan) { told = append(told, p) }}
	if _, err := watch(s, func(s autoblm.SearchSettings) (*search.Result, error) {
		s.OnPlan(first)
		s.OnProgress(search.Progress{Stage: task.Searching, Trained: 1, Budget: 10})
		s.OnPlan(second)
		ensemble := task.Trial{Stage: task.EnsembleSelection, Score: &score, Kept: true, Ensemble: &task.Selection{Members: []int{1, 2, 3}}}
		return &search.Result{Plan: &second, Kept: &ensemble, Metric: "MRR", Stopped: search.TimeUp}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 2 || len(n.sent) != 2 {
		t.Fatalf("%d plans told, %d texts shown, want 2 of each", len(told), len(n.sent))
	}
	during, _ := n.sent[0].Data[protocol.MIMETextPlain].(string)
	if want := "the plan: " + first.String() + "\ntraining 1 of 10 structures"; during != want {
		t.Errorf("%q, want %q", during, want)
	}
	after, _ := n.sent[1].Data[protocol.MIMETextPlain].(string)
	if !strings.HasPrefix(after, "the plan: "+second.String()+"\n") || !strings.Contains(after, "; an ensemble of 3 is kept, MRR 0.400") {
		t.Errorf("it ends with %q", after)
	}
}

// TestSearchForClasses: the line is of accuracies where these decide.
func TestSearchForClasses(t *testing.T) {
	g := &rdf.Graph{Name: "kinds", Nodes: []string{"<hub:0>", "<hub:1>"}, Relations: []string{"<r>"}, Classes: []string{"a", "b"}}
	for i := range int32(12) {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Triples = append(g.Triples, datasets.Triple{Head: i + 2, Tail: i % 2})
		g.Train = append(g.Train, rdf.Label{Node: i + 2, Class: i % 2})
	}
	c := classify.Defaults(classify.BLM)
	c.Dim, c.Layers, c.Epochs, c.Folds, c.Runs = 4, 1, 4, 2, 0
	classes := &classify.Task{Graph: g, Settings: classify.TaskSettings{Convolution: c, Member: classify.DefaultMember()}, Engine: cpu.New(1)}
	defer classes.Close()
	text := terminal(t)
	found, err := SearchFor(t.Context(), classes, tiny())
	if err != nil {
		t.Fatal(err)
	}
	best := fmt.Sprintf("; best accuracy %.3f, of the named models ", *found.Best[0].Score)
	if !strings.Contains(text.String(), best) || strings.Contains(text.String(), "MRR") {
		t.Errorf("%q, want %q in it", text.String(), best)
	}
	l := line{screen: here, now: time.Now}
	if l.update(search.Progress{Stage: task.Searching, Trained: 1, Metric: found.Metric, Best: &found.Best[0]}); len(l.course) != 1 || l.course[0] != *found.Best[0].Score {
		t.Errorf("the course is %v, the accuracy %v", l.course, *found.Best[0].Score)
	}
	if words := doing(search.Progress{Stage: task.Searching, Trained: 1, Budget: 10, Metric: found.Metric, Best: &found.Best[0]}); !strings.HasSuffix(words, fmt.Sprintf("best accuracy %.3f", *found.Best[0].Score)) {
		t.Errorf("%q", words)
	}
}
