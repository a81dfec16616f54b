package show

import (
	"fmt"
	"math"
	"reflect"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/dustin/go-humanize"
)

// Row is a row for [Table]: texts as they are, whole numbers with commas, others
// with three decimals or, where these would all be 0, as 4e-15, truth as yes or
// no, structures as code, and – for what is missing: nil and numbers that are not
// finite. A number may be pointed to, as scores of trials are.
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
	if v := reflect.ValueOf(cell); (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer) && v.IsNil() {
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
	default: // 0 is 0
		return fmt.Sprintf("%.1g", x)
	}
}
