package form

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCellNames checks that names of cells are read as they are written, and that others and cells
// whose scores cannot depend on entity and relation are refused.
func TestCellNames(t *testing.T) {
	for name, want := range map[string]Cell{
		"interstellar-wn18rr":                   CellWN18RR,
		"interstellar-fb15k-237":                CellFB15k237,
		"interstellar-3-4-9-1-2-1-1-0-1-1-1":    {3, 4, 9, 1, 2, 1, 1, 0, 1, 1, 1},
		"interstellar-0-15-11-0-0-0-0-0-0-0-0":  {0, 15, 11},
		"interstellar-0-11-15-0-0-0-0-0-0-0-01": {},
	} {
		var f Form
		err := f.UnmarshalText([]byte(name))
		if want == (Cell{}) {
			if err == nil {
				t.Errorf("%s is read as %v", name, f)
			}
			continue
		}
		if c, ok := f.Cell(); err != nil || !ok || c != want || f.String() != name {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	for name, says := range map[string]string{
		"interstellar-1":                        "11 numbers",
		"interstellar-0-0-2-0-0-0-0-0-0-0-2":    "number 11 of the cell is 2",
		"interstellar-4-0-2-0-0-0-0-0-0-0-0":    "number 1 of the cell is 4",
		"interstellar-0-16-2-0-0-0-0-0-0-0-0":   "from 0 to 15",
		"interstellar-0-x-2-0-0-0-0-0-0-0-0":    "must be an integer",
		"interstellar-0-13-2-0-0-0-0-0-0-0-0":   "product with 0",
		"interstellar-0-0-14-0-0-0-0-0-0-0-0":   "product with 0",
		"interstellar-0-12-12-0-0-0-0-0-0-0-0":  "leave out the entity",
		"interstellar-0-0-2-0-0-0-0-0-0-0-0":    "interstellar-wn18rr",
		"interstellar-2-1-11-1-1-0-0-0-0-0-0-0": "11 numbers",
	} {
		var f Form
		if err := f.UnmarshalText([]byte(name)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, which should say %q", name, err, says)
		}
	}
}

// TestPublishedCells compares the queries of the published cells with their formulas, written out.
// On WN18RR, h' = s + r and v = s ⊗ h', a complex product. On FB15k-237, o = tanh(s ⊗ h),
// h' = tanh(s ∘ r) and v = g h' + (1-g) o.
func TestPublishedCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() []float64 {
		x := make([]float64, 4)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	product := func(x, y []float64) []float64 { // of two complex numbers
		a, b := complex(x[0], x[1]), complex(y[0], y[1])
		return []float64{real(a * b), imag(a * b)}
	}
	e, r := [][]float64{draw(), draw()}, [][]float64{draw(), draw()}
	got := CellWN18RR.Read(e, r, []bool{false, true}, nil)
	for way := range 2 { // forward, backward
		s := e[1][2*way:][:2]
		ofRelation := r[1][2-2*way:][:2] // the other one, because the second hop is transposed
		want := product(s, []float64{s[0] + ofRelation[0], s[1] + ofRelation[1]})
		same(t, "wn18rr", got[2-2*way:][:2], want)
	}

	weights := make([]float64, 5*2) // of a gate for vectors of two numbers, with a bias
	for i := range weights {
		weights[i] = rng.NormFloat64()
	}
	got = CellFB15k237.Read(e, r, []bool{false, false}, weights)
	for way := range 2 {
		state := e[0][2*way:][:2]
		var o, next, v [2]float64
		for hop := range 2 {
			s, ofRelation := e[hop][2*way:][:2], r[hop][2*way:][:2]
			for i, x := range product(s, state) {
				o[i], next[i] = math.Tanh(x), math.Tanh(s[i]*ofRelation[i])
			}
			for i := range v {
				sum := weights[8+i]
				for j, x := range []float64{o[0], o[1], next[0], next[1]} {
					sum += x * weights[2*j+i]
				}
				g := 1 / (1 + math.Exp(-sum))
				v[i] = g*next[i] + (1-g)*o[i]
			}
			state = next[:]
		}
		same(t, "fb15k-237", got[2-2*way:][:2], v[:])
	}
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}
