package stage

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// ensembleTask is a task whose ensembles have the first candidates as members.
type ensembleTask struct {
	fakeTask
	gain  float64 // over the best alone
	calls *int
	stop  func(ctx context.Context) error // nil where the choice comes to its end
}

func (ensembleTask) Supports() task.Capabilities { return task.Capabilities{Ensembles: true} }

func (g ensembleTask) Ensemble(
	ctx context.Context, candidates, size int, read func(int) (task.Artifact, error),
) (*task.Ensemble, error) {
	*g.calls++
	if g.stop != nil {
		if err := g.stop(ctx); err != nil {
			return nil, err
		}
	}
	ensemble := &task.Ensemble{Score: 10 + g.gain, BestCandidate: 10}
	together := ""
	for place := range candidates {
		a, err := read(place)
		if err != nil {
			return nil, err
		}
		files, err := a.Files()
		if err != nil {
			return nil, err
		}
		if place < size {
			ensemble.Members, together = append(ensemble.Members, place), together+" "+string(files["number"])
		}
	}
	ensemble.Artifact = task.Files{"number": []byte(together)}
	return ensemble, nil
}

// withEnsemble returns a problem whose ensemble gains some score over the best model, and the number
// of selections so far.
func withEnsemble(gain float64) (p search.Problem, calls *int) {
	calls = new(int)
	s := search.BasicSettings()
	s.Budget, s.RetrainSeeds, s.Ensemble = 12, 2, 4
	score := func(t task.Trial) float64 { return float64(t.Number%7) + float64(t.Recipe.Seed)/100 }
	on := ensembleTask{fakeTask{score: score, artifacts: true}, gain, calls, nil}
	return problem(on, strategy.Random{}, s), calls
}

// TestEnsemble: all retrained models are candidates, and the ensemble is stored if it is better than
// the best model on unused data.
func TestEnsemble(t *testing.T) {
	for gain, kept := range map[float64]bool{1: true, 0: false, -1: false} {
		p, calls := withEnsemble(gain)
		for again := range 2 {
			r := run(t, p)
			if *calls != 1 || r.Ensemble == nil || len(r.Ensemble.Ensemble.Candidates) != 10 ||
				len(r.Members()) != 4 ||
				*r.Ensemble.Score != 10+gain ||
				r.Stopped != search.BudgetSpent {
				t.Fatalf("gain %v: %d selections, %+v", gain, *calls, r.Ensemble)
			}
			for _, m := range r.Members() {
				if m.Stage != task.Retraining {
					t.Errorf("a member is %+v", m)
				}
			}
			if checkKept(t, r); (r.Kept.Stage == task.EnsembleSelection) != kept {
				t.Errorf("gain %v, run %d: kept %+v", gain, again, r.Kept)
			}
		}
	}
	p, calls := withEnsemble(1)
	p.Settings.Ensemble = 1
	if r := run(t, p); *calls != 1 || r.Kept.Stage != task.Retraining {
		t.Errorf("an ensemble of one is kept as %+v", r.Kept)
	}
	for name, change := range map[string]func(*search.Problem){
		"no ensemble": func(p *search.Problem) { p.Settings.Ensemble = 0 },
		"no seeds":    func(p *search.Problem) { p.Settings.RetrainSeeds = 0 },
		"other task":  func(p *search.Problem) { p.Task = p.Task.(ensembleTask).fakeTask },
	} {
		p, calls := withEnsemble(1)
		store := p.Store.(*search.Memory)
		change(&p)
		r := run(t, p)
		artifacts := 0
		for _, trial := range r.Trials {
			if a, err := store.Artifact(trial.Number); a != nil || err != nil {
				artifacts++
			}
		}
		if *calls != 0 || r.Ensemble != nil || artifacts > 0 {
			t.Errorf("%s: %d selections, %+v, %d artifacts", name, *calls, r.Ensemble, artifacts)
		}
		if settled, err := search.Resolve(p.Task, p.Settings); err != nil || settled.Ensemble != 0 {
			t.Errorf("%s: the settings are settled with an ensemble of %d, %v", name,
				settled.Ensemble, err)
		}
	}
}

// TestEnsembleWithLargerBudget: new candidates lead to another selection, and the stored artifact is
// that of the kept trial at any time.
func TestEnsembleWithLargerBudget(t *testing.T) {
	for _, gain := range []float64{1, -1} {
		for _, better := range []bool{true, false} {
			p, calls := withEnsemble(1)
			before := run(t, p)
			first := checkKept(t, before)
			g := p.Task.(ensembleTask)
			g.gain = gain
			g.score = func(t task.Trial) float64 {
				if t.Stage == task.Retraining && !better {
					return 0.1
				}
				return float64(t.Number)
			}
			p.Settings.Budget = 40
			interrupted := g
			ctx, cancel := context.WithCancel(t.Context())
			interrupted.stop = func(ctx context.Context) error { cancel(); return ctx.Err() }
			p.Task = interrupted
			between, err := Run(ctx, p)
			if err != nil || between.Stopped != search.Interrupted {
				t.Fatalf("stopped by %q, %v", between.Stopped, err)
			}
			if now := checkKept(t, between); better == (now == first) {
				t.Errorf("between the selections %s is kept, before them %s; new seeds better: %v",
					now, first, better)
			}
			p.Task = g
			r := run(t, p)
			if *calls != 3 || len(r.Ensemble.Ensemble.Candidates) <= 10 ||
				r.Ensemble.Number != before.Ensemble.Number {
				t.Errorf("%d selections, %+v", *calls, r.Ensemble)
			}
			if checkKept(t, r); (r.Kept.Stage == task.EnsembleSelection) != (gain > 0) {
				t.Errorf("gain %v: kept %+v", gain, r.Kept)
			}
		}
	}
}

// TestCandidatesCoverAllStructures: of many trials the best of each structure are candidates.
func TestCandidatesCoverAllStructures(t *testing.T) {
	p, _ := withEnsemble(1)
	p.Settings.RetrainSeeds = 10
	r := run(t, p)
	candidates := r.Ensemble.Ensemble.Candidates
	if !slices.IsSorted(candidates) || len(candidates) != maxCandidates {
		t.Errorf("the candidates are %v", candidates)
	}
	fewest, most := len(candidates), 0
	for _, again := range r.Retrained {
		var in, out []float64
		for _, t := range again.Trials {
			if slices.Contains(candidates, t.Number) {
				in = append(in, *t.Score)
			} else {
				out = append(out, *t.Score)
			}
		}
		fewest, most = min(fewest, len(in)), max(most, len(in))
		if slices.Max(out) > slices.Min(in) {
			t.Errorf("%v: %v are no candidates, and %v are", again.Structure, out, in)
		}
	}
	if most-fewest > 1 || len(r.Retrained) != 5 {
		t.Errorf("%d structures have %d to %d candidates", len(r.Retrained), fewest, most)
	}
}

// TestEnsembleNotSelected: without time or memory the best model remains, and a resumed search has
// the same result as one without interruption.
func TestEnsembleNotSelected(t *testing.T) {
	p, _ := withEnsemble(1)
	want := run(t, p)
	for name, c := range map[string]struct {
		stop    func(ctx context.Context) error
		limit   time.Duration
		stopped search.Stop
		note    string
	}{
		"time":   {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 100 * time.Millisecond, search.TimeLimitReached, "no ensemble was selected: time limit reached"},
		"memory": {func(context.Context) error { return memory.Check(1e300, "an ensemble", "none") }, 0, search.BudgetSpent, "no ensemble was selected: an ensemble would take"},
	} {
		p, _ := withEnsemble(1)
		g := p.Task.(ensembleTask)
		limited := p
		stopping := g
		stopping.stop = c.stop
		limited.Task, limited.Settings.TimeLimit = stopping, c.limit
		r := run(t, limited)
		if r.Stopped != c.stopped || !strings.HasPrefix(r.Note, c.note) || r.Ensemble != nil ||
			r.Kept.Stage != task.Retraining {
			t.Errorf("%s: stopped by %q, %q, kept %+v", name, r.Stopped, r.Note, r.Kept)
		}
		checkKept(t, r)
		checkSame(t, name, run(t, p), want)
	}
	p, calls := withEnsemble(1) // the time for the first choice
	g := p.Task.(ensembleTask)
	hasty, limited := g, p
	hasty.stop = func(ctx context.Context) error {
		if *calls == 1 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	limited.Task, limited.Settings.TimeLimit = hasty, 300*time.Millisecond
	r := run(t, limited)
	checkKept(t, r)
	if r.Stopped != search.TimeLimitReached || r.Kept.Ensemble == nil ||
		len(r.Ensemble.Ensemble.Candidates) != fewCandidates ||
		r.Note != "the ensemble was selected from 8 of 10 candidates: time limit reached" {
		t.Errorf("stopped by %q, %q, %+v", r.Stopped, r.Note, r.Ensemble)
	}
	checkSame(t, "after a first selection", run(t, p), want)

	wrong := errors.New("wrong")
	p, _ = withEnsemble(1)
	g = p.Task.(ensembleTask)
	g.stop = func(context.Context) error { return wrong }
	p.Task = g
	if _, err := Run(t.Context(), p); !errors.Is(err, wrong) {
		t.Errorf("an error becomes %v", err)
	}
	p.Store = forgetful{p.Store}
	g.stop = nil
	p.Task = g
	if _, err := Run(t.Context(), p); err == nil ||
		!strings.Contains(err.Error(), "has lost the artifact") {
		t.Errorf("without stored artifacts: %v", err)
	}
}

// checkSame checks that a resumed search has the same results as one without interruption.
func checkSame(t *testing.T, name string, r, want *search.Result) {
	t.Helper()
	if !reflect.DeepEqual(withoutSeconds(r.Trials), withoutSeconds(want.Trials)) ||
		!reflect.DeepEqual(r.Artifact, want.Artifact) {
		t.Errorf("%s: the resumed search has other results", name)
	}
}

// forgetful is a store without artifacts of trials.
type forgetful struct{ search.Store }

func (forgetful) Artifact(int) (task.Artifact, error) { return nil, nil }
