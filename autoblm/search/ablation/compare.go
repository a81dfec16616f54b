package ablation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/correlation"
	"gonum.org/v1/gonum/stat"
)

// Plan is what all comparisons need.
type Plan struct {
	Graph  *datasets.Graph
	Engine kge.Engine
	// MixEngines lets searches go on that another engine or instruction set began.
	MixEngines bool
	// Settings are the common ones. Each search has one of the seeds
	// Settings.Seed, Settings.Seed+1, … for all that is random.
	Settings search.Settings
	Seeds    int
	// Folder keeps the studies.
	Folder string
	// OnProgress, when set, is told what is being done, and how far it is.
	OnProgress func(doing string, p search.Progress)
}

// Top is how many of the best structures the searches are judged by, as in the paper.
const Top = 8

// Run is one search of a comparison.
type Run struct {
	Seed    uint64  `json:"seed"`
	Trained int     `json:"trained"`
	Repeats int     `json:"repeats"`
	Stopped string  `json:"stopped"`
	TopMRR  float64 `json:"top_mrr"`  // mean validation MRR of the Top best structures
	BestMRR float64 `json:"best_mrr"` // validation MRR of the best one
	TestMRR float64 `json:"test_mrr"` // its test MRR
	Seconds float64 `json:"seconds"`  // of training and ranking, and of proposing
	// Guessed is Spearman's correlation of the predictor's guesses with the MRR
	// of what it picked, or nil.
	Guessed *float64 `json:"guessed,omitempty"`
	// Trace is how the search went, round by round.
	Trace []Mark `json:"trace"`
}

// Mark is how far a search was after a round.
type Mark struct {
	Trained int     `json:"trained"`
	Seconds float64 `json:"seconds"`
	TopMRR  float64 `json:"top_mrr"`
}

// Outcome is what a variant came to.
type Outcome struct {
	Variant string `json:"variant"`
	Runs    []Run  `json:"runs"` // one for each seed
}

// Mean is the mean over the seeds of what value gives for each, with the
// standard deviation, 0 for one seed.
func (o Outcome) Mean(value func(Run) float64) (mean, deviation float64) {
	var values []float64
	for _, r := range o.Runs {
		values = append(values, value(r))
	}
	if len(values) == 1 {
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}

// Compare makes the searches of an ablation: the variants in turns, seed by seed,
// so that a machine that slows down slows all of them.
func Compare(ctx context.Context, p Plan, a Ablation) ([]Outcome, error) {
	outcomes := make([]Outcome, len(a.Variants))
	for n := range p.Seeds {
		for i, v := range a.Variants {
			s := p.Settings
			s.Seed += uint64(n)
			if v.Change != nil {
				v.Change(&s)
			}
			strategy, err := search.ByName(v.Algorithm)
			if err != nil {
				return nil, err
			}
			result, err := p.search(ctx, p.Graph, strategy, s, fmt.Sprintf("%s %s", a.Name, v.Name))
			if err != nil {
				return nil, err
			}
			outcomes[i].Variant = v.Name
			outcomes[i].Runs = append(outcomes[i].Runs, summarize(s.Seed, result))
		}
	}
	return outcomes, nil
}

// search makes one search, or goes on with it; its study is named after what it is.
func (p Plan) search(ctx context.Context, g *datasets.Graph, strategy search.Strategy, s search.Settings, name string) (result *search.Result, err error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	name = fmt.Sprintf("%s %s seed %d", g.Name, name, s.Seed)
	problem := search.Problem{Task: &completion.Task{Graph: g, Engine: p.Engine}, Strategy: strategy, Settings: s, MixEngines: p.MixEngines}
	opened, problem, err := study.OpenFor(filepath.Join(p.Folder, fileName(name)), problem, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if p.OnProgress != nil {
		problem.OnProgress = func(progress search.Progress) { p.OnProgress(name, progress) }
	}
	result, err = search.Run(ctx, problem)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case result.Stopped == search.Interrupted:
		return nil, fmt.Errorf("interrupted in %q: %w", name, context.Cause(ctx))
	case len(result.Best) == 0:
		return nil, fmt.Errorf("%s: all %d structures diverged, so there is nothing to compare: lower the learning rate", name, result.Trained)
	}
	return result, nil
}

// fileName makes a file's name of what a study is.
func fileName(name string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(name, "+", "-plus"), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.')
	})
	return strings.Join(words, "-") + ".db"
}

func summarize(seed uint64, result *search.Result) Run {
	run := Run{
		Seed: seed, Trained: result.Trained, Stopped: string(result.Stopped),
		BestMRR: result.Best[0].ScoreOrZero(), Guessed: guessed(result.Trials),
	}
	if test := result.Best[0].TestScore; test != nil {
		run.TestMRR = *test
	}
	var mrrs []float64
	for _, round := range result.Rounds {
		run.Seconds += round.Seconds
		run.Repeats += round.Repeats
		trained := 0
		for _, t := range result.Trials {
			if t.Round == round.Number {
				run.Seconds += t.Seconds
				mrrs = append(mrrs, t.ScoreOrZero()) // 0 for what diverged
				trained++
			}
		}
		if trained > 0 {
			run.Trace = append(run.Trace, Mark{Trained: len(mrrs), Seconds: run.Seconds, TopMRR: topMean(mrrs)})
		}
	}
	run.TopMRR = topMean(mrrs)
	return run
}

// topMean is the mean of the Top largest, or of all where there are fewer.
func topMean(mrrs []float64) float64 {
	largest := slices.Sorted(slices.Values(mrrs))
	return stat.Mean(largest[max(0, len(largest)-Top):], nil)
}

// guessed is Spearman's correlation of guesses and MRRs, nil for fewer than three.
func guessed(trials []task.Trial) *float64 {
	var guesses, mrrs []float64
	for _, t := range trials {
		if t.Prediction != nil && t.State == task.Complete {
			guesses, mrrs = append(guesses, *t.Prediction), append(mrrs, t.ScoreOrZero())
		}
	}
	if len(guesses) < 3 {
		return nil
	}
	rho := correlation.Spearman(guesses, mrrs)
	return &rho
}
