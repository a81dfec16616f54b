package linear

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// anyInteger draws numbers near all limits of a machine word.
func anyInteger(t *rapid.T, label string) *big.Int {
	n := big.NewInt(rapid.Int64().Draw(t, label))
	n.Rsh(n, rapid.UintRange(0, 63).Draw(t, label+" shift"))
	if rapid.Bool().Draw(t, label+" is huge") {
		n.Mul(n, big.NewInt(1<<62-1))
	}
	return n
}

func TestIntegersAreBigInts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := anyInteger(t, "x"), anyInteger(t, "y")
		a, b := fromBig(x), fromBig(y)
		check := func(name string, got integer, want *big.Int) {
			if got.bigInt().Cmp(want) != 0 || !got.equals(fromBig(want)) || got.sign() != want.Sign() ||
				got.isZero() != (want.Sign() == 0) {
				t.Fatalf("%s of %v and %v is %v, want %v", name, x, y, got.bigInt(), want)
			}
			if inWord := want.CmpAbs(big.NewInt(wordLimit)) < 0; inWord != (got.large == nil) {
				t.Fatalf("%s of %v and %v: %v has two forms", name, x, y, want)
			}
		}
		check("the sum", a.plus(b), new(big.Int).Add(x, y))
		check("the product", a.times(b), new(big.Int).Mul(x, y))
		check("the negative", a.negative(), new(big.Int).Neg(x))
		check("the divisor", divisor(a, b), new(big.Int).GCD(nil, nil, new(big.Int).Abs(x),
			new(big.Int).Abs(y)))
		if y.Sign() != 0 {
			check("the quotient", a.times(b).over(b), x)
		}
	})
}
