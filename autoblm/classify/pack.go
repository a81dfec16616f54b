package classify

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// run is one model in training.
type run struct {
	member Member
	seed   uint64
	learn  []int // from these of the labelled nodes
	ask    []int // and classify these
	epochs int   // at the most
}

// pack are runs that train in one call, on the leading axis of all tensors.
type pack struct {
	trainer *Trainer
	runs    []run
	dropout bool

	state       []*tensors.Tensor // parameters, means, squares
	signs       *tensors.Tensor
	weights, l2 *tensors.Tensor
	epoch       int
	lost        []float32 // by the last step
}

func (t *Trainer) newPack(runs []run) *pack {
	m := t.model
	p := &pack{trainer: t, runs: runs, lost: make([]float32, len(runs))}
	structures := make([]structure.Structure, len(runs))
	weights := make([]float32, len(runs)*len(m.targets))
	l2 := make([]float32, len(runs))
	perTable := make([][]float32, len(m.parameters))
	for i, r := range runs {
		p.dropout = p.dropout || r.member.Dropout > 0
		structures[i] = cmp.Or(r.member.Structure, structure.Zero(1)) // without structures none is looked at
		l2[i] = float32(r.member.L2)
		for _, node := range r.learn {
			weights[i*len(m.targets)+int(m.field.labelled[node])] = 1 / float32(len(r.learn))
		}
		for n, table := range initial[float32](m.field, m.parameters, r.seed) {
			perTable[n] = append(perTable[n], table...)
		}
	}
	shape := func(about parameter) []int { return append([]int{len(runs)}, about.dims...) }
	for n, about := range m.parameters {
		p.state = append(p.state, tensors.FromFlatDataAndDimensions(perTable[n], shape(about)...))
	}
	for range 2 {
		for n, about := range m.parameters {
			p.state = append(p.state, tensors.FromFlatDataAndDimensions(make([]float32, len(perTable[n])), shape(about)...))
		}
	}
	p.signs = signTensors[float32](structures)
	p.weights = tensors.FromFlatDataAndDimensions(weights, len(runs), len(m.targets))
	p.l2 = tensors.FromFlatDataAndDimensions(l2, len(runs))
	return p
}

func (p *pack) members() []run { return p.runs }

func (p *pack) losses() []float32 { return p.lost }

// step trains for an epoch.
func (p *pack) step() error {
	t := p.trainer
	program, err := t.stepProgram(p.dropout)
	if err != nil {
		return err
	}
	p.epoch++
	var arguments []any
	for _, x := range p.state { // the call writes the next state over this one
		donated, err := graph.DonateTensorBuffer(x, t.backend, 0)
		if err != nil {
			return err
		}
		arguments = append(arguments, donated)
	}
	var masks []*tensors.Tensor
	if p.dropout {
		masks = p.masks()
	}
	rates := []*tensors.Tensor{p.rates(), p.epsilon()}
	defer finalize(slices.Concat(masks, rates)...)
	for _, x := range slices.Concat([]*tensors.Tensor{p.signs}, t.constants, masks, []*tensors.Tensor{p.weights, p.l2}, rates) {
		arguments = append(arguments, x)
	}
	outputs, err := program.Call(arguments...)
	if err != nil {
		return fmt.Errorf("a training step failed: %w", err)
	}
	last := len(outputs) - 1
	p.state = outputs[:last]
	defer finalize(outputs[last])
	p.lost, err = tensors.CopyFlatData[float32](outputs[last])
	return err
}

// masks are those of all layers, for the present epoch.
func (p *pack) masks() []*tensors.Tensor {
	var all []*tensors.Tensor
	d := p.trainer.settings.Dim
	for l, layer := range p.trainer.model.field.layers {
		size := len(layer.nodes) * d
		mask := make([]float32, len(p.runs)*size)
		for i, r := range p.runs {
			fillMask(mask[i*size:][:size], layer.nodes, r.member.Dropout, r.seed, p.epoch, l)
		}
		all = append(all, tensors.FromFlatDataAndDimensions(mask, len(p.runs), len(layer.nodes), d))
	}
	return all
}

// rates are the learning rates, corrected for the start of Adam's means at 0.
func (p *pack) rates() *tensors.Tensor {
	rates := make([]float32, len(p.runs))
	for i, r := range p.runs {
		rates[i] = rateOf(r.member, p.epoch)
	}
	return tensors.FromFlatDataAndDimensions(rates, len(rates))
}

func (p *pack) epsilon() *tensors.Tensor {
	return tensors.FromScalar(float32(adamEpsilon * squareCorrection(p.epoch)))
}

func rateOf(m Member, epoch int) float32 {
	return float32(m.LearningRate * squareCorrection(epoch) / (1 - math.Pow(adamMean, float64(epoch))))
}

func squareCorrection(epoch int) float64 {
	return math.Sqrt(1 - math.Pow(adamSquare, float64(epoch)))
}

// score is how well some nodes are classified.
type score struct {
	nodes, hits int
	loss        float64 // cross entropy, summed
}

func (s *score) add(o score) {
	s.nodes += o.nodes
	s.hits += o.hits
	s.loss += o.loss
}

// scores classifies the nodes that each run is asked for.
func (p *pack) scores() ([]score, error) {
	t := p.trainer
	program, err := t.logitsProgram()
	if err != nil {
		return nil, err
	}
	var arguments []any
	for _, x := range slices.Concat(p.state[:len(t.model.parameters)], []*tensors.Tensor{p.signs}, t.constants) {
		arguments = append(arguments, x)
	}
	outputs, err := program.Call(arguments...)
	if err != nil {
		return nil, fmt.Errorf("classifying failed: %w", err)
	}
	defer finalize(outputs...)
	logits, err := tensors.CopyFlatData[float32](outputs[0])
	if err != nil {
		return nil, err
	}
	all := make([]score, len(p.runs))
	rows, classes := len(t.model.targets), t.model.classes
	for i, r := range p.runs {
		for _, node := range r.ask {
			row := int(t.model.field.labelled[node])
			all[i].add(scoreOf(logits[(i*rows+row)*classes:][:classes], int(t.model.targets[row])))
		}
	}
	return all, nil
}

// scoreOf is the score of one node. Of classes with equal logits the first is
// taken, and logits that are no numbers hit nothing.
func scoreOf(logits []float32, class int) score {
	best, largest := 0, math.Inf(-1)
	for c, l := range logits {
		if float64(l) > largest {
			best, largest = c, float64(l)
		}
	}
	total := 0.0
	for _, l := range logits {
		total += math.Exp(float64(l) - largest)
	}
	s := score{nodes: 1, loss: math.Log(total) + largest - float64(logits[class])}
	if best == class && !math.IsNaN(s.loss) {
		s.hits = 1
	}
	return s
}

// close frees the tensors.
func (p *pack) close() { finalize(append(p.state, p.signs, p.weights, p.l2)...) }

// finalize frees tensors. Those that a call has taken over are free already.
func finalize(all ...*tensors.Tensor) {
	for _, x := range all {
		_ = x.FinalizeAll()
	}
}
