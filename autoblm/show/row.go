package show

import (
	"fmt"
	"math"
	"reflect"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/dustin/go-humanize"
)

// Row formats a row for [Table]. Integers have commas. Other numbers have three decimals, or one
// significant digit such as 4e-15 if these would all be 0. Booleans are yes or no, structures are
// code, and nil and numbers that are not finite are –. Numbers may be pointers, like scores of
// trials.
func Row(cells ...any) []string {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = text(cell)
	}
	return row
}

const missing = "–"

func text(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return missing
	case int:
		return humanize.Comma(int64(cell))
	case bool:
		if cell {
			return "yes"
		}
		return "no"
	case float64:
		return decimal(cell)
	case *float64:
		if cell != nil {
			return decimal(*cell)
		}
	case structure.Structure:
		return "`" + cell.String() + "`"
	}
	v := reflect.ValueOf(cell)
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer) && v.IsNil() {
		return missing
	}
	return fmt.Sprint(cell)
}

func decimal(x float64) string {
	const smallest = 0.0005
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return missing
	case math.Abs(x) >= smallest:
		return fmt.Sprintf("%.3f", x)
	default: // also 0
		return fmt.Sprintf("%.1g", x)
	}
}
