package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/stat"
)

// Headline compares the kept model with the best baseline, and the best structure found with it.
// The page and the terminal show it first.
type Headline struct {
	// Metric names the scores, such as "test MRR".
	Metric string `json:"metric"`
	// Kept is the model that the study keeps and Baseline the best baseline by validation. Alone is
	// the best structure found, nil if it is the kept model. Any of them is nil if there is none.
	Kept     *Model `json:"kept"`
	Baseline *Model `json:"baseline"`
	Alone    *Model `json:"alone"`
	// HeldOut says that the score of Kept, an ensemble, is on validation data held out from its
	// selection. It does not compare with the other scores.
	HeldOut bool `json:"held_out,omitempty"`
}

// Model is a line of a headline.
type Model struct {
	// Name describes the model, such as "ensemble of 3" or "ComplEx, default recipe".
	Name  string  `json:"name"`
	Score float64 `json:"score"`
	// Error is an upper bound of the standard error of the score; 0 if unknown.
	Error float64 `json:"error,omitempty"`
	// Others are further metrics of the same split, such as H@10.
	Others []Metric `json:"others,omitempty"`
	// Difference is the score minus that of the baseline, nil for the baseline itself.
	Difference *Interval `json:"difference,omitempty"`

	mean      task.Trial // with the mean scores over the trials
	trials    []task.Trial
	retrained *search.Retrained
}

// Metric is a metric with its value.
type Metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Interval is a difference with its interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Basis says what the interval is, such as "95 % confidence over 3 seeds".
	Basis string `json:"basis"`
}

// isKnown reports whether the difference has an error. One seed with an unknown sampling error has
// none.
func (i Interval) isKnown() bool { return i.Low < i.High }

// unclear is the verdict on a difference within its error.
const unclear = "no clear difference"

// Verdict judges the difference: "better", "worse" or "no clear difference".
func (i Interval) Verdict() string {
	switch {
	case !i.isKnown():
	case i.Low > 0:
		return "better"
	case i.High < 0:
		return "worse"
	}
	return unclear
}

// Headline returns the comparison of the kept model with the best baseline.
func (d Data) Headline() Headline { return newAnalysis(d).compareKept() }

func (a *analysis) compareKept() Headline {
	var h Headline
	full := search.FinalOf(a.fullSize())
	h.Baseline = a.modelOf(full.Baseline, a.bestBaseline)
	if full.Baseline == nil || full.Found != nil { // not two models of different sizes
		h.Alone = a.modelOf(full.Found, a.best)
	}
	if k := a.kept; k != nil {
		h.Kept = a.keptModel(*k)
		if k.Ensemble == nil && !study.IsBaseline(*k) {
			h.Alone = nil
		}
	}
	models := slices.DeleteFunc([]*Model{h.Kept, h.Baseline, h.Alone}, func(m *Model) bool {
		return m == nil
	})
	tested := len(models) > 0 && !slices.ContainsFunc(models, func(m *Model) bool {
		return m.mean.TestScore == nil
	})
	h.Metric = a.Presentation.Validation
	if tested {
		h.Metric = a.Presentation.Test
	}
	for _, m := range models {
		a.fill(m, tested)
	}
	h.HeldOut = !tested && a.kept != nil && a.kept.Ensemble != nil
	for _, m := range []*Model{h.Kept, h.Alone} {
		if m == h.Kept && h.HeldOut {
			continue
		}
		if m != nil && h.Baseline != nil && m.Name != h.Baseline.Name {
			m.Difference = a.minus(m, h.Baseline, tested)
		}
	}
	return h
}

// modelOf returns a retrained model, or else a trial of the search; nil without either.
func (a *analysis) modelOf(r *search.Retrained, t *task.Trial) *Model {
	switch {
	case r != nil:
		return &Model{Name: headlineName(r.Trials[0], len(r.Trials)), mean: r.Mean(),
			trials: r.Trials, retrained: r}
	case t != nil:
		return &Model{Name: headlineName(*t, 1), mean: *t, trials: []task.Trial{*t}}
	}
	return nil
}

// keptModel returns the kept model; a retrained one has the mean scores over its seeds.
func (a *analysis) keptModel(k task.Trial) *Model {
	for _, r := range a.Result().Retrained {
		isKept := func(t task.Trial) bool { return t.Number == k.Number }
		if slices.ContainsFunc(r.Trials, isKept) {
			return a.modelOf(&r, nil)
		}
	}
	return a.modelOf(nil, &k)
}

// headlineName describes a model for the headline.
func headlineName(t task.Trial, seeds int) string {
	name := t.ModelName()
	if t.Stage == task.Default {
		name += ", default recipe"
	}
	if seeds > 1 {
		name += ", mean of " + format.Count(seeds, "seed")
	}
	return name
}

// fill sets the scores of a model in the test or the validation split.
func (a *analysis) fill(m *Model, tested bool) {
	examples := a.examplesOf(m.mean, tested)
	m.Score = m.mean.ScoreOrZero()
	if tested {
		m.Score = *m.mean.TestScore
	}
	if examples > 0 {
		m.Error = eval.ErrorBound(m.Score, examples)
	}
	for _, c := range a.splitColumns(tested) {
		var values []float64
		for _, t := range m.trials {
			if value := c.Value(t); value != nil {
				values = append(values, *value)
			}
		}
		if len(values) == len(m.trials) {
			m.Others = append(m.Others, Metric{c.Name, stat.Mean(values, nil)})
		}
	}
}

// examplesOf returns the number of examples of a split in a trial, 0 if unknown.
func (a *analysis) examplesOf(t task.Trial, tested bool) int {
	count := a.Presentation.SamplingError.Count
	if count == nil {
		return 0
	}
	valid, test := count(t.Details)
	if tested {
		return test
	}
	return valid
}

// splitColumns returns the columns of a split after that of its score.
func (a *analysis) splitColumns(tested bool) []task.Column {
	all := a.Presentation.ScoreColumns()
	at := func(name string) int {
		return slices.IndexFunc(all, func(c task.Column) bool { return c.Name == name })
	}
	valid, test := at(a.Presentation.Valid), at(a.Presentation.Test)
	switch {
	case tested && test >= 0:
		return all[test+1:]
	case !tested && valid >= 0 && test > valid:
		return all[valid+1 : test]
	}
	return nil
}

// minus returns the difference to the baseline: over the seeds if both have the same, else with an
// interval of two standard errors of the sampled examples.
func (a *analysis) minus(m, baseline *Model, tested bool) *Interval {
	if m.retrained != nil && baseline.retrained != nil {
		d, seeds := m.retrained.Minus(*baseline.retrained), m.retrained.Seeds()
		if d != nil && d.Tested == tested && slices.Equal(seeds, baseline.retrained.Seeds()) {
			basis := "95 % confidence over " + format.Count(len(seeds), "seed")
			return &Interval{d.Mean, d.Low, d.High, basis}
		}
	}
	by, half := m.Score-baseline.Score, 2*m.Error
	if a.Presentation.SamplingError.ExtremesAreCommon {
		half = 2 * max(m.Error, baseline.Error)
	}
	basis := "one seed, sampling error unknown"
	if n := a.examplesOf(m.mean, tested); n > 0 {
		names := a.Presentation.SamplingError.Valid
		if tested {
			names = a.Presentation.SamplingError.Test
		}
		basis = "two standard errors over " + english.Plural(n, names[0], names[1])
	}
	return &Interval{by, by - half, by + half, basis}
}

// Row is a line of a headline in words, as the page and the terminal show it.
type Row struct {
	Label string `json:"label"`
	Name  string `json:"name"`
	Score string `json:"score"`
	Note  string `json:"note,omitempty"`
	// Detail is the interval of the difference in the note, with its basis.
	Detail string `json:"detail,omitempty"`
}

// Rows returns the lines of the headline.
func (h Headline) Rows() []Row {
	var rows []Row
	add := func(label string, m *Model, score, note, detail string) {
		switch {
		case m == nil:
		case m.isUnmeasured():
			rows = append(rows, Row{Label: label, Name: m.Name, Score: h.Metric + " " + format.Missing})
		default:
			rows = append(rows, Row{label, m.Name, h.Metric + " " + score, note, detail})
		}
	}
	if k := h.Kept; k != nil {
		var others []string
		for _, m := range k.Others {
			others = append(others, m.Name+" "+format.Cell(m.Value))
		}
		add("kept", k, k.scoreWithError(), strings.Join(others, ", "), "")
	}
	if b := h.Baseline; b != nil {
		note, detail := h.verdict()
		add("baseline", b, format.Cell(b.Score), note, detail)
	}
	if m := h.Alone; m != nil {
		note, detail := "", ""
		if d := m.Difference; d != nil {
			note, detail = d.Note(""), d.detail()
		}
		add("structure alone", m, format.Cell(m.Score), note, detail)
	}
	return rows
}

// verdict compares the kept model with the baseline. The detail is the interval.
func (h Headline) verdict() (note, detail string) {
	switch {
	case h.Kept == nil:
		return "", ""
	case h.HeldOut:
		return "kept is ahead on held-out data", ""
	case h.Kept.Difference == nil:
		return "is the kept model", ""
	}
	d := *h.Kept.Difference
	return d.Note("kept"), d.detail()
}

// Note describes the difference in words, with its subject, such as "kept", if it is not "".
func (i Interval) Note(subject string) string {
	verdict := i.Verdict()
	if verdict == unclear && i.Mean <= 0 {
		verdict = "no gain"
	}
	return strings.TrimSpace(subject+" "+format.Signed(i.Mean)) + ": " + verdict
}

func (i Interval) detail() string {
	if !i.isKnown() {
		return i.Basis
	}
	return fmt.Sprintf("%s to %s, %s", format.Signed(i.Low), format.Signed(i.High), i.Basis)
}

// isUnmeasured reports whether there are no examples to measure a model by: its score is 0.
func (m Model) isUnmeasured() bool { return m.mean.Score == nil && m.mean.TestScore == nil }

func (m Model) scoreWithError() string {
	if m.Error == 0 {
		return format.Cell(m.Score)
	}
	return fmt.Sprintf("%s ± %.3f", format.Cell(m.Score), m.Error)
}
