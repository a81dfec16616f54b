package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestNativeIsTheProgram: a step of the loops does to a model what GoMLX's program
// does, and both give it the same scores, for all encoders, norms and choices, with
// dropout and without, by all kernels.
func TestNativeIsTheProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i, s := range variants() {
		s.Dim = []int{4, 12, 16, 20}[i%4]
		g := smallGraph(rng, 40, 5, 220)
		trainer, err := NewTrainer(g, s, Options{Backend: "go"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(trainer.Close)
		for _, set := range kernel.Sets() {
			t.Run(fmt.Sprintf("%s, %s", s.variant(), set.Name), func(t *testing.T) {
				m := Member{Structure: structure.MustParse([]string{"1,-2;2,1", "quate"}[i%2]), LearningRate: 0.03, L2: 0.02, Dropout: 0.3 * float64(i%2)}
				r := run{member: m, seed: uint64(i), learn: numbers(1, 9), ask: numbers(9, 12)}
				reference := trainer.newPack([]run{r})
				defer reference.close()
				native := newNativeModel(newModel(g, s))
				native.kernels = set
				own := native.newRun(r)
				p := len(own.parameters)
				for range 4 {
					for n, state := range slices.Concat(own.parameters, own.means, own.squares) {
						for row, values := range slices.Collect(slices.Chunk(flat(t, reference.state[n]), state.columns)) {
							copy(state.row(row), values)
						}
					}
					for _, l := range []learner{reference, own} {
						if err := l.step(); err != nil {
							t.Fatal(err)
						}
					}
					if a, b := own.losses()[0], reference.losses()[0]; math.Abs(float64(a-b)) > 1e-5*float64(1+b) {
						t.Fatalf("loss %v, not %v", a, b)
					}
					for n, about := range trainer.model.parameters {
						values, means, squares := flat(t, reference.state[n]), flat(t, reference.state[p+n]), flat(t, reference.state[2*p+n])
						close := cmpopts.EquateApprox(1e-4, 1e-6)
						if diff := cmp.Diff(means, compact(own.means[n]), close); diff != "" {
							t.Fatalf("means of %v: %s", about, diff)
						}
						if diff := cmp.Diff(squares, compact(own.squares[n]), close); diff != "" {
							t.Fatalf("squares of %v: %s", about, diff)
						}
						// Adam divides by the root of the squares: where that is next to nothing,
						// rounding decides.
						for at, value := range compact(own.parameters[n]) {
							if squares[at] > 1e-10 && math.Abs(float64(value-values[at])) > 1e-3 {
								t.Fatalf("%v, number %d: %v, not %v", about, at, value, values[at])
							}
						}
					}
				}
				for n, state := range own.parameters {
					for row, values := range slices.Collect(slices.Chunk(flat(t, reference.state[n]), state.columns)) {
						copy(state.row(row), values)
					}
				}
				want, err := reference.scores()
				if err != nil {
					t.Fatal(err)
				}
				got, err := own.scores()
				if err != nil || len(got) != 1 || got[0].nodes != 3 || math.Abs(got[0].loss-want[0].loss) > 1e-5*(1+want[0].loss) {
					t.Errorf("scores %+v, not %+v, %v", got, want, err)
				}
			})
		}
	}
}

// compact is a table without its padding.
func compact(x table) (all []float32) {
	for row := range x.rows {
		all = append(all, x.row(row)...)
	}
	return all
}

// TestNativePaddingStaysZero: kernels write whole blocks, and nothing of that ends up in
// parameters.
func TestNativePaddingStaysZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	for i, s := range variants() {
		s.Dim = []int{4, 12, 16, 20}[i%4]
		m := Member{Structure: structure.MustParse("1,-2;2,1"), LearningRate: 0.03, L2: 0.02, Dropout: 0.3}
		own := newNativeModel(newModel(smallGraph(rng, 40, 5, 220), s)).newRun(run{member: m, seed: 1, learn: numbers(0, 9)})
		for range 3 {
			if err := own.step(); err != nil {
				t.Fatal(err)
			}
		}
		for n, p := range own.parameters {
			for row := range p.rows {
				if slices.ContainsFunc(p.wide(row)[p.columns:], func(x float32) bool { return x != 0 }) {
					t.Fatalf("%s: %v has %v in row %d", s.variant(), own.model.parameters[n], p.wide(row), row)
				}
			}
		}
	}
}
