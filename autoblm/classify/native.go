package classify

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// native is a run that is trained without GoMLX, by the loops of the engine cpu.
// What it computes is what the programs compute; a test holds the one to the other.
type native struct {
	*nativeModel
	run        run
	parameters []table
	gradients  []table
	means      []table
	squares    []table
	weights    []float32 // of the last layer's rows in the loss
	operators  []*nativeOperators
	layers     []*nativeLayer
	head       *nativeHead
	epoch      int
	last       float32 // loss
}

// nativeModel is what all runs share.
type nativeModel struct {
	*model
	kernels *kernel.Set
	ways    []*way
	places  map[key]int // of parameters
}

func newNativeModel(m *model) *nativeModel {
	n := &nativeModel{model: m, kernels: kernel.Sets()[0], places: map[key]int{}}
	for _, l := range m.field.layers {
		n.ways = append(n.ways, newWay(l, m.field.relations))
	}
	for i, p := range m.parameters {
		n.places[key{p.name, p.layer}] = i
	}
	return n
}

// table is rows of numbers, padded with zeros to what kernels work on.
type table struct {
	kernel.Table
	rows, columns int
}

// newTable has room for more rows that kernels may write to, since they write
// blocks of them.
func newTable(rows, columns int) table {
	stride := kernel.Pad(columns, kernel.Columns)
	return table{kernel.Table{Data: make([]float32, (kernel.Pad(rows, kernel.Rows)+kernel.Rows)*stride), Stride: stride}, rows, columns}
}

// row is a row without its padding.
func (t table) row(i int) []float32 { return t.Data[i*t.Stride:][:t.columns] }

// wide is a row with its padding.
func (t table) wide(i int) []float32 { return t.Data[i*t.Stride:][:t.Stride] }

// from is some rows, the first of them given.
func (t table) from(row, rows int) table { return table{t.From(row), rows, t.columns} }

// shapeOf is a parameter's shape with all axes but the last as one.
func shapeOf(p parameter) (rows, columns int) {
	columns = p.dims[len(p.dims)-1]
	return p.size() / columns, columns
}

func (m *nativeModel) newRun(r run) *native {
	n := &native{nativeModel: m, run: r, weights: make([]float32, len(m.targets))}
	for _, node := range r.learn {
		n.weights[m.field.labelled[node]] = 1 / float32(len(r.learn))
	}
	for i, values := range initial[float32](m.field, m.parameters, r.seed) {
		rows, columns := shapeOf(m.parameters[i])
		t := newTable(rows, columns)
		for row := range rows {
			copy(t.row(row), values[row*columns:][:columns])
		}
		n.parameters = append(n.parameters, t)
		n.gradients = append(n.gradients, newTable(rows, columns))
		n.means = append(n.means, newTable(rows, columns))
		n.squares = append(n.squares, newTable(rows, columns))
	}
	for l, w := range m.ways {
		n.operators = append(n.operators, newNativeOperators(n, l))
		n.layers = append(n.layers, newNativeLayer(n, w, n.operators[l]))
	}
	n.head = newNativeHead(n)
	return n
}

// value is a parameter, and by its gradient; both are empty where there is no such
// parameter.
func (n *native) value(layer int, name string) table { return n.pick(n.parameters, layer, name) }

func (n *native) by(layer int, name string) table { return n.pick(n.gradients, layer, name) }

func (n *native) pick(of []table, layer int, name string) table {
	if i, there := n.places[key{name, layer}]; there {
		return of[i]
	}
	return table{}
}

func (n *native) members() []run { return []run{n.run} }

func (n *native) losses() []float32 { return []float32{n.last} }

func (n *native) close() {}

// forward computes all layers and the logits, with dropout if it trains.
func (n *native) forward(train bool) table {
	n.makeOperators()
	x := n.value(-1, entity)
	for l, layer := range n.layers {
		var mask []float32
		if train && n.run.member.Dropout > 0 {
			mask = layer.mask
			fillMask(mask, n.field.layers[l].nodes, n.run.member.Dropout, n.run.seed, n.epoch, l)
		}
		x = layer.forward(x, mask)
	}
	return n.head.forward(x)
}

// step trains for an epoch.
func (n *native) step() error {
	n.epoch++
	for i, g := range n.gradients {
		if n.model.parameters[i].name != entity { // which is written whole
			clear(g.Data)
		}
	}
	n.forward(true)
	var by table
	n.last, by = n.head.backward()
	for l := len(n.layers) - 1; l >= 0; l-- {
		below := n.by(-1, entity)
		if l > 0 {
			below = n.layers[l-1].byAfter
		}
		n.layers[l].backward(by, below)
		by = below
	}
	n.backThroughOperators()
	n.adam()
	return nil
}

// adam changes all parameters by their gradients.
func (n *native) adam() {
	correction := squareCorrection(n.epoch)
	rate, epsilon := rateOf(n.run.member, n.epoch), float32(adamEpsilon*correction)
	for i := range n.parameters {
		l2 := float32(0)
		if n.model.parameters[i].name == entity {
			l2 = float32(n.run.member.L2)
		}
		for row := range n.parameters[i].rows {
			values, gradients, means, squares := n.parameters[i].row(row), n.gradients[i].row(row), n.means[i].row(row), n.squares[i].row(row)
			for c, value := range values {
				g := gradients[c] + l2*value
				mean := means[c] + (1-adamMean)*(g-means[c])
				square := squares[c] + (1-adamSquare)*(g*g-squares[c])
				values[c], means[c], squares[c] = value-rate*mean/(float32(math.Sqrt(float64(square)))+epsilon), mean, square
			}
		}
	}
}

// scores classifies the nodes that the run is asked for.
func (n *native) scores() ([]score, error) {
	logits := n.forward(false)
	var all score
	for _, node := range n.run.ask {
		row := int(n.field.labelled[node])
		all.add(scoreOf(logits.row(row), int(n.targets[row])))
	}
	return []score{all}, nil
}
