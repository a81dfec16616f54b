package surrogate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDescentFollowsTheDefinition compares the final weights with those of AdamW in float64,
// with difference quotients as gradients.
func TestDescentFollowsTheDefinition(t *testing.T) {
	const inputs, hidden, steps, rate, decay = 4, 3, 12, 0.05, 0.2
	for _, n := range []int{1, 5, 16, 17} { // with and without padding
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		examples, scores, shares := make([][]float64, n), make([]float64, n), make([]float64, n)
		for i := range examples {
			examples[i] = []float64{float64(rng.IntN(2)), float64(rng.IntN(2)), rng.NormFloat64(), 1}
			scores[i], shares[i] = rng.NormFloat64(), rng.Float64()
		}
		fitted := newPerceptron(inputs, hidden, uint64(n))
		want := make([]float64, len(fitted.table))
		for i, w := range fitted.table {
			want[i] = float64(w)
		}
		loss := func() float64 {
			sum := 0.0
			for i, x := range examples {
				output := 0.0
				for unit := range hidden + 1 {
					row := want[unit*(inputs+1):][:inputs+1]
					before := 0.0
					for j := range x {
						before += row[j] * x[j]
					}
					output += row[inputs] * math.Max(0, before)
				}
				sum += shares[i] * (output - scores[i]) * (output - scores[i])
			}
			return sum
		}
		means, squares := make([]float64, len(want)), make([]float64, len(want))
		for step := 1; step <= steps; step++ {
			next := make([]float64, len(want))
			for i, w := range want {
				const tiny = 1e-6
				want[i] = w + tiny
				above := loss()
				want[i] = w - tiny
				gradient := (above - loss()) / (2 * tiny)
				want[i] = w
				means[i] = 0.9*means[i] + 0.1*gradient
				squares[i] = 0.999*squares[i] + 0.001*gradient*gradient
				mean, square := means[i]/(1-math.Pow(0.9, float64(step))),
					squares[i]/(1-math.Pow(0.999, float64(step)))
				next[i] = w - rate*(mean/(math.Sqrt(square)+1e-7)+decay*w)
			}
			want = next
		}

		var flat []float32
		for _, x := range examples {
			for _, v := range x {
				flat = append(flat, float32(v))
			}
		}
		if err := fitted.fit(Settings{Steps: steps, LearningRate: rate, WeightDecay: decay}, flat, scores,
			shares); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(float64(fitted.table[i])-want[i]) > 1e-3 {
				t.Errorf("%d examples: weight %d is %v, by the definition %v", n, i, fitted.table[i], want[i])
			}
		}
	}
}
