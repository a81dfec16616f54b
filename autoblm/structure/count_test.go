package structure

import (
	"math/big"
	"slices"
	"testing"
)

// TestCount compares counts with numbers that another program computed.
func TestCount(t *testing.T) {
	for _, test := range []struct {
		k          int
		group      Group
		total      string
		byNonzeros []int64
	}{
		{2, Paper, "59", nil},
		{2, Full, "41", nil},
		{3, Paper, "162935", nil},
		{3, Full, "44376", nil},
		{4, Paper, "215998280488", []int64{1, 2, 27, 301, 4016, 47492, 507718}},
		{4, Full, "27148230130", []int64{1, 2, 20, 163, 1592, 13746, 113456, 835580, 5525701}},
	} {
		total, byNonzeros, err := Count(test.k, test.group)
		if err != nil {
			t.Fatal(err)
		}
		if total.String() != test.total {
			t.Errorf("k=%d, %v: %v classes, want %s", test.k, test.group, total, test.total)
		}
		if len(byNonzeros) != test.k*test.k+1 {
			t.Errorf("k=%d, %v: counts for %d numbers of nonzeros", test.k, test.group, len(byNonzeros))
		}
		for nonzeros, want := range test.byNonzeros {
			if byNonzeros[nonzeros].Cmp(big.NewInt(want)) != 0 {
				t.Errorf("k=%d, %v, %d nonzeros: %v classes, want %d", test.k, test.group, nonzeros,
					byNonzeros[nonzeros], want)
			}
		}
	}
}

// TestCountBounds checks bounds for every k: a class is at most as large as the group, and the
// 2^(k-1) sign flips refine the paper's classes by at most that factor.
func TestCountBounds(t *testing.T) {
	for k := 1; k <= MaxK; k++ {
		full, _, err := Count(k, Full)
		if err != nil {
			t.Fatal(err)
		}
		paper, byNonzeros, err := Count(k, Paper)
		if err != nil {
			t.Fatal(err)
		}
		if paper.Cmp(full) < 0 || new(big.Int).Lsh(full, uint(k-1)).Cmp(paper) < 0 {
			t.Errorf("k=%d: %v classes of the full group, %v of the paper's", k, full, paper)
		}
		if slices.ContainsFunc(byNonzeros, func(n *big.Int) bool { return n.Sign() <= 0 }) {
			t.Errorf("k=%d: no class for some number of nonzeros: %v", k, byNonzeros)
		}
		matrices := new(big.Int).Exp(big.NewInt(int64(2*k+1)), big.NewInt(int64(k*k)), nil)
		group := new(big.Int).SetUint64(factorial(k) * factorial(k) << (2*k - 1))
		if new(big.Int).Mul(full, group).Cmp(matrices) < 0 {
			t.Errorf("k=%d: %v classes of at most %v cannot hold %v matrices", k, full, group, matrices)
		}
	}
}

func TestCountErrors(t *testing.T) {
	for _, k := range []int{-1, 0, MaxK + 1} {
		if _, _, err := Count(k, Full); err == nil {
			t.Errorf("k=%d: no error", k)
		}
	}
	if _, _, err := Count(3, Group(7)); err == nil {
		t.Error("unknown group: no error")
	}
}
