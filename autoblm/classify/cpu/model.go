package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/classify"
)

// model holds a model in training.
type model struct {
	*program
	member   classify.Member
	weights  []float32 // of each row of the last layer in the loss
	matrices []*matrices
	layers   []*layer
	head     *head
	steps    int
	// For each parameter; means and squares are Adam's moving means.
	parameters, gradients, means, squares []table
}

func (p *program) newModel(r classify.Run) *model {
	m := &model{program: p, member: r.Member, weights: make([]float32, len(p.targets))}
	for _, output := range r.Learn {
		m.weights[p.Outputs[output]] = 1 / float32(len(r.Learn))
	}
	begin := r.Begin(p.Network)
	m.steps = begin.Steps
	for i, about := range p.Parameters {
		for _, of := range []*[]table{&m.parameters, &m.gradients, &m.means, &m.squares} {
			*of = append(*of, newTableOf(about))
		}
		m.parameters[i].fill(begin.Tables[i])
		m.means[i].fill(begin.Means[i])
		m.squares[i].fill(begin.Squares[i])
	}
	for l := range p.Layers {
		m.matrices = append(m.matrices, newMatrices(m, l))
		m.layers = append(m.layers, newLayer(m, l))
	}
	m.head = newHead(m)
	return m
}

// value returns the table of a parameter, empty if there is none.
func (m *model) value(layer int, name string) table { return m.pick(m.parameters, layer, name) }

// by returns the gradient by a parameter.
func (m *model) by(layer int, name string) table { return m.pick(m.gradients, layer, name) }

func (m *model) pick(of []table, layer int, name string) table {
	if i, known := m.places[parameter{name, layer}]; known {
		return of[i]
	}
	return table{}
}

// forward computes the logits, with dropout in training.
func (m *model) forward(train bool) table {
	m.makeMatrices()
	x := m.value(-1, classify.EntityEmbeddings)
	for i, l := range m.layers {
		var mask []float32
		if train && m.member.Dropout > 0 {
			mask = l.mask
			m.member.DropoutMask(mask, m.Layers[i].Nodes, m.steps, i)
		}
		x = l.forward(x, mask)
	}
	return m.head.forward(x)
}

// step trains for an epoch and returns the loss before it.
func (m *model) step() (loss float32) {
	m.steps++
	for i, g := range m.gradients {
		if m.Parameters[i].Name != classify.EntityEmbeddings { // overwritten by the last backward pass
			clear(g.Data)
		}
	}
	m.forward(true)
	loss, by := m.head.backward()
	for i := len(m.layers) - 1; i >= 0; i-- {
		below := m.by(-1, classify.EntityEmbeddings)
		if i > 0 {
			below = m.layers[i-1].byAfter
		}
		m.layers[i].backward(by, below)
		by = below
	}
	m.backThroughMatrices()
	m.adam()
	return loss
}

// adam updates all parameters (Kingma and Ba, ICLR 2015). Corrections of the rate and of epsilon
// stand for the bias correction of the means.
func (m *model) adam() {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	correction := math.Sqrt(1 - math.Pow(beta2, float64(m.steps)))
	rate := float32(m.member.LearningRate * correction / (1 - math.Pow(beta1, float64(m.steps))))
	small := float32(epsilon * correction)
	for i := range m.parameters {
		l2 := float32(0)
		if m.Parameters[i].Name == classify.EntityEmbeddings {
			l2 = float32(m.member.L2)
		}
		for row := range m.parameters[i].rows {
			values, gradients, means, squares := m.parameters[i].row(row), m.gradients[i].row(row),
				m.means[i].row(row), m.squares[i].row(row)
			for c, value := range values {
				g := gradients[c] + l2*value
				mean := means[c] + (1-beta1)*(g-means[c])
				square := squares[c] + (1-beta2)*(g*g-squares[c])
				values[c], means[c], squares[c] = value-rate*mean/(float32(math.Sqrt(float64(square)))+small),
					mean, square
			}
		}
	}
}
