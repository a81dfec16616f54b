// Package format writes numbers, counts, lists and tables for people.
package format

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Missing stands for what is not known.
const Missing = "–"

// Int is a number with commas, as 12,345.
func Int(n int) string { return humanize.Comma(int64(n)) }

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

// Milliseconds are seconds to three digits, as "0.63 ms", "45.2 ms" or "12.6 s".
func Milliseconds(seconds float64) string {
	ms := 1e3 * seconds
	switch {
	case ms < 9.995:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 99.95:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 9999.5:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1e3)
}

// Seconds is a time to a tenth of a second, as 2m3.5s.
func Seconds(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second / 10).String()
}

// Sample says how many of a number were taken, as " (3 of 1,000)"; "" where that number is 0,
// since all were.
func Sample(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of %s)", Int(n), Int(of))
}

// Duration is about how long something takes, as "20 s", "3 min" or "7 h".
func Duration(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return Count(int(math.Round(d.Hours()/24)), "day")
}

// OneLine is an error in one line, as [Escape] shows it.
func OneLine(err error) string { return Escape(strings.ReplaceAll(err.Error(), "\n", "; ")) }

// Escape is a label with what a terminal would obey written as in a string of Go, as
// \x1b: control characters, those that turn the direction of text, and bytes that are no
// UTF-8. A character from U+007F on is written as JSON can write it too.
func Escape(label string) string {
	return escaped(label, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, turning) })
}

// EscapeLines is [Escape] for a text that has line ends and tabs of its own.
func EscapeLines(text string) string {
	return escaped(text, func(r rune) bool { return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, turning)) })
}

// turning are the characters that change the order in which others are shown.
var turning = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x2028, Hi: 0x202e, Stride: 1}, {Lo: 0x2066, Hi: 0x2069, Stride: 1}}}

func escaped(text string, obeyed func(r rune) bool) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var shown strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&shown, `\x%02x`, text[0])
		case !obeyed(r):
			shown.WriteString(text[:size])
		case r == '\x7f':
			shown.WriteString(`\u007f`)
		default:
			quoted := strconv.QuoteRune(r)
			shown.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return shown.String()
}

// Cell is a value as it stands in a table: whole numbers with commas, others with three
// decimals, yes or no, and Missing for nil and what is not finite. A pointer is what it
// points to.
func Cell(value any) string {
	switch value := value.(type) {
	case nil:
		return Missing
	case string:
		return Escape(value)
	case bool:
		if value {
			return "yes"
		}
		return "no"
	case int:
		return Int(value)
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
	return Escape(fmt.Sprint(value))
}
