package linear

import (
	"cmp"
	"math/big"
)

// integer is an exact integer: a machine word while it is small, as nearly all
// numbers here are, and a big.Int when it is not. The zero value is 0.
type integer struct {
	word  int64    // between -wordLimit and wordLimit, when large is nil
	large *big.Int // never changed once it is here
}

const (
	wordLimit   = 1 << 62 // the sum of two words fits into 64 bits
	factorLimit = 1 << 30 // the product of two factors is a word
)

func whole(n int64) integer {
	if -wordLimit < n && n < wordLimit {
		return integer{word: n}
	}
	return integer{large: big.NewInt(n)}
}

func (a integer) bigInt() *big.Int {
	if a.large != nil {
		return a.large
	}
	return big.NewInt(a.word)
}

func fromBig(n *big.Int) integer {
	if n.IsInt64() {
		if word := n.Int64(); -wordLimit < word && word < wordLimit {
			return integer{word: word}
		}
	}
	return integer{large: n}
}

func (a integer) isFactor() bool {
	return a.large == nil && -factorLimit < a.word && a.word < factorLimit
}

func (a integer) sign() int {
	if a.large != nil {
		return a.large.Sign()
	}
	return cmp.Compare(a.word, 0)
}

func (a integer) isZero() bool { return a.large == nil && a.word == 0 }

func (a integer) isOne() bool { return a.large == nil && a.word == 1 }

func (a integer) equals(b integer) bool {
	if a.large == nil || b.large == nil {
		return a == b
	}
	return a.large.Cmp(b.large) == 0
}

func (a integer) plus(b integer) integer {
	if a.large == nil && b.large == nil {
		return whole(a.word + b.word)
	}
	return fromBig(new(big.Int).Add(a.bigInt(), b.bigInt()))
}

func (a integer) times(b integer) integer {
	if a.isFactor() && b.isFactor() {
		return integer{word: a.word * b.word}
	}
	return fromBig(new(big.Int).Mul(a.bigInt(), b.bigInt()))
}

func (a integer) negative() integer {
	if a.large == nil {
		return integer{word: -a.word}
	}
	return fromBig(new(big.Int).Neg(a.large))
}

// over returns a/b for a divisor b of a.
func (a integer) over(b integer) integer {
	if a.large == nil && b.large == nil {
		return integer{word: a.word / b.word}
	}
	return fromBig(new(big.Int).Quo(a.bigInt(), b.bigInt()))
}

// divisor returns the greatest common divisor, not negative.
func divisor(a, b integer) integer {
	if a.large == nil && b.large == nil {
		x, y := a.word, b.word
		for y != 0 {
			x, y = y, x%y
		}
		return integer{word: max(x, -x)}
	}
	x, y := new(big.Int).Abs(a.bigInt()), new(big.Int).Abs(b.bigInt())
	return fromBig(new(big.Int).GCD(nil, nil, x, y))
}
