package ablation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// Plan holds what all comparisons need.
type Plan struct {
	Graph  *datasets.Graph
	Engine kge.Engine
	// MixEngines allows resuming searches that another engine or instruction set began.
	MixEngines bool
	// Settings are common to all searches. The searches have the seeds Settings.Seed,
	// Settings.Seed+1, …
	Settings search.Settings
	Seeds    int
	// Distribute returns a task that trains the trials of a search elsewhere; nil trains them here.
	Distribute func(context.Context, task.Task) (task.Task, error)
	// Folder holds the studies.
	Folder string
	// OnProgress reports the progress of a search or training, if set.
	OnProgress func(name string, p search.Progress)
}

// check returns an error if the plan trains nothing.
func (p Plan) check() error {
	if p.Seeds < 1 {
		return fmt.Errorf("seeds is %d: a comparison needs at least one; set it", p.Seeds)
	}
	return nil
}

// search runs or resumes one search. Its study has the name of the search.
func (p Plan) search(
	ctx context.Context, g *datasets.Graph, algorithm strategy.Strategy, s search.Settings,
	name string,
) (result *search.Result, err error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.Halving > 0 {
		return nil, fmt.Errorf("%s: halving is %d: structures are compared after all epochs; set it to 0",
			name, s.Halving)
	}
	name = fmt.Sprintf("%s %s seed %d", g.Name, name, s.Seed)
	problem := search.Problem{
		Task:       &completion.Task{Graph: g, Engine: p.Engine},
		Strategy:   algorithm,
		Settings:   s,
		MixEngines: p.MixEngines,
	}
	if reason := problem.Task.CannotSelect(); reason != "" {
		return nil, fmt.Errorf("%s, so variants cannot be compared: use a graph with other validation triples",
			reason)
	}
	if p.Distribute != nil {
		if problem.Task, err = p.Distribute(ctx, problem.Task); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	file := filepath.Join(p.Folder, fileName(name))
	opened, problem, err := study.OpenFor(file, problem, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if p.OnProgress != nil {
		problem.OnProgress = func(progress search.Progress) { p.OnProgress(name, progress) }
	}
	result, err = stage.Run(ctx, problem)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case result.Stopped == search.Interrupted:
		return nil, fmt.Errorf("interrupted in %q: %w", name, context.Cause(ctx))
	case len(result.Best) == 0:
		return nil, fmt.Errorf("%s: all %d structures diverged: lower the learning rate",
			name, result.Trained)
	}
	return result, nil
}

// fileName returns the name of a search as a file name.
func fileName(name string) string {
	isSeparator := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && r != '-' && r != '.'
	}
	words := strings.FieldsFunc(strings.ReplaceAll(name, "+", "-plus"), isSeparator)
	return strings.Join(words, "-") + ".db"
}

// train runs or resumes a search and returns the proposed trials that have ended, by number.
func (p Plan) train(
	ctx context.Context, algorithm strategy.Strategy, s search.Settings, name string,
) ([]task.Trial, error) {
	result, err := p.search(ctx, p.Graph, algorithm, s, name)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(result.Trials, func(t task.Trial) bool {
		return t.Round == 0 || t.State == task.Running
	}), nil
}

// completed returns the trials that have a score.
func completed(trials []task.Trial) []task.Trial {
	return slices.DeleteFunc(trials, func(t task.Trial) bool { return t.State != task.Complete })
}

// list is a strategy that proposes its structures in order, at most RoundSize per round. They must
// be distinct.
type list []structure.Structure

// Name includes a hash, so that a study is resumed only with the same list.
func (l list) Name() string {
	hash := fnv.New64a()
	for _, a := range l {
		fmt.Fprintln(hash, a)
	}
	return fmt.Sprintf("list %016x", hash.Sum64())
}

// Propose implements [strategy.Strategy].
func (l list) Propose(
	s strategy.Options, _ int, history []task.Trial, want int, _ *rand.Rand,
) (strategy.Proposal, error) {
	rest := l[len(history):]
	if len(rest) == 0 {
		why := fmt.Sprintf("all %d structures of the list are trained", len(l))
		return strategy.Proposal{Reason: why}, nil
	}
	return strategy.Proposal{Structures: rest[:min(len(rest), s.RoundSize, want)]}, nil
}
