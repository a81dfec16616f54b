package report

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/format"
)

// coefficient formats a correlation.
func coefficient(rho float64) string {
	if math.IsNaN(rho) {
		return format.Missing
	}
	return minus(fmt.Sprintf("%.2f", rho))
}

// minus replaces hyphens by minus signs.
func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

func duration(seconds float64) string {
	switch whole := int(seconds + 0.5); {
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 60:
		return fmt.Sprintf("%.1f s", seconds)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%d h %d min", whole/3600, whole%3600/60)
	}
}

// capital returns a text with a capital first letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
