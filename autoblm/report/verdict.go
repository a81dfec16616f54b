package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize/english"
)

// Verdict compares the best structure found with the best baseline, and their difference with the
// sampling error. It returns a headline and then sentences.
func (d Data) Verdict() []string { return newAnalysis(d).verdict() }

func (a *analysis) verdict() []string {
	all := a.judgement()
	if mixed := task.MixedEnginesWarning(task.Engines(a.Trials)); mixed != "" {
		all = append(all, mixed)
	}
	return all
}

func (a *analysis) judgement() []string {
	if a.State().Status == study.Running {
		return []string{fmt.Sprintf("No verdict before the search ends: it has trained %s.",
			study.Amount(a.Result()))}
	}
	if retrained := search.FinalOf(a.fullSize()); retrained.Best != nil {
		return a.judgeRetrained(retrained)
	}
	if len(a.found) == 0 {
		return []string{a.nothingFound()}
	}
	found := *a.bestSearched
	if a.bestBaseline == nil {
		return a.withoutBaseline(found)
	}
	c := a.compare(found, *a.bestBaseline)
	all := []string{a.headline(c), a.scores(c)}
	if c.valid.examples > 0 {
		all = append(all, a.samplingError(c))
	}
	all = append(all, a.selectionBias(found)...)
	if a.best.Stage == task.Final {
		all = append(all, fmt.Sprintf("The final stage, with other recipes, reached a %s of %s%s.",
			a.Presentation.Validation, format.Cell(a.best.Score), a.withTest(*a.best)))
	}
	return append(all, a.keptSentences()...)
}

// fullSize returns the models at full size, best first. Without retraining, the best models of the
// search are compared with the default model as they are.
func (a *analysis) fullSize() []search.Retrained {
	all := a.Result().Retrained
	if len(all) == 0 || a.kept != nil && !search.IsCandidate(*a.kept) &&
		a.About.Settings.RetrainSeeds > 0 {
		return all
	}
	for _, t := range []*task.Trial{a.best, a.bestBaseline} {
		if t != nil {
			r := search.Retrained{Name: t.Name, Structure: t.Structure, Trials: []task.Trial{*t}}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b search.Retrained) int {
		return cmp.Compare(b.Score(), a.Score())
	})
	return all
}

// keptSentences names the kept model, unless it is a structure that was found.
func (a *analysis) keptSentences() []string {
	switch {
	case a.kept == nil:
	case a.kept.Ensemble != nil:
		models := format.Count(len(a.kept.Ensemble.Members), "model")
		return []string{fmt.Sprintf("The study keeps an ensemble of %s.", models)}
	case study.IsBaseline(*a.kept):
		return []string{fmt.Sprintf("The study keeps the best model, %s.",
			structure.TitleOf(a.kept.Name))}
	}
	return nil
}

// selectionBias says that the score of the best structure of the search is biased. It returns
// nothing if there was no choice.
func (a *analysis) selectionBias(found task.Trial) []string {
	if a.complete < 2 {
		return nil
	}
	text := fmt.Sprintf("%s is biased upwards by selecting the best of %s",
		capital(a.Presentation.Validation), format.Count(a.complete, "structure"))
	if found.TestScore != nil {
		text += fmt.Sprintf("; %s is not", a.Presentation.Test)
	}
	return []string{text + "."}
}

// judgeRetrained says what the search was worth by the models at full size. The scores of retrained
// models did not select their structures; others are biased.
func (a *analysis) judgeRetrained(f search.Final) []string {
	all := []string{a.worth(f)}
	if f.Found != nil && f.Baseline != nil {
		c := a.compare(f.Found.Mean(), f.Baseline.Mean())
		all = append(all, a.scores(c))
		if c.valid.examples > 0 {
			all = append(all, a.samplingError(c))
		}
	}
	if f.Found != nil && !search.IsRetrained(f.Found.Trials[0]) {
		all = append(all, a.selectionBias(f.Found.Trials[0])...)
	}
	return append(all, a.keptSentences()...)
}

// worth says in a sentence what searching was worth.
func (a *analysis) worth(f search.Final) string {
	const nothing = "Searching was worth nothing here: "
	switch {
	case f.Found == nil && a.trained == 0:
		return "Nothing was searched: only baselines were trained."
	case f.Found == nil:
		return nothing + "no structure found was trained at full size."
	case f.Baseline == nil:
		return "No baseline was retrained, so there is no comparison."
	}
	baseline := structure.TitleOf(f.Baseline.Name)
	if same := f.Found.Trials[0].TrainsLike(); same != "" {
		return nothing + "the best structure found is equivalent to " + structure.TitleOf(same) + "."
	}
	if f.Best.Name != "" && a.kept != nil && a.kept.Ensemble != nil {
		return fmt.Sprintf("No structure found beat %s %s alone.", baseline, a.Presentation.OnValidation)
	}
	if f.Best.Name != "" {
		return fmt.Sprintf("%sno structure beat %s %s.", nothing, baseline,
			a.Presentation.OnValidation)
	}
	d := f.Difference
	if d == nil {
		by := a.compare(f.Found.Mean(), f.Baseline.Mean()).valid
		text := fmt.Sprintf("Searching was worth %s %s over %s, with one seed", format.Signed(by.by),
			a.Presentation.Validation, baseline)
		if by.examples > 0 {
			text += fmt.Sprintf(" (standard error at most %.3f)", by.error)
		}
		return text + "."
	}
	metric := a.Presentation.Validation
	if d.Tested {
		metric = a.Presentation.Test
	}
	text := fmt.Sprintf("Searching was worth %s %s over %s (95 %% confidence %s to %s over seeds)",
		format.Signed(d.Mean), metric, structure.TitleOf(f.Paired.Name), format.Signed(d.Low), format.Signed(d.High))
	if d.Low <= 0 {
		text += ", which may be nothing"
	}
	return text + "."
}

func (a *analysis) nothingFound() string {
	switch {
	case a.trained > 0 && a.complete == 0 && task.WhyLost(a.failed) != "":
		return "No structure has a result: " + task.WhyLost(a.failed) + "."
	case a.trained > 0 && a.complete == 0:
		return fmt.Sprintf("All %d structures diverged: try a lower learning rate.",
			a.trained)
	case a.complete > 0:
		return "No structure was trained for all epochs."
	case a.kept != nil:
		return "Only baselines have results yet."
	}
	return "No structure has a result yet."
}

func (a *analysis) withoutBaseline(found task.Trial) []string {
	why := "No baseline has a result, so there is no comparison."
	if !slices.ContainsFunc(a.Trials, study.IsBaseline) {
		why = "The search trained no baselines, so there is no comparison."
	}
	best := fmt.Sprintf("The best of %s has a %s of %s%s.",
		format.Count(a.complete, "structure"), a.Presentation.Validation,
		format.Cell(found.Score), a.withTest(found))
	return []string{best, why}
}

func (a *analysis) withTest(t task.Trial) string {
	if t.TestScore == nil {
		return ""
	}
	return fmt.Sprintf(" and a %s of %s", a.Presentation.Test, format.Cell(t.TestScore))
}

// comparison compares the best structure found with the best baseline.
type comparison struct {
	found, baseline task.Trial
	valid           difference
	test            *difference // nil unless both have a test score
}

func (a *analysis) compare(found, baseline task.Trial) comparison {
	var valid, test int // numbers of examples, 0 if unknown
	if count := a.Presentation.SamplingError.Count; count != nil {
		valid, test = count(found.Details)
	}
	c := comparison{
		found:    found,
		baseline: baseline,
		valid:    a.difference(found.ScoreOrZero(), baseline.ScoreOrZero(), valid),
	}
	if found.TestScore != nil && baseline.TestScore != nil {
		d := a.difference(*found.TestScore, *baseline.TestScore, test)
		c.test = &d
	}
	return c
}

func (a *analysis) headline(c comparison) string {
	if same := c.found.TrainsLike(); same != "" {
		return fmt.Sprintf("The best structure found is equivalent to %s.", structure.TitleOf(same))
	}
	if c.valid.by <= 0 {
		return fmt.Sprintf("No structure found beats the best baseline, %s.",
			structure.TitleOf(c.baseline.Name))
	}
	text := "The best structure found beats the baselines " + a.Presentation.OnValidation
	least := c.valid
	if c.test != nil {
		if c.test.by <= 0 {
			return text + ", but not on test."
		}
		text += " and on test"
		if c.test.size() < least.size() {
			least = *c.test
		}
	}
	if least.examples > 0 {
		text += ", by " + [...]string{
			"less than the standard error",
			"one to two standard errors",
			"more than two standard errors",
		}[least.size()]
	}
	return text + "."
}

func (a *analysis) scores(c comparison) string {
	text := fmt.Sprintf("Best found: %s %s. Best baseline, %s: %s.", a.Presentation.Validation,
		format.Cell(c.found.Score), structure.TitleOf(c.baseline.Name), format.Cell(c.baseline.Score))
	if c.test != nil {
		text += fmt.Sprintf(" %s (not used for selection): %s and %s.",
			capital(a.Presentation.Test), format.Cell(c.found.TestScore),
			format.Cell(c.baseline.TestScore))
	}
	return text
}

func (a *analysis) samplingError(c comparison) string {
	metric, e := a.Presentation.Metric, a.Presentation.SamplingError
	judged := [...]string{"smaller", "one to two times as large", "more than twice as large"}
	text := fmt.Sprintf("The %s over %s is uncertain by ±%.3f", metric,
		english.Plural(c.valid.examples, e.Valid[0], e.Valid[1]), c.valid.error)
	compared := fmt.Sprintf("the difference of %s is %s", format.Signed(c.valid.by),
		judged[c.valid.size()])
	if c.test != nil {
		text += fmt.Sprintf(", over %s by ±%.3f",
			english.Plural(c.test.examples, e.Test[0], e.Test[1]), c.test.error)
		compared += fmt.Sprintf(", that of %s on test %s", format.Signed(c.test.by), judged[c.test.size()])
	}
	standard := "standard error"
	if e.Assuming != "" {
		standard += ", " + e.Assuming
	}
	return fmt.Sprintf("%s (%s): %s.", text, standard, compared)
}

// difference is the difference of two scores over the same examples.
type difference struct {
	by       float64
	examples int     // 0 if unknown
	error    float64 // upper bound of the standard error
}

func (a *analysis) difference(x, y float64, examples int) difference {
	d := difference{by: x - y, examples: examples, error: eval.ErrorBound(x, examples)}
	if a.Presentation.SamplingError.ExtremesAreCommon {
		d.error = max(d.error, eval.ErrorBound(y, examples))
	}
	return d
}

// size returns 0 for a difference within one standard error, 1 within two, and 2 beyond.
func (d difference) size() int {
	switch by := math.Abs(d.by); {
	case by <= d.error:
		return 0
	case by <= 2*d.error:
		return 1
	default:
		return 2
	}
}
