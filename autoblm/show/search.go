package show

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/janpfeifer/gonb/gonbui"
)

// Search runs [autoblm.Search] and shows its plan and its progress. The output changes in place. At
// the end, it shows the plan and the result, as it does outside a notebook.
func Search(
	ctx context.Context, g *datasets.Graph, s autoblm.SearchSettings,
) (found *autoblm.Found, err error) {
	_, failed := watch(s, func(s autoblm.SearchSettings) (*search.Result, error) {
		found, err = autoblm.Search(ctx, g, s)
		if err != nil && !errors.Is(err, autoblm.ErrNoModel) {
			return nil, err
		}
		return found.Result, nil
	})
	if failed != nil {
		return nil, failed
	}
	return found, err
}

// SearchFor runs [autoblm.SearchFor] and shows the same output with the metric of the task.
func SearchFor(ctx context.Context, t task.Task, s autoblm.SearchSettings) (*search.Result, error) {
	return watch(s, func(s autoblm.SearchSettings) (*search.Result, error) {
		return autoblm.SearchFor(ctx, t, s)
	})
}

// watch shows the progress of a search while it runs.
func watch(
	s autoblm.SearchSettings, run func(autoblm.SearchSettings) (*search.Result, error),
) (*search.Result, error) {
	m := monitor{screen: here, id: "search-" + gonbui.UniqueId(), now: time.Now}
	onProgress, onPlan := s.OnProgress, s.OnPlan
	s.OnProgress = func(p search.Progress) {
		m.update(p)
		if onProgress != nil {
			onProgress(p)
		}
	}
	s.OnPlan = func(p search.Plan) {
		m.plan = &p
		if onPlan != nil {
			onPlan(p)
		}
	}
	began := time.Now()
	result, err := run(s)
	if err != nil {
		return nil, err
	}
	m.plan = result.Plan
	m.put(describeResult(result, time.Since(began)))
	return result, nil
}

// monitor shows the progress of a search.
type monitor struct {
	screen screen
	id     string
	now    func() time.Time
	shown  time.Time    // time of the last output
	plan   *search.Plan // nil without one
}

const interval = 250 * time.Millisecond // between outputs

func (m *monitor) update(p search.Progress) {
	if !m.screen.notebook || m.now().Sub(m.shown) < interval {
		return
	}
	m.shown = m.now()
	m.put(describeProgress(p))
}

func describeProgress(p search.Progress) string {
	text := fmt.Sprintf("%s: %d of %d", p.Stage, p.Trained, p.Budget)
	switch {
	case p.Baselines:
		text = "training the baselines"
	case p.Stage == task.Searching:
		text = fmt.Sprintf("training %d of %d structures", p.Trained, p.Budget)
	}
	if p.Best != nil {
		text += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	return text
}

func describeResult(r *search.Result, took time.Duration) string {
	structures := format.Count(r.Trained, "structure")
	text := fmt.Sprintf("%s trained in %.1f s", structures, took.Seconds())
	if r.Resumed > 0 {
		text += fmt.Sprintf(", %d of them in an earlier run", r.Resumed)
	}
	if r.Stopped != search.BudgetSpent {
		text += fmt.Sprintf(" (stopped: %s)", r.Stopped)
	}
	if len(r.Best) > 0 {
		text += fmt.Sprintf("; best %s %.3f", r.Metric, r.Best[0].ScoreOrZero())
	}
	if best, ok := bestOf(r.Baselines); ok {
		text += fmt.Sprintf(", best baseline %.3f (%s)",
			best.ScoreOrZero(), best.ModelName())
	}
	if k := r.Kept; k != nil && k.Ensemble != nil {
		text += fmt.Sprintf("\nkept: %s, %s %.3f", k.ModelName(), r.Metric, k.ScoreOrZero())
	}
	return text
}

func (m *monitor) put(text string) {
	if m.plan != nil {
		text = fmt.Sprintf("plan: %v\n%s", *m.plan, text)
	}
	m.screen.show(value{text: text + "\n", id: m.id})
}

func bestOf(trials []task.Trial) (best task.Trial, ok bool) {
	for _, t := range trials {
		if t.State == task.Complete && (!ok || t.ScoreOrZero() > best.ScoreOrZero()) {
			best, ok = t, true
		}
	}
	return best, ok
}
