package show

import (
	"fmt"
	"math"
	"reflect"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
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

// smallest is the smallest number that is not 0 with three decimals.
const smallest = 0.0005

func text(cell any) string {
	switch cell := cell.(type) {
	case float64:
		if math.Abs(cell) < smallest {
			return fmt.Sprintf("%.1g", cell)
		}
	case *float64:
		if cell != nil {
			return text(*cell)
		}
	case structure.Structure:
		return "`" + cell.String() + "`"
	}
	v := reflect.ValueOf(cell)
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer) && v.IsNil() {
		return format.Missing
	}
	if s, ok := cell.(fmt.Stringer); ok {
		return s.String()
	}
	return format.Cell(cell)
}
