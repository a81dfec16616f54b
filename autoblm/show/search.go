package show

import (
	"context"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/janpfeifer/gonb/gonbui"
)

// Search is [autoblm.Search] with a line that says how far it is and, below it as a
// sparkline, how the best validation MRR rises; above it is the plan, where the search makes
// one. They change in place; what stays of them, and all that there is outside a notebook, is
// the plan and what the search came to.
func Search(ctx context.Context, g *datasets.Graph, s autoblm.SearchSettings) (found *autoblm.Found, err error) {
	_, err = watch(s, func(s autoblm.SearchSettings) (*search.Result, error) {
		if found, err = autoblm.Search(ctx, g, s); err != nil {
			return nil, err
		}
		return found.Result, nil
	})
	return found, err
}

// SearchFor is [autoblm.SearchFor] with the same line, of what decides for the task.
func SearchFor(ctx context.Context, t task.Task, s autoblm.SearchSettings) (*search.Result, error) {
	return watch(s, func(s autoblm.SearchSettings) (*search.Result, error) { return autoblm.SearchFor(ctx, t, s) })
}

// watch tells of a search while it runs.
func watch(s autoblm.SearchSettings, run func(autoblm.SearchSettings) (*search.Result, error)) (*search.Result, error) {
	l := line{screen: here, id: "search-" + gonbui.UniqueId(), now: time.Now}
	told, planned := s.OnProgress, s.OnPlan
	s.OnProgress = func(p search.Progress) {
		l.update(p)
		if told != nil {
			told(p)
		}
	}
	s.OnPlan = func(p search.Plan) {
		l.plan = &p
		if planned != nil {
			planned(p)
		}
	}
	began := time.Now()
	result, err := run(s)
	if err != nil {
		return nil, err
	}
	l.finish(result, time.Since(began))
	return result, nil
}

// line tells of a search while it runs.
type line struct {
	screen screen
	id     string
	now    func() time.Time

	shown time.Time    // when it last changed
	plan  *search.Plan // nil without one
	// course has the best score after each change of the number of structures.
	course  []float64
	trained int
}

const (
	// often enough to see it move, and not so often that it takes time.
	interval = 250 * time.Millisecond
	// sparkWidth has room in a narrow notebook, on a line of its own.
	sparkWidth = 32
)

func (l *line) update(p search.Progress) {
	if p.Best != nil && p.Stage == task.Searching && !p.Named && p.Trained > l.trained {
		l.trained = p.Trained
		l.course = append(l.course, p.Best.ScoreOrZero())
	}
	if !l.screen.notebook || l.now().Sub(l.shown) < interval {
		return
	}
	l.shown = l.now()
	l.put(doing(p), l.course)
}

// doing says what a search is at.
func doing(p search.Progress) string {
	words := fmt.Sprintf("%d of %d structures", p.Trained, p.Budget)
	switch {
	case p.Named:
		words = "the named models"
	case p.Stage == task.Sizing:
		words = "in larger dimensions"
	case p.Stage == task.Retraining:
		words = fmt.Sprintf("with other seeds: %d of %d", p.Trained, p.Budget)
	case p.Stage == task.Resplit:
		words = fmt.Sprintf("by other splits: %d of %d", p.Trained, p.Budget)
	case p.Stage != task.Searching:
		words = fmt.Sprintf("%s: %d of %d recipes", p.Stage, p.Trained, p.Budget)
	}
	words = "training " + words
	if p.Stage == task.EnsembleSelection {
		words = "choosing an ensemble"
	}
	if p.Best != nil {
		words += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	return words
}

func (l *line) finish(r *search.Result, took time.Duration) {
	l.plan = r.Plan
	l.put(outcome(r, took), course(r.Trials))
}

// outcome says what a search came to.
func outcome(r *search.Result, took time.Duration) string {
	said := fmt.Sprintf("%s trained in %.1f s", format.Count(r.Trained, "structure"), took.Seconds())
	if r.Resumed > 0 {
		said += fmt.Sprintf(", %d of them by an earlier run", r.Resumed)
	}
	if r.Stopped != search.BudgetSpent {
		said += fmt.Sprintf(" (ended by: %s)", r.Stopped)
	}
	if len(r.Best) > 0 {
		said += fmt.Sprintf("; best %s %.3f", r.Metric, r.Best[0].ScoreOrZero())
	}
	if best, ok := bestNamed(r.Named); ok {
		said += fmt.Sprintf(", of the named models %.3f (%s)", best.ScoreOrZero(), structure.TitleOf(best.Name))
	}
	if k := r.Kept; k != nil && k.Ensemble != nil {
		said += fmt.Sprintf("; an ensemble of %d is kept, %s %.3f", len(k.Ensemble.Members), r.Metric, k.ScoreOrZero())
	}
	return said
}

func (l *line) put(words string, course []float64) {
	if l.plan != nil {
		words = fmt.Sprintf("the plan: %v\n%s", *l.plan, words)
	}
	if spark := sparkline(course, sparkWidth); spark != "" {
		words += "\n" + spark
	}
	l.screen.show(value{text: words + "\n", id: l.id})
}

// course is the best score after each of the trials that a strategy proposed.
func course(trials []task.Trial) []float64 {
	var best []float64
	top := 0.0
	for _, t := range trials {
		if t.Round > 0 && t.Stage != task.HalvingRung && t.State == task.Complete {
			top = max(top, t.ScoreOrZero())
			best = append(best, top)
		}
	}
	return best
}

func bestNamed(named []task.Trial) (best task.Trial, ok bool) {
	for _, t := range named {
		if t.State == task.Complete && (!ok || t.ScoreOrZero() > best.ScoreOrZero()) {
			best, ok = t, true
		}
	}
	return best, ok
}
