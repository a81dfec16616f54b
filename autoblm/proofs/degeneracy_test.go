package proofs_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/proofs"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"pgregory.net/rapid"
)

// checkRejections compares the reasons with the definition of the paper's test and describes the
// first error.
func checkRejections(a structure.Structure) string {
	modes, reasons := a.DegenerateModes(), proofs.Rejections(a)
	if len(modes) != len(reasons) {
		return "not one reason for each failing mode"
	}
	for n, reason := range reasons {
		if reason.Mode != modes[n] {
			return "a reason for another mode"
		}
		if reason.Mode == structure.Relation {
			if reason.Missing < 1 || reason.Missing > a.K() {
				return "no value is missing"
			}
			for _, row := range a.Rows() {
				if slices.Contains(row, reason.Missing) || slices.Contains(row, -reason.Missing) {
					return "the missing value occurs"
				}
			}
			continue
		}
		if !slices.ContainsFunc(reason.Vector, func(w int64) bool { return w != 0 }) {
			return "a vector of zeros"
		}
		for i := range a.K() {
			product := int64(0)
			for j, w := range reason.Vector {
				if reason.Mode == structure.Head {
					product += w * int64(a.At(j, i))
				} else {
					product += w * int64(a.At(i, j))
				}
			}
			if product != 0 {
				return "the vector is not in the kernel of A"
			}
		}
	}
	if len(reasons) > 0 && !a.DegeneratePaper() {
		return "the paper's test lets a degenerate structure pass"
	}
	return ""
}

func TestRejections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		if wrong := checkRejections(a); wrong != "" {
			t.Fatalf("%s: %s", a, wrong)
		}
	})
}

// TestCensus counts all 7⁹ structures with K = 3; another program computed the expected numbers.
// The count for K = 2 checks the shortcut of census.
func TestCensus(t *testing.T) {
	var two counts
	for a := range everyStructure(2) {
		two.add(a, 1)
	}
	if got := census(t, 2); got != two || got.wrong != 0 {
		t.Errorf("K=2: %+v, and one by one %+v", got, two)
	}
	if got, want := census(t, 3), (counts{40_353_607, 32_564_448, 33_288_288, 0}); got != want {
		t.Errorf("K=3: %+v, want %+v", got, want)
	}
}

// counts holds numbers of structures.
type counts struct {
	all, passPaper, sound int
	wrong                 int // degenerate, and yet past the paper's test
}

func (c *counts) add(a structure.Structure, weight int) {
	degenerate, paper := a.Degenerate(), a.DegeneratePaper()
	c.all += weight
	if !paper {
		c.passPaper += weight
	}
	if !degenerate {
		c.sound += weight
	}
	if degenerate && !paper {
		c.wrong += weight
	}
}

// census visits the structures in which the first nonzero of each row is positive. Negating a row
// changes neither the rank of A nor that of an unfolding, so each represents
// 2^(number of nonzero rows) structures.
func census(t *testing.T, k int) counts {
	isZero := func(row []int) bool {
		return !slices.ContainsFunc(row, func(v int) bool { return v != 0 })
	}
	rows := [][]int{{}}
	for range k {
		var longer [][]int
		for _, row := range rows {
			for value := -k; value <= k; value++ {
				if value >= 0 || !isZero(row) {
					longer = append(longer, append(slices.Clone(row), value))
				}
			}
		}
		rows = longer
	}
	var group sync.WaitGroup
	firsts, results := make(chan []int), make(chan counts)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var mine counts
			matrix := make([][]int, k)
			var fill func(row, weight int)
			choose := func(row, weight int, values []int) {
				matrix[row] = values
				if !isZero(values) {
					weight *= 2
				}
				fill(row+1, weight)
			}
			fill = func(row, weight int) {
				if row < k {
					for _, values := range rows {
						choose(row, weight, values)
					}
					return
				}
				a, err := structure.New(matrix)
				if err != nil {
					t.Error(err)
				}
				mine.add(a, weight)
			}
			for first := range firsts {
				choose(0, 1, first)
			}
			results <- mine
		})
	}
	go func() {
		for _, first := range rows {
			firsts <- first
		}
		close(firsts)
		group.Wait()
		close(results)
	}()
	var sum counts
	for part := range results {
		sum = counts{sum.all + part.all, sum.passPaper + part.passPaper, sum.sound + part.sound,
			sum.wrong + part.wrong}
	}
	return sum
}

// TestResponse checks that an embedding has a positive score with some other embeddings, unless it
// scores 0 everywhere, as a witness does.
func TestResponse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		width := rapid.IntRange(1, 3).Draw(t, "width")
		chunk := rapid.SliceOfN(rapid.IntRange(-3, 3), width, width).Draw(t, "chunk")
		for _, mode := range []structure.Mode{structure.Head, structure.Relation, structure.Tail} {
			x := make([]float64, a.K()*width)
			for n := range x {
				x[n] = float64(rapid.IntRange(-3, 3).Draw(t, "x"))
			}
			if h, r, tail, ok := proofs.Response(a, mode, x); ok {
				if score := a.Score(h, r, tail); !(score > 0) {
					t.Fatalf("%s: the response to %v as %v scores %v", a, x, mode, score)
				}
				if own := [][]float64{h, r, tail}[mode]; !slices.Equal(own, x) {
					t.Fatalf("%s: %v is %v in the answer, not %v", a, mode, own, x)
				}
			} else if a.Witness(mode) == nil && slices.ContainsFunc(x, func(v float64) bool {
				return v != 0
			}) {
				t.Fatalf("%s: no response to %v as %v, although the mode is not degenerate", a, x, mode)
			}
			for chunkOf, w := range a.Witness(mode) {
				for n, v := range chunk {
					x[chunkOf*width+n] = float64(w) * float64(v)
				}
			}
			if a.Witness(mode) != nil {
				if _, _, _, ok := proofs.Response(a, mode, x); ok {
					t.Fatalf("%s: the witness %v as %v got a response", a, x, mode)
				}
			}
		}
	})
}

// TestCounterexamplesToProposition2 checks matrices that are not degenerate as the paper's
// proposition says.
func TestCounterexamplesToProposition2(t *testing.T) {
	tailsOnly := structure.MustParse("-1,-1;-2,-2")
	if modes := tailsOnly.DegenerateModes(); !slices.Equal(modes, []structure.Mode{structure.Tail}) ||
		!tailsOnly.DegeneratePaper() {
		t.Errorf("%s: fails in %v", tailsOnly, modes)
	}
	sound := structure.MustParse("1,-1,-3;-1,-2,-3;-3,-3,-3")
	if sound.Degenerate() || !sound.DegeneratePaper() {
		t.Errorf("%s: degenerate %v, by the paper's test %v", sound, sound.Degenerate(),
			sound.DegeneratePaper())
	}
	// The paper's test also differs between equivalent matrices: these swap the values 2 and 3.
	if a, b := structure.MustParse("-1,2,-2;3,0,3;3,2,2"),
		structure.MustParse("-1,3,-3;2,0,2;2,3,3"); !a.DegeneratePaper() || b.DegeneratePaper() {
		t.Errorf("the paper's test says %v of %s and %v of %s", a.DegeneratePaper(), a,
			b.DegeneratePaper(), b)
	}
}
