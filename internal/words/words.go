// Package words writes numbers, counts, lists and tables for people.
package words

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Missing stands for what is not known.
const Missing = "–"

// Whole is a number with commas, as 12,345.
func Whole(n int) string { return humanize.Comma(int64(n)) }

// Count is "1 epoch" or "2 epochs", "1 entity" or "2 entities".
func Count(n int, what string) string { return english.Plural(n, what, "") }

// List is "a", "a and b" or "a, b and c", where last is "and".
func List[T any](items []T, last string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item)
	}
	return english.WordSeries(texts, last)
}

// Seconds is a time to a tenth of a second, as 2m3.5s.
func Seconds(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second / 10).String()
}

// OneLine is an error in one line.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Printable shows control characters, which a label may hold and a terminal obeys.
func Printable(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\ufffd'
		}
		return r
	}, label)
}

// Cell is a value as it stands in a table: whole numbers with commas, others with three
// decimals, yes or no, and Missing for nil and what is not finite. A pointer is what it
// points to.
func Cell(value any) string {
	switch value := value.(type) {
	case nil:
		return Missing
	case string:
		return Printable(value)
	case bool:
		if value {
			return "yes"
		}
		return "no"
	case int:
		return Whole(value)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return Missing
		}
		return fmt.Sprintf("%.3f", value)
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return Missing
		}
		return Cell(v.Elem().Interface())
	}
	return Printable(fmt.Sprint(value))
}
