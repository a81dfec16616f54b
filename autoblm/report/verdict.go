package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize/english"
)

// Verdict says what the search came to, against the best human-designed model
// and against chance: first a headline, then sentences.
func (d Data) Verdict() []string { return newOutcome(d).verdict() }

func (o *outcome) verdict() []string {
	all := o.judgement()
	if mixed := task.MixedEnginesWarning(task.Engines(o.Trials)); mixed != "" {
		all = append(all, mixed)
	}
	return all
}

func (o *outcome) judgement() []string {
	if len(o.found) == 0 {
		switch {
		case len(o.proposed) > 0:
		case o.kept != nil:
			return []string{"Only named models were trained to their end yet."}
		default:
			return []string{"No structure was trained yet."}
		}
		return []string{fmt.Sprintf("All %d structures diverged: a lower learning rate may help.", len(o.proposed))}
	}
	found := o.found[0]
	if o.bestNamed == nil {
		why := "No human-designed model was trained to its end, so there is none to compare with."
		if o.About.Settings.K != 4 {
			why = fmt.Sprintf("The human-designed models have four chunks and these structures %d, so there are none to compare with.", o.About.Settings.K)
		}
		return []string{fmt.Sprintf("The best of %s has a %s of %s%s.", format.Count(len(o.found), "structure"), o.Words.Validation, format.Cell(found.Score), o.withTest(found)), why}
	}
	c := o.compare(found, *o.bestNamed)
	all := []string{o.headline(c), o.scores(c)}
	if chance := o.chance(c); chance != "" {
		all = append(all, chance)
	}
	if len(o.found) > 1 {
		flattered := fmt.Sprintf("The best of %s was chosen by its %s, which flatters that number", format.Count(len(o.found), "structure"), o.Words.Validation)
		if found.TestScore != nil {
			flattered += fmt.Sprintf("; the %s does not know of the choice", o.Words.Test)
		}
		all = append(all, flattered+".")
	}
	if o.best.Stage == task.Final {
		all = append(all, fmt.Sprintf("The last stage, with other recipes, took the best of them to a %s of %s%s.", o.Words.Validation, format.Cell(o.best.Score), o.withTest(*o.best)))
	}
	switch {
	case o.kept == nil:
	case o.kept.Ensemble != nil:
		all = append(all, fmt.Sprintf("What is kept is an ensemble of %s.", format.Count(len(o.kept.Ensemble.Members), "model")))
	case study.IsBaseline(*o.kept):
		all = append(all, fmt.Sprintf("The best model, which is kept, is %s.", title(o.kept.Name)))
	}
	return all
}

func (o *outcome) withTest(t task.Trial) string {
	if t.TestScore == nil {
		return ""
	}
	return fmt.Sprintf(" and a %s of %s", o.Words.Test, format.Cell(t.TestScore))
}

// comparison is of the best structure found with the best human-designed one.
type comparison struct {
	found, named task.Trial
	valid        difference
	test         *difference // nil where not both were tested
}

func (o *outcome) compare(found, named task.Trial) comparison {
	var valid, test int // where they are not known
	if count := o.Words.SamplingError.Count; count != nil {
		valid, test = count(found.Details)
	}
	c := comparison{found: found, named: named, valid: o.difference(found.ScoreOrZero(), named.ScoreOrZero(), valid)}
	if found.TestScore != nil && named.TestScore != nil {
		d := o.difference(*found.TestScore, *named.TestScore, test)
		c.test = &d
	}
	return c
}

func (o *outcome) headline(c comparison) string {
	if same := c.found.Structure.Name(); same != "" {
		return fmt.Sprintf("The best structure found is %s in another guise.", title(same))
	}
	if c.valid.by <= 0 {
		return fmt.Sprintf("No structure found beats the best human-designed one, %s.", title(c.named.Name))
	}
	text := "The best structure found is ahead of the human-designed ones " + o.Words.OnValidation
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
	if least.over > 0 {
		text += ", " + []string{"by less than the noise", "by a little more than the noise", "by clearly more than the noise"}[least.size()]
	}
	return text + "."
}

func (o *outcome) scores(c comparison) string {
	text := fmt.Sprintf("The best structure found has a %s of %s, the best human-designed one, %s, of %s.",
		o.Words.Validation, format.Cell(c.found.Score), title(c.named.Name), format.Cell(c.named.Score))
	if c.test != nil {
		text += fmt.Sprintf(" On the %s, which chose nothing, they reach %s and %s.", o.Words.SamplingError.Test[1], format.Cell(c.found.TestScore), format.Cell(c.named.TestScore))
	}
	return text
}

// chance says how large differences are that mean nothing, "" where nothing is known
// of that.
func (o *outcome) chance(c comparison) string {
	var sentences []string
	of, judged := o.Words.SamplingError, []string{"within that", "a little above that", "more than twice that"}
	if c.valid.over > 0 {
		text := fmt.Sprintf("%s %s over %s is uncertain by up to %.3f", article(o.Words.Metric), o.Words.Metric, english.Plural(c.valid.over, of.Valid[0], of.Valid[1]), c.valid.error)
		compared := fmt.Sprintf("the difference of %s is %s", signed(c.valid.by), judged[c.valid.size()])
		if c.test != nil {
			text += fmt.Sprintf(", over %s by up to %.3f", english.Plural(c.test.over, of.Test[0], of.Test[1]), c.test.error)
			compared += fmt.Sprintf(", that of %s on test %s", signed(c.test.by), judged[c.test.size()])
		}
		standard := "standard errors"
		if of.Assuming != "" {
			standard += ", " + of.Assuming
		}
		sentences = append(sentences, fmt.Sprintf("%s (%s): %s.", text, standard, compared))
	}
	if by, class, ok := o.bySeed(); ok {
		what, too := "a structure", ""
		if same := class.Name(); same != "" {
			what = title(same)
		}
		if len(sentences) > 0 {
			too = " too"
		}
		sentences = append(sentences, fmt.Sprintf("The %s matter%s: %s, trained twice in equivalent forms, came out %.3f apart.", o.Words.Seed, too, what, by))
	}
	return strings.Join(sentences, " ")
}

// difference is that of two scores over the same things.
type difference struct {
	by float64
	// over is how many there are, 0 where that is not known.
	over int
	// error is a bound on the standard error, if over is known.
	error float64
}

func (o *outcome) difference(a, b float64, over int) difference {
	d := difference{by: a - b, over: over, error: standardError(a, over)}
	if o.Words.SamplingError.ExtremesAreCommon {
		d.error = max(d.error, standardError(b, over))
	}
	return d
}

// size is 0 within the standard error, 1 within two of them, and 2 beyond.
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

// standardError bounds that of a mean m of n numbers from 0 to 1, for what they are
// of drawn independently: the mean of a triple's two reciprocal ranks, of those of a
// query's answers, or the share of models that a node is classified right by. Their
// variance is at most m(1-m) (Bhatia and Davis, A better bound on the variance, 2000).
func standardError(m float64, n int) float64 {
	return math.Sqrt(m * (1 - m) / float64(max(1, n)))
}
