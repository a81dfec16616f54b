package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Verdict says what the search came to, against the best human-designed model
// and against chance: first a headline, then sentences.
func (d Data) Verdict() []string { return newOutcome(d).verdict() }

func (o *outcome) verdict() []string {
	if len(o.found) == 0 {
		if len(o.proposed) == 0 {
			return []string{"No structure was trained yet."}
		}
		return []string{fmt.Sprintf("All %d structures diverged: a lower learning rate may help.", len(o.proposed))}
	}
	found := o.found[0]
	named, ok := o.bestNamed()
	if !ok {
		why := "No human-designed model was trained to its end, so there is none to compare with."
		if o.About.Settings.K != 4 {
			why = fmt.Sprintf("The human-designed models have four chunks and these structures %d, so there are none to compare with.", o.About.Settings.K)
		}
		return []string{fmt.Sprintf("The best of %s has a %s of %s%s.", count(len(o.found), "structure"), o.valid, score(found), o.withTest(found)), why}
	}
	words := []string{o.headline(found, named), o.comparison(found, named)}
	if chance := o.chance(found, named); chance != "" {
		words = append(words, chance)
	}
	if len(o.found) > 1 {
		flattered := fmt.Sprintf("The best of %s was chosen by its %s, which flatters that number", count(len(o.found), "structure"), o.valid)
		if found.TestScore != nil {
			flattered += fmt.Sprintf("; the %s does not know of the choice", o.test)
		}
		words = append(words, flattered+".")
	}
	if best, _ := o.bestModel(); best.Stage == task.Final {
		words = append(words, fmt.Sprintf("The last stage, with other recipes, took the best model to a %s of %s%s.", o.valid, score(best), o.withTest(best)))
	}
	return words
}

func (o *outcome) withTest(t task.Trial) string {
	if t.TestScore == nil {
		return ""
	}
	return fmt.Sprintf(" and a %s of %s", o.test, testScore(t))
}

func (o *outcome) headline(found, named task.Trial) string {
	if same := found.Structure.Name(); same != "" {
		return fmt.Sprintf("The best structure found is %s in another guise.", title(same))
	}
	valid := o.onValidation(found, named)
	if valid.by <= 0 {
		return fmt.Sprintf("No structure found beats the best human-designed one, %s.", title(named.Name))
	}
	least, where := valid, o.onValid
	if test, both := o.onTest(found, named); both {
		if test.by <= 0 {
			return fmt.Sprintf("The best structure found is ahead of the human-designed ones %s, but not on test.", o.onValid)
		}
		if where += " and on test"; test.size() < least.size() {
			least = test
		}
	}
	words := fmt.Sprintf("The best structure found is ahead of the human-designed ones %s", where)
	if least.over > 0 {
		words += ", " + []string{"by less than the noise", "by a little more than the noise", "by clearly more than the noise"}[least.size()]
	}
	return words + "."
}

func (o *outcome) comparison(found, named task.Trial) string {
	text := fmt.Sprintf("The best structure found has a %s of %s, the best human-designed one, %s, of %s.", o.valid, score(found), title(named.Name), score(named))
	if _, both := o.onTest(found, named); both {
		text += fmt.Sprintf(" On the %s, which chose nothing, they reach %s and %s.", o.testThing[1], testScore(found), testScore(named))
	}
	return text
}

// chance says how large differences are that mean nothing, "" where nothing is known
// of that.
func (o *outcome) chance(found, named task.Trial) string {
	var sentences []string
	judged := []string{"within that", "a little above that", "more than twice that"}
	if valid := o.onValidation(found, named); valid.over > 0 {
		text := fmt.Sprintf("An %s over %s is uncertain by up to %.3f", o.metric, counted(valid.over, o.validThing[0], o.validThing[1]), valid.error)
		compared := fmt.Sprintf("the difference of %s is %s", signed(valid.by), judged[valid.size()])
		if test, both := o.onTest(found, named); both {
			text += fmt.Sprintf(", over %s by up to %.3f", counted(test.over, o.testThing[0], o.testThing[1]), test.error)
			compared += fmt.Sprintf(", that of %s on test %s", signed(test.by), judged[test.size()])
		}
		standard := "standard errors"
		if o.task == queries {
			standard += ", as if no two queries had an edge in common"
		}
		sentences = append(sentences, fmt.Sprintf("%s (%s): %s.", text, standard, compared))
	}
	if by, of, ok := o.again(); ok {
		what := "a structure"
		if same := of.Name(); same != "" {
			what = title(same)
		}
		too := ""
		if len(sentences) > 0 {
			too = " too"
		}
		sentences = append(sentences, fmt.Sprintf("The %s matter%s: %s, trained twice in equivalent forms, came out %.3f apart.", o.begin, too, what, by))
	}
	return strings.Join(sentences, " ")
}

// difference is that of two metrics over the same triples, queries or nodes.
type difference struct {
	by float64
	// over is how many there are, 0 where that is not known.
	over int
	// error is a bound on the standard error, if over is known.
	error float64
}

func (o *outcome) onValidation(found, named task.Trial) difference {
	over, _ := o.judgedBy(found)
	return o.differenceOf(found.ScoreOrZero(), named.ScoreOrZero(), over)
}

// onTest is false where not both were tested.
func (o *outcome) onTest(found, named task.Trial) (d difference, both bool) {
	if found.TestScore == nil || named.TestScore == nil {
		return d, false
	}
	_, over := o.judgedBy(found)
	return o.differenceOf(*found.TestScore, *named.TestScore, over), true
}

// judgedBy is how many triples, queries or nodes a trial's metrics are means over, 0
// where that is not known. An evaluation of queries counts their answers, of which a
// query has many.
func (o *outcome) judgedBy(t task.Trial) (valid, test int) {
	if o.task == queries || o.task == classes {
		if o.Sizes != nil {
			return o.Sizes.Valid, o.Sizes.Test
		}
		return 0, 0
	}
	e := completion.EvaluationsOf(t.Details)
	if e.Valid != nil {
		valid = e.Valid.Triples
	}
	if e.Test != nil {
		test = e.Test.Triples
	}
	return valid, test
}

func (o *outcome) differenceOf(a, b float64, over int) difference {
	d := difference{by: a - b, over: over, error: standardError(a, over)}
	if o.task == classes { // one that is never wrong seems to have no error
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

func signed(x float64) string {
	return strings.ReplaceAll(fmt.Sprintf("%+.3f", x), "-", "−")
}
