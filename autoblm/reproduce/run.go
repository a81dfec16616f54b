package reproduce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

var (
	// ErrTooShort reports that no epoch completed before the deadline.
	ErrTooShort = errors.New("no epoch completed before the deadline: allow more time")
	// ErrDiverged reports that the final training, or every trial of a search, diverged.
	ErrDiverged = errors.New("training diverged")
)

// Run runs the stages of a plan until the deadline, and skips what is complete. On the engine cpu
// several calls give the same result as one, to the bit. Other engines are as reproducible as
// they are for one call.
//
// When ctx ends, and with [ErrTooShort] and [ErrDiverged], Run returns the results so far next to
// the error.
func Run(ctx context.Context, p Plan) (*Result, error) {
	if err := p.checkSearchable(); err != nil {
		return nil, err
	}
	if p.Stage != Final && len(p.Graph.Valid) == 0 {
		return nil, fmt.Errorf("%s has no validation triples to select a structure by: set stage to %s",
			p.Graph.Name, Final)
	}
	if err := os.MkdirAll(p.Folder, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the reproduction: %w", err)
	}
	r := &run{Plan: p, result: &Result{
		Dataset: p.Graph.Name,
		Stage:   p.Stage,
		Seed:    p.Seed,
		Engine:  p.Engine.Name(),
		Backend: p.Engine.Backend(kge.Float32),
	}}
	if p.Before != nil {
		if p.Before.Dataset != p.Graph.Name {
			return nil, fmt.Errorf("the folder %s has a result on %s: use another folder",
				p.Folder, p.Before.Dataset)
		}
		r.result.Search, r.result.Final = p.Before.Search, p.Before.Final
		if s := p.Before.Search; p.Stage == All && s != nil && p.Before.Final != nil &&
			p.Search.Budget > s.Budget {
			return nil, fmt.Errorf("the folder %s has the final training of the best of %d structures: "+
				"use another folder for the best of %d", p.Folder, s.Budget, p.Search.Budget)
		}
	}
	err := r.stages(ctx)
	switch {
	case err == nil && !r.result.Complete && !r.progressed:
		err = ErrTooShort
	case err != nil && ctx.Err() == nil && !errors.Is(err, ErrDiverged):
		return nil, err
	}
	return r.result, err
}

// run is the state of a call of Run.
type run struct {
	Plan
	result     *Result
	progressed bool // by an epoch or more
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
		if best, err = r.defaultStructure(); err != nil {
			return err
		}
	}
	err := r.train(ctx, r.Final.Training, r.Final.Member(best, r.Seed))
	r.result.Complete = r.result.Final != nil && r.result.Final.Complete
	return err
}

// withDeadline returns a context with the deadline of the plan, if it has one.
func (r *run) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, r.Until)
}

// search runs the search, and returns the best structure once it is complete.
func (r *run) search(ctx context.Context) (best structure.Structure, err error) {
	problem := search.Problem{
		Task: &completion.Task{
			Graph:      r.Graph,
			Engine:     r.Engine,
			Checkpoint: r.checkpoint(searchTraining),
		},
		Strategy:   strategy.Evolutionary{},
		Settings:   r.Plan.Search,
		MixEngines: r.MixEngines,
	}
	if err := problem.Task.Check(); err != nil { // before OpenFor creates a study
		return best, err
	}
	if r.Distribute != nil {
		if problem.Task, err = r.Distribute(ctx, problem.Task); err != nil {
			return best, err
		}
	}
	opened, problem, err := study.OpenFor(r.Study, problem, nil)
	if err != nil {
		return best, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	settings := problem.Settings
	r.result.Backend = r.Engine.Backend(settings.Training.Precision)
	limited, cancel := r.withDeadline(ctx)
	defer cancel()
	share := 1.0 // of the work that is done, as first reported
	problem.OnProgress = func(p search.Progress) {
		share = min(share, p.Share)
		r.progressed = r.progressed || p.Share > share
		if r.OnSearch != nil {
			r.OnSearch(p)
		}
	}
	if !r.Until.IsZero() {
		problem.Settings.TimeLimit = max(time.Until(r.Until), 1)
	}
	found, err := stage.Run(limited, problem)
	if err != nil {
		return best, fmt.Errorf("the search failed: %w", err)
	}
	if found.Stopped == search.Interrupted && ctx.Err() == nil {
		found.Stopped = search.TimeLimitReached
	}
	settings.Budget, settings.TimeLimit = 0, 0 // not part of the stored settings
	r.result.Search = &Searched{
		Algorithm: problem.Strategy.Name(),
		Recipe:    r.SearchRecipe,
		Settings:  settings,
		Precision: settings.Training.Precision,
		Budget:    r.Plan.Search.Budget,
		Trained:   found.Trained,
		Failed:    found.Trained - found.Complete,
		Stopped:   found.Stopped,
		Complete:  found.Stopped == search.BudgetSpent || found.Stopped == search.SpaceExhausted,
		Seconds:   found.Seconds,
		Overhead:  found.Overhead,
		Best:      structures(found.Best),
		Baselines: structures(found.Baselines),
	}
	switch {
	case ctx.Err() != nil:
		return best, ctx.Err()
	case !r.result.Search.Complete:
		return best, nil
	case len(found.Best) == 0:
		return best, fmt.Errorf("%w: all %d structures; try a smaller learning rate",
			ErrDiverged, found.Trained)
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

// defaultStructure returns the best structure of the study, or that of the recipe if there is no
// study.
func (r *run) defaultStructure() (s structure.Structure, err error) {
	if !r.HasStudy() {
		if r.Final.Searches() {
			return s, fmt.Errorf("recipe %s has no structure: give one, or a study that found one",
				r.Final.Name)
		}
		return r.Final.Structure, nil
	}
	contents, err := study.Read(r.Study)
	if err != nil {
		return s, err
	}
	best := contents.Result().Best
	if len(best) == 0 {
		return s, fmt.Errorf("the study %s has no results yet: give a structure, or search first",
			r.Study)
	}
	return best[0].Structure, nil
}

// train runs the final training.
func (r *run) train(ctx context.Context, s kge.Settings, m kge.Member) error {
	before := r.result.Final
	if before != nil && s.Precision == kge.AutoPrecision {
		s.Precision = before.Training.Settings.Precision
	}
	job := kge.Job{
		Data:       completion.Data(r.Graph),
		Settings:   s,
		Members:    []kge.Member{m},
		Checkpoint: r.checkpoint(finalTraining),
		OnEpoch: func(p kge.Progress) {
			r.progressed = true
			if r.OnEpoch != nil {
				r.OnEpoch(p)
			}
		},
	}
	var err error
	if job.Settings, err = job.Resolve(r.Engine); err != nil {
		return err
	}
	r.result.Backend = r.Engine.Backend(job.Settings.Precision)
	wanted := kge.Training{Settings: job.Settings, Member: m}
	if before != nil {
		if !before.Training.Equal(wanted) {
			return fmt.Errorf("the folder %s has the result of another training: use another folder",
				r.Folder)
		}
		if before.Complete {
			return before.failure()
		}
	}
	limited, cancel := r.withDeadline(ctx)
	defer cancel()
	report, err := kge.Train(limited, r.Engine, job)
	if err != nil && limited.Err() == nil {
		return err
	}
	if report == nil { // no epoch is complete
		return ctx.Err()
	}
	first := report.Results[0]
	t := &Trained{
		Recipe:      r.Final.Name,
		Training:    wanted,
		Precision:   wanted.Settings.Precision,
		Epochs:      len(first.Loss),
		BestEpoch:   first.BestEpoch,
		Complete:    report.Complete,
		Seconds:     report.Timing,
		Loss:        first.Loss,
		Validations: first.Validations,
		Published:   r.Final.Published,
	}
	r.result.Final = t
	if first.Err != nil {
		t.Error = first.Err.Error()
		return t.failure()
	}
	if err != nil || t.Epochs == 0 { // an incomplete epoch has changed the model
		return ctx.Err()
	}
	return r.evaluate(ctx, first.Model)
}

// evaluate ranks with the model of the best epoch so far, and saves the model of a complete
// training.
func (r *run) evaluate(ctx context.Context, m *kge.Model) error {
	t := r.result.Final
	stop := t.Seconds.MeasureEvaluation(r.Engine)
	e, err := completion.EvaluateAll(ctx, r.Engine, []*kge.Model{m}, r.Graph, eval.Options{})
	if err != nil {
		t.Complete = false // a complete training has metrics
		return err
	}
	stop()
	t.Valid, t.Test = e[0].Valid, e[0].Test
	if !t.Complete {
		return nil
	}
	return m.Save(r.modelFolder())
}

// failure returns the error of a training that diverged.
func (t *Trained) failure() error {
	if t.Error == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrDiverged, t.Error)
}
