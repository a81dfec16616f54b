// Package format formats numbers, counts, lists and labels for people.
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

// Missing replaces an unknown value.
const Missing = "–"

// Int formats a number with commas, such as 12,345.
func Int(n int) string { return humanize.Comma(int64(n)) }

// Count formats a number with a noun, such as "1 epoch" or "2 entities".
func Count(n int, what string) string { return english.Plural(n, what, "") }

// List joins items, such as "a, b and c" if last is "and".
func List[T any](items []T, last string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item)
	}
	return english.WordSeries(texts, last)
}

// Milliseconds formats seconds with three digits, such as "0.63 ms", "45.2 ms" or "12.6 s".
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

// Seconds formats a time to a tenth of a second, such as 2m3.5s.
func Seconds(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second / 10).String()
}

// Brief formats seconds like [Duration], with a tenth below 10 s.
func Brief(seconds float64) string {
	if seconds < 9.95 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return Duration(time.Duration(seconds * float64(time.Second)))
}

// Sample formats the size of a sample, such as " (3 of 1,000)". It returns "" if of is 0, which
// means that there is no sample.
func Sample(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of %s)", Int(n), Int(of))
}

// Duration formats a rough duration, such as "20 s", "3 min" or "7 h".
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

// OneLine formats an error in one line, with [Escape].
func OneLine(err error) string {
	return Escape(strings.ReplaceAll(err.Error(), "\n", "; "))
}

// Escape escapes what a terminal would interpret, as in a Go string: control characters,
// characters that change the direction of text, and invalid UTF-8. The escapes of characters from
// U+007F on are valid in JSON, too.
func Escape(label string) string { return escape(label, isControl) }

// EscapeLines escapes like [Escape] but keeps line ends and tabs.
func EscapeLines(text string) string {
	return escape(text, func(r rune) bool { return r != '\n' && r != '\t' && isControl(r) })
}

func isControl(r rune) bool { return unicode.IsControl(r) || unicode.In(r, directions) }

// directions are line separators and the characters that change the direction of text.
var directions = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x2028, Hi: 0x202e, Stride: 1}, {Lo: 0x2066, Hi: 0x2069, Stride: 1},
}}

func escape(text string, isControl func(r rune) bool) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isControl) {
		return text
	}
	var escaped strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&escaped, `\x%02x`, text[0])
		case !isControl(r):
			escaped.WriteString(text[:size])
		case r == '\x7f':
			escaped.WriteString(`\u007f`)
		default:
			quoted := strconv.QuoteRune(r)
			escaped.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return escaped.String()
}

// Signed formats a difference with its sign and three decimals, such as "−0.012".
func Signed(x float64) string {
	return strings.ReplaceAll(fmt.Sprintf("%+.3f", x), "-", "−")
}

// Cell formats a value for a table: integers with commas, other numbers with three decimals,
// booleans as yes or no. It follows pointers, and returns Missing for nil and numbers that are not
// finite.
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
