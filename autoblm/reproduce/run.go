package reproduce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

var (
	// ErrTooShort marks a call that came no further, since an epoch takes longer than
	// there was time.
	ErrTooShort = errors.New("no epoch ended in the time that was given: give more")
	// ErrDiverged marks a final training, or all those of a search, that diverged.
	ErrDiverged = errors.New("nothing came of it")
)

// Run runs the stages of a plan, as far as the time goes; what is complete already
// is not done again. What comes out in pieces is what comes out at once: to the bit
// on the engine cpu, and on others as far as they give the same bits twice.
//
// When ctx ends, and with [ErrTooShort] and [ErrDiverged], the result of what there
// is comes beside the error.
func Run(ctx context.Context, p Plan) (*Result, error) {
	if err := p.searchable(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Folder, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the reproduction: %w", err)
	}
	r := &run{Plan: p, result: &Result{
		Dataset: p.Graph.Name, Stage: p.Stage, Seed: p.Seed, Engine: p.Engine.Name(), Backend: p.Engine.Backend(kge.Float32),
	}}
	if p.Before != nil {
		if p.Before.Dataset != p.Graph.Name {
			return nil, fmt.Errorf("the folder %s has a result on %s: use another one", p.Folder, p.Before.Dataset)
		}
		r.result.Search, r.result.Final = p.Before.Search, p.Before.Final
	}
	err := r.stages(ctx)
	switch {
	case err == nil && !r.result.Complete && !r.gained:
		err = ErrTooShort
	case err != nil && ctx.Err() == nil && !errors.Is(err, ErrDiverged):
		return nil, err
	}
	return r.result, err
}

// run is a plan on its way.
type run struct {
	Plan
	result *Result
	gained bool // an epoch, or more
}

func (r *run) stages(ctx context.Context) error {
	best := r.Structure
	if r.Stage != Final {
		var err error
		if best, err = r.search(ctx); err != nil {
			return err
		}
		if !r.result.Search.Complete || r.Stage == Search {
			r.result.Complete = r.result.Search.Complete
			return nil
		}
	}
	if best.K() == 0 && r.Final.Form == form.Bilinear {
		var err error
		if best, err = r.given(); err != nil {
			return err
		}
	}
	err := r.train(ctx, r.Final.Training, r.Final.Member(best, r.Seed))
	r.result.Complete = r.result.Final != nil && r.result.Final.Complete
	return err
}

// limited ends with the time of the plan, if that is limited.
func (r *run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, r.Until)
}

// search searches, and returns the best structure when the search is complete.
func (r *run) search(ctx context.Context) (best structure.Structure, err error) {
	problem := search.Problem{
		Task:     &completion.Task{Graph: r.Graph, Engine: r.Engine, Checkpoint: r.checkpoint(searchTraining)},
		Strategy: search.Evolutionary{}, Settings: r.Plan.Search, MixEngines: r.MixEngines,
	}
	if err := problem.Task.Check(); err != nil { // before there is a study about it
		return best, err
	}
	opened, problem, err := study.OpenFor(r.Study, problem, nil)
	if err != nil {
		return best, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	settled := problem.Settings
	r.result.Backend = r.Engine.Backend(settled.Training.Precision)
	limited, cancel := r.limited(ctx)
	defer cancel()
	share := 1.0 // of all that is to be done, at the start
	problem.OnProgress = func(p search.Progress) {
		share = min(share, p.Share)
		r.gained = r.gained || p.Share > share
		if r.OnSearch != nil {
			r.OnSearch(p)
		}
	}
	if !r.Until.IsZero() {
		problem.Settings.TimeLimit = max(time.Until(r.Until), 1)
	}
	found, err := search.Run(limited, problem)
	if err != nil {
		return best, fmt.Errorf("the search failed: %w", err)
	}
	if found.Stopped == search.Interrupted && ctx.Err() == nil {
		found.Stopped = search.TimeUp
	}
	settled.Budget, settled.TimeLimit = 0, 0 // which a file does not have
	r.result.Search = &Searched{
		Algorithm: problem.Strategy.Name(), Recipe: r.SearchRecipe, Settings: settled, Precision: settled.Training.Precision, Budget: r.Plan.Search.Budget,
		Trained: found.Trained, Failed: found.Trained - found.Complete, Stopped: found.Stopped,
		Complete: found.Stopped == search.BudgetSpent || found.Stopped == search.SpaceExhausted,
		Seconds:  found.Seconds, Overhead: found.Overhead, Best: structures(found.Best), Named: structures(found.Named),
	}
	switch {
	case ctx.Err() != nil:
		return best, ctx.Err()
	case !r.result.Search.Complete:
		return best, nil
	case len(found.Best) == 0:
		return best, fmt.Errorf("%w: all %d structures diverged; try a smaller learning rate", ErrDiverged, found.Trained)
	}
	return found.Best[0].Structure, nil
}

func structures(trials []task.Trial) []Found {
	found := []Found{}
	for _, t := range trials {
		f := Found{Name: t.Name, Structure: t.Structure, ValidMRR: t.ScoreOrZero()}
		if t.TestScore != nil {
			f.TestMRR = *t.TestScore
		}
		found = append(found, f)
	}
	return found
}

// given is the structure of the final training when none is said: the best of the
// study, or that of the recipe.
func (r *run) given() (s structure.Structure, err error) {
	if _, err := os.Stat(r.Study); err != nil {
		if r.Final.Searches() {
			return s, fmt.Errorf("the recipe %s comes without a structure: give one, or a study that found one", r.Final.Name)
		}
		return r.Final.Structure, nil
	}
	contents, err := study.Read(r.Study)
	if err != nil {
		return s, err
	}
	best := contents.Result().Best
	if len(best) == 0 {
		return s, fmt.Errorf("the study %s has found nothing yet: give a structure, or search first", r.Study)
	}
	return best[0].Structure, nil
}

// train is the final training.
func (r *run) train(ctx context.Context, s kge.Settings, m kge.Member) error {
	before := r.result.Final
	if before != nil && s.Precision == kge.AutoPrecision {
		s.Precision = before.Training.Settings.Precision
	}
	job := kge.Job{
		Data: completion.Data(r.Graph), Settings: s, Members: []kge.Member{m}, Checkpoint: r.checkpoint(finalTraining),
		OnEpoch: func(p kge.Progress) {
			r.gained = true
			if r.OnEpoch != nil {
				r.OnEpoch(p)
			}
		},
	}
	var err error
	if job.Settings, err = job.Settled(r.Engine); err != nil {
		return err
	}
	r.result.Backend = r.Engine.Backend(job.Settings.Precision)
	wanted := kge.Training{Settings: job.Settings, Member: m}
	if before != nil {
		if !before.Training.Equal(wanted) {
			return fmt.Errorf("the folder %s has the result of another training: use another one", r.Folder)
		}
		if before.Complete {
			return before.failure()
		}
	}
	limited, cancel := r.limited(ctx)
	defer cancel()
	report, err := kge.Train(limited, r.Engine, job)
	if err != nil && limited.Err() == nil {
		return err
	}
	if report == nil { // not an epoch is over
		return ctx.Err()
	}
	first := report.Results[0]
	t := &Trained{
		Recipe: r.Final.Name, Training: wanted, Precision: wanted.Settings.Precision, Epochs: len(first.Loss), BestEpoch: first.BestEpoch, Complete: report.Complete,
		Seconds: report.Timing, Loss: first.Loss, Validations: first.Validations, Published: r.Final.Published,
	}
	r.result.Final = t
	if first.Err != nil {
		t.Error = first.Err.Error()
		return t.failure()
	}
	if err != nil || t.Epochs == 0 { // amid an epoch, of which the model has a part
		return ctx.Err()
	}
	return r.evaluate(ctx, first.Model)
}

// evaluate ranks by the model of the best epoch so far, and keeps the last one.
func (r *run) evaluate(ctx context.Context, m *kge.Model) error {
	t := r.result.Final
	stop := t.Seconds.Evaluating(r.Engine)
	e, err := completion.EvaluateAll(ctx, r.Engine, []*kge.Model{m}, r.Graph)
	if err != nil {
		t.Complete = false // what is complete has its metrics
		return err
	}
	stop()
	t.Valid, t.Test = e[0].Valid, e[0].Test
	if !t.Complete {
		return nil
	}
	return m.Save(r.ModelFolder())
}

// failure is the error of a training that diverged.
func (t *Trained) failure() error {
	if t.Error == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrDiverged, t.Error)
}
