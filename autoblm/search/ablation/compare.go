package ablation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"gonum.org/v1/gonum/stat"
)

// Top is the number of best structures whose mean MRR measures a search, as in the paper.
const Top = 8

// Run holds the results of one search of a comparison.
type Run struct {
	Seed    uint64  `json:"seed"`
	Trained int     `json:"trained"`
	Repeats int     `json:"repeats"`
	Stopped string  `json:"stopped"`
	TopMRR  float64 `json:"top_mrr"`  // mean validation MRR of the Top best structures
	BestMRR float64 `json:"best_mrr"` // validation MRR of the best structure
	TestMRR float64 `json:"test_mrr"` // test MRR of the best structure
	Seconds float64 `json:"seconds"`  // of training, ranking and proposing
	// RankCorrelation is Spearman's correlation between the predictions of the predictor and
	// the MRR of the structures that it chose, nil without a predictor.
	RankCorrelation *float64 `json:"rank_correlation,omitempty"`
	// Trace has the progress after each round.
	Trace []Mark `json:"trace"`
}

// Mark is the progress of a search after a round.
type Mark struct {
	Trained int     `json:"trained"`
	Seconds float64 `json:"seconds"`
	TopMRR  float64 `json:"top_mrr"`
}

// Outcome holds the results of a variant.
type Outcome struct {
	Variant string `json:"variant"`
	Runs    []Run  `json:"runs"` // one for each seed
}

// Mean returns mean and standard deviation of a value over the seeds. The deviation is 0 for one
// seed.
func (o Outcome) Mean(value func(Run) float64) (mean, deviation float64) {
	var values []float64
	for _, r := range o.Runs {
		values = append(values, value(r))
	}
	return meanDeviation(values)
}

// meanDeviation returns mean and standard deviation of one or more values. The deviation of one is 0.
func meanDeviation(values []float64) (mean, deviation float64) {
	if len(values) == 1 {
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}

// Compare runs the searches of an ablation. The variants take turns, seed by seed, so that a
// machine that slows down slows all of them.
func Compare(ctx context.Context, p Plan, a Ablation) ([]Outcome, error) {
	if err := cmp.Or(p.check(), a.Check(p.Settings)); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(a.Variants))
	for n := range p.Seeds {
		for i, v := range a.Variants {
			s, algorithm, err := v.settings(p.Settings)
			if err != nil {
				return nil, err
			}
			s.Seed += uint64(n)
			name := fmt.Sprintf("%s %s", a.Name, v.Name)
			result, err := p.search(ctx, p.Graph, algorithm, s, name)
			if err != nil {
				return nil, err
			}
			outcomes[i].Variant = v.Name
			outcomes[i].Runs = append(outcomes[i].Runs, newRun(s.Seed, result))
		}
	}
	return outcomes, nil
}

func newRun(seed uint64, result *search.Result) Run {
	best := result.Best[0]
	run := Run{
		Seed:            seed,
		Trained:         result.Trained,
		Stopped:         string(result.Stopped),
		BestMRR:         best.ScoreOrZero(),
		RankCorrelation: rankCorrelation(result.Trials),
	}
	if best.TestScore != nil {
		run.TestMRR = *best.TestScore
	}
	var mrrs []float64
	for _, round := range result.Rounds {
		run.Seconds += round.Seconds
		run.Repeats += round.Repeats
		before := len(mrrs)
		for _, t := range result.Trials {
			if t.Round == round.Number {
				run.Seconds += t.Seconds
				mrrs = append(mrrs, t.ScoreOrZero()) // 0 if it diverged
			}
		}
		if len(mrrs) > before {
			mark := Mark{Trained: len(mrrs), Seconds: run.Seconds, TopMRR: topMean(mrrs)}
			run.Trace = append(run.Trace, mark)
		}
	}
	run.TopMRR = topMean(mrrs)
	return run
}

// topMean returns the mean of the Top largest values, or of all if there are fewer.
func topMean(mrrs []float64) float64 {
	sorted := slices.Sorted(slices.Values(mrrs))
	return stat.Mean(sorted[max(0, len(sorted)-Top):], nil)
}

// rankCorrelation returns Spearman's correlation of predictions and MRRs, nil for fewer than three
// trials and if it is undefined.
func rankCorrelation(trials []task.Trial) *float64 {
	var predictions, mrrs []float64
	for _, t := range trials {
		if t.Prediction != nil && t.State == task.Complete {
			predictions, mrrs = append(predictions, *t.Prediction), append(mrrs, t.ScoreOrZero())
		}
	}
	if len(predictions) < 3 {
		return nil
	}
	return spearman(predictions, mrrs)
}

// ByStructures plots the mean validation MRR of the Top best structures against the number of
// structures trained. Lines are means over the seeds; bands reach from minimum to maximum.
func ByStructures(title string, outcomes []Outcome) plot.Curve {
	yLabel := fmt.Sprintf("mean validation MRR of the %d best", Top)
	c := plot.Curve{Title: title, X: "structures trained", Y: yLabel}
	for _, o := range outcomes {
		series := plot.Series{Name: o.Variant, Style: plot.Line}
		for _, at := range o.positions() {
			var sum float64
			band := plot.Range{X: float64(at), Low: 1}
			for _, run := range o.Runs {
				top := run.topAt(at)
				sum += top
				band.Low, band.High = min(band.Low, top), max(band.High, top)
			}
			series.Points = append(series.Points, plot.Point{X: band.X, Y: sum / float64(len(o.Runs))})
			series.Band = append(series.Band, band)
		}
		c.Series = append(c.Series, series)
	}
	return c
}

// positions returns the numbers of structures of all marks, from the first one that all runs have
// reached.
func (o Outcome) positions() []int {
	var all []int
	from := 0
	for _, run := range o.Runs {
		from = max(from, run.Trace[0].Trained)
		for _, m := range run.Trace {
			all = append(all, m.Trained)
		}
	}
	slices.Sort(all)
	first, _ := slices.BinarySearch(all, from)
	return slices.Compact(all[first:])
}

// topAt returns the MRR that a run had reached after some structures.
func (r Run) topAt(trained int) float64 {
	n, exact := slices.BinarySearchFunc(r.Trace, trained, func(m Mark, trained int) int {
		return cmp.Compare(m.Trained, trained)
	})
	if !exact {
		n--
	}
	return r.Trace[n].TopMRR
}
