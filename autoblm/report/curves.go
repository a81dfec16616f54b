package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"gonum.org/v1/gonum/stat"
)

const (
	// mostCurves is the number of models with a learning curve.
	mostCurves = 6
	// mostEpochs is the number of points of a curve.
	mostEpochs = 100
)

// curves plots the validation score of the best models by epoch, or their loss.
func (a *analysis) curves() []Part {
	models := a.fullSize()
	if len(models) == 0 {
		for _, t := range slices.Concat(a.found[:min(3, len(a.found))], task.BestFirst(a.baselines)) {
			models = append(models, search.Retrained{
				Name: t.Name, Structure: t.Structure, Trials: []task.Trial{t},
			})
		}
	}
	models = models[:min(len(models), mostCurves)]
	chart := &Chart{X: "epoch", Y: a.Presentation.Validation}
	chart.Series = a.curvesOf(models, validationsOf)
	if len(chart.Series) == 0 {
		chart.Y = "training loss"
		chart.Series = a.curvesOf(models, lossOf)
	}
	if len(chart.Series) == 0 {
		return nil
	}
	chart.Label = capital(chart.Y) + " of the best models by epoch"
	if slices.ContainsFunc(models, func(r search.Retrained) bool { return len(r.Trials) > 1 }) {
		chart.Caption = "Lines are means over the seeds; bands reach from the lowest to the highest."
	}
	if slices.ContainsFunc(models, isValidatedBySample) {
		chart.Caption = strings.TrimSpace(chart.Caption + " Validations within a training may use " +
			"a sample, so the curves differ from the other scores.")
	}
	return []Part{{Chart: chart}}
}

// curvesOf returns the curves of models; of returns the values of a trial by epoch.
func (a *analysis) curvesOf(models []search.Retrained, of func(task.Trial) map[int]float64) []Series {
	var all []Series
	for _, r := range models {
		byEpoch := map[int][]float64{}
		for _, t := range r.Trials {
			for epoch, value := range of(t) {
				byEpoch[epoch] = append(byEpoch[epoch], value)
			}
		}
		var points []Point
		for _, epoch := range slices.Sorted(maps.Keys(byEpoch)) {
			values := byEpoch[epoch]
			p := meanPoint(r)
			p.X, p.Y = float64(epoch), stat.Mean(values, nil)
			if len(values) > 1 {
				low, high := slices.Min(values), slices.Max(values)
				p.Low, p.High = &low, &high
			}
			points = append(points, p)
		}
		if len(points) > 1 {
			name := a.retrainedName(r)
			all = append(all, Series{name, Line, points})
		}
	}
	return all
}

// isValidatedBySample reports whether a training's own validations disagree with its score.
func isValidatedBySample(r search.Retrained) bool {
	return slices.ContainsFunc(r.Trials, func(t task.Trial) bool {
		values := slices.Collect(maps.Values(validationsOf(t)))
		return t.Score != nil && len(values) > 0 && !slices.Contains(values, *t.Score)
	})
}

func validationsOf(t task.Trial) map[int]float64 {
	values := map[int]float64{}
	for _, v := range t.Validations {
		values[v.Epoch] = v.MRR
	}
	return values
}

// lossOf returns the loss of some epochs.
func lossOf(t task.Trial) map[int]float64 {
	values := map[int]float64{}
	step := 1 + len(t.Loss)/mostEpochs
	for i := 0; i < len(t.Loss); i += step {
		values[i+1] = t.Loss[i]
	}
	return values
}

// retrainedName names a retrained model, also if it is one of the search.
func (a *analysis) retrainedName(r search.Retrained) string {
	name := a.trialName(r.Trials[0]) + r.Suffix()
	if n := len(r.Trials); n > 1 {
		name += fmt.Sprintf(", %s", format.Count(n, "seed"))
	}
	return name
}
