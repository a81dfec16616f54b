package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
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
		return []string{fmt.Sprintf("The best of %s has a validation MRR of %s%s.", count(len(o.found), "structure"), mrr(found.Valid), withTest(found)), why}
	}
	words := []string{headline(found, named), comparison(found, named), o.chance(found, named)}
	if len(o.found) > 1 {
		flattered := fmt.Sprintf("The best of %s was chosen by its validation MRR, which flatters that number", count(len(o.found), "structure"))
		if found.Test != nil {
			flattered += "; the test MRR does not know of the choice"
		}
		words = append(words, flattered+".")
	}
	if best, _ := o.bestModel(); best.Stage == search.Final {
		words = append(words, fmt.Sprintf("The last stage, with other recipes, took the best model to a validation MRR of %s%s.", mrr(best.Valid), withTest(best)))
	}
	return words
}

func withTest(t search.Trial) string {
	if t.Test == nil {
		return ""
	}
	return " and a test MRR of " + mrr(t.Test)
}

func headline(found, named search.Trial) string {
	if same := found.Structure.Name(); same != "" {
		return fmt.Sprintf("The best structure found is %s in another guise.", title(same))
	}
	valid := differenceOf(found.Valid, named.Valid)
	if valid.by <= 0 {
		return fmt.Sprintf("No structure found beats the best human-designed one, %s.", title(named.Name))
	}
	least, where := valid.size(), "on validation"
	if found.Test != nil && named.Test != nil {
		test := differenceOf(found.Test, named.Test)
		if test.by <= 0 {
			return "The best structure found is ahead of the human-designed ones on validation, but not on test."
		}
		least, where = min(least, test.size()), "on validation and on test"
	}
	return fmt.Sprintf("The best structure found is ahead of the human-designed ones %s, %s.", where,
		[]string{"by less than the noise", "by a little more than the noise", "by clearly more than the noise"}[least])
}

func comparison(found, named search.Trial) string {
	text := fmt.Sprintf("The best structure found has a validation MRR of %s, the best human-designed one, %s, of %s.", mrr(found.Valid), title(named.Name), mrr(named.Valid))
	if found.Test != nil && named.Test != nil {
		text += fmt.Sprintf(" On the test triples, which chose nothing, they reach %s and %s.", mrr(found.Test), mrr(named.Test))
	}
	return text
}

// chance says how large differences are that mean nothing.
func (o *outcome) chance(found, named search.Trial) string {
	judged := []string{"within that", "a little above that", "more than twice that"}
	valid := differenceOf(found.Valid, named.Valid)
	text := fmt.Sprintf("An MRR over %s is uncertain by up to %.3f", count(found.Valid.Triples, "validation triple"), valid.error)
	compared := fmt.Sprintf("the difference of %s is %s", signed(valid.by), judged[valid.size()])
	if found.Test != nil && named.Test != nil {
		test := differenceOf(found.Test, named.Test)
		text += fmt.Sprintf(", over %s by up to %.3f", count(found.Test.Triples, "test triple"), test.error)
		compared += fmt.Sprintf(", that of %s on test %s", signed(test.by), judged[test.size()])
	}
	text += " (standard errors): " + compared + "."
	if by, of, ok := o.again(); ok {
		what := "a structure"
		if same := of.Name(); same != "" {
			what = title(same)
		}
		text += fmt.Sprintf(" The initial embeddings matter too: %s, trained twice in equivalent forms, came out %.3f apart.", what, by)
	}
	return text
}

// difference is that of two MRRs over the same triples.
type difference struct {
	by float64
	// error is a bound on the standard error of the first.
	error float64
}

func differenceOf(a, b *completion.Evaluation) difference {
	return difference{by: a.Both.MRR - b.Both.MRR, error: standardError(*a)}
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

// standardError bounds that of an MRR, for triples drawn independently: the mean
// of a triple's two reciprocal ranks is between 0 and 1, so its variance is at
// most m(1-m) (Bhatia and Davis, A better bound on the variance, 2000).
func standardError(e completion.Evaluation) float64 {
	m := e.Both.MRR
	return math.Sqrt(m * (1 - m) / float64(max(1, e.Triples)))
}

func signed(x float64) string {
	return strings.ReplaceAll(fmt.Sprintf("%+.3f", x), "-", "−")
}
