package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestStepsAreAdam: steps of a pack are those of Adam as it is published, by the
// gradients of the mean cross entropy of the nodes to learn from and of half the
// weighted squared norms of the entities.
func TestStepsAreAdam(t *testing.T) {
	g := smallGraph(rand.New(rand.NewPCG(15, 16)), 30, 4, 150)
	s := Defaults(BLM)
	s.Dim = 4
	trainer, err := NewTrainer(g, s, Options{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	r := run{member: Member{Structure: member(BLM, "1,-2;2,1").Structure, LearningRate: 0.03, Dropout: 0.25, L2: 0.5}, seed: 5, learn: []int{0, 2, 3, 7}}
	p := trainer.newPack([]run{r})
	defer p.close()

	m := trainer.model
	values := initial[float64](m.field, m.parameters, r.seed)
	means, squares := make([][]float64, len(values)), make([][]float64, len(values))
	for i := range values {
		means[i], squares[i] = make([]float64, len(values[i])), make([]float64, len(values[i]))
	}
	weights := make([]float64, len(m.targets))
	for _, node := range r.learn {
		weights[m.field.labelled[node]] = 1 / float64(len(r.learn))
	}
	gradientsOf := compiled[float64](t, goBackend(t), func(nodes []*graph.Node) []*graph.Node {
		in := &inputs{nodes}
		n := m.place(in.take(len(m.parameters)), in)
		weights := in.next()
		loss, gradients := n.lossAndGradients(in.rest, weights)
		return append([]*graph.Node{loss}, gradients...)
	})
	for step := 1; step <= 4; step++ {
		if err := p.step(); err != nil {
			t.Fatal(err)
		}
		tables := &population{model: m, structures: []structure.Structure{r.member.Structure}, tables: values, constants: constants[float64](m.passages)}
		arguments := append(tables.inputs(), tensors.FromFlatDataAndDimensions(weights, 1, len(weights)))
		for l, layer := range m.field.layers {
			mask := make([]float32, len(layer.nodes)*s.Dim)
			fillMask(mask, layer.nodes, r.member.Dropout, r.seed, step, l)
			arguments = append(arguments, tensors.FromFlatDataAndDimensions(widened(mask), 1, len(layer.nodes), s.Dim))
		}
		outputs := gradientsOf(arguments...)
		if loss := outputs[0][0]; math.Abs(loss-float64(p.losses()[0])) > 1e-4*(1+loss) {
			t.Errorf("step %d: the loss is %v, by the definition %v", step, p.losses()[0], loss)
		}
		for i := range values {
			for n, gradient := range outputs[i+1] {
				if m.parameters[i].name == entity {
					gradient += r.member.L2 * values[i][n]
				}
				means[i][n] = 0.9*means[i][n] + 0.1*gradient
				squares[i][n] = 0.999*squares[i][n] + 0.001*gradient*gradient
				mean, square := means[i][n]/(1-math.Pow(0.9, float64(step))), squares[i][n]/(1-math.Pow(0.999, float64(step)))
				values[i][n] -= r.member.LearningRate * mean / (math.Sqrt(square) + 1e-8)
			}
		}
		for i, about := range m.parameters {
			if diff := cmp.Diff(values[i], widened(flat(t, p.state[i])), cmpopts.EquateApprox(1e-3, 1e-4)); diff != "" {
				t.Fatalf("step %d, %v: %s", step, about, diff)
			}
		}
	}
}

func widened(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
