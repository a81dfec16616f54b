package show

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRow(t *testing.T) {
	var none []int
	var nothing *int
	var untested *float64
	score := 0.3333
	got := Row("has_capital", 27148, -3, 0.41239, 0.0, 4.44e-15, -2.0, math.NaN(), true, false,
		complEx, []int{1, 2}, none, nothing, nil, big.NewInt(7), &score, untested)
	want := []string{
		"has_capital", "27,148", "-3", "0.412", "0", "4e-15", "-2.000", "–", "yes", "no",
		"`" + complEx.String() + "`", "[1 2]", "–", "–", "–", "7", "0.333", "–",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
