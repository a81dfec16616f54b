package enginetest

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
)

// encoderCase is an encoder with the member that decodes its outputs.
type encoderCase struct {
	member     string
	reciprocal bool
	kge.Encoding
	recipe string // of [Recipes], "" for weak penalties
}

// encoderCases has each message, several layers, other dimensions of the inputs, dropouts, and recipes
// with all penalties, relation prediction and a teacher.
func encoderCases() (all []encoderCase) {
	add := func(member string, reciprocal bool, e kge.Encoding) {
		all = append(all, encoderCase{member: member, reciprocal: reciprocal, Encoding: e})
	}
	add("transe", true, kge.Encoding{Encoder: kge.CompGCNSub, EncoderLayers: 2, EncoderDim: 3})
	add("complex", true, kge.Encoding{Encoder: kge.CompGCNMult, EncoderDropout: 0.3})
	add("quate", true, kge.Encoding{
		Encoder: kge.CompGCNCorr, EncoderLayers: 2, EncoderDim: 5, EdgeDropout: 0.3, EncoderDropout: 0.2,
	})
	add("quate", true, kge.Encoding{Encoder: kge.BLM})
	add("transe", true, kge.Encoding{
		Encoder: kge.BLM, Message: structure.MustParse("1,-2,-1;1,2,1;-2,1,3"), EncoderDim: 6,
	})
	add("rotate", false, kge.Encoding{
		Encoder: kge.RGCN, EncoderLayers: 2, EncoderDim: 5, EncoderBases: 2, EdgeDropout: 0.3,
	})
	add("complex", true, kge.Encoding{Encoder: kge.RGCN})
	narrow := kge.Encoding{
		Encoder: kge.CompGCNMult, EncoderDim: 5, EdgeDropout: 0.3, EncoderDropout: 0.2,
	}
	add("conve", true, narrow)
	return append(all, encoderCase{"quate", true, narrow, "taught, grouped"},
		encoderCase{"quate", true, narrow, "reciprocal with all weights"},
		encoderCase{"core-2", true, narrow, "reciprocal ivr"})
}

// encoding computes the outputs of an encoder in float64, as [kge.Encoding] defines them.
type encoding struct {
	*reference
	step   int
	drops  uint32 // dropouts so far
	tables map[string][]float64
}

// withoutDropout returns a reference whose encoder drops nothing.
func (r *reference) withoutDropout() *reference {
	other := *r
	other.settings.EdgeDropout, other.settings.EncoderDropout = 0, 0
	return &other
}

// encode returns the tables of the decoder in a step, from the learned ones.
func (r *reference) encode(step int) [][]float64 {
	e := &encoding{reference: r, step: step, tables: map[string][]float64{}}
	for i, t := range r.settings.LearnedTables(r.member) {
		e.tables[t.Name] = r.learned[1+i]
	}
	outputs := append([][]float64{}, r.learned[:1+len(r.Specs())]...)
	triples := make([]float64, len(r.data.Triples())) // factors of their messages
	for i := range triples {
		triples[i] = 1
	}
	e.drop(triples, r.settings.EdgeDropout)
	in := r.settings.LearnedDim()
	for layer := range r.settings.Depth() {
		if r.settings.Encoder == kge.RGCN {
			outputs[0] = e.rgcn(layer+1, in, outputs[0], triples)
		} else {
			outputs[0], outputs[1] = e.compGCN(layer+1, in, outputs[0], outputs[1], triples)
		}
		e.drop(outputs[0], r.settings.EncoderDropout)
		in = r.settings.Dim
	}
	return outputs
}

// drop drops a share of numbers, other ones in each call.
func (e *encoding) drop(x []float64, share float64) {
	if share == 0 {
		return
	}
	e.drops++
	key := dropout.LayerKey(e.member.Seed, e.step) + dropout.Scramble(e.drops)
	for i := range x {
		if dropout.Dropped(key, 0, i, len(x), share) {
			x[i] = 0
		}
		x[i] /= 1 - share
	}
}

func (e *encoding) table(layer int, name string) []float64 {
	return e.tables[kge.EncoderTable(layer, name)]
}

// message is one of the two that a triple sends, with the numbers of entities and relation.
type message struct {
	from, relation, to int
	isReverse          bool
	factor             float64 // of edge dropout
	sent, received     float64 // number of messages in this direction: from the sender, to the receiver
}

// messages returns all messages. Triples have factors.
func (e *encoding) messages(factors []float64) (all []message) {
	sent, received := map[[2]int]float64{}, map[[2]int]float64{} // by direction and entity
	relations := len(e.data.Relations)
	for i, t := range e.data.Triples() {
		forward := message{
			from: int(t.Head), relation: int(t.Relation), to: int(t.Tail), factor: factors[i],
		}
		reverse := message{
			from: int(t.Tail), relation: relations + int(t.Relation), to: int(t.Head),
			isReverse: true, factor: factors[i],
		}
		if !e.settings.Reciprocal { // both rows of a relation follow each other
			forward.relation, reverse.relation = 2*int(t.Relation), 2*int(t.Relation)+1
		}
		all = append(all, forward, reverse)
	}
	for _, m := range all {
		sent[m.sender()]++
		received[m.receiver()]++
	}
	for i, m := range all {
		all[i].sent, all[i].received = sent[m.sender()], received[m.receiver()]
	}
	return all
}

func (m message) direction() int {
	if m.isReverse {
		return 1
	}
	return 0
}

func (m message) sender() [2]int { return [2]int{m.direction(), m.from} }

func (m message) receiver() [2]int { return [2]int{m.direction(), m.to} }

// compGCN returns the entities and relations after a layer.
func (e *encoding) compGCN(
	layer, in int, entities, relations, triples []float64,
) (x, r []float64) {
	row := func(table []float64, i int) []float64 { return table[i*in:][:in] }
	third := func(name string, sent []float64) []float64 {
		out := applied(sent, e.table(layer, name))
		floats.Scale(1./3, out)
		return out
	}
	loop := e.table(layer, kge.EncoderLoop)
	for v := range e.data.Entities {
		x = append(x, third(kge.EncoderSelf, e.compose(row(entities, v), loop))...)
	}
	out := len(x) / len(e.data.Entities)
	for _, m := range e.messages(triples) {
		sent := e.compose(row(entities, m.from), row(relations, m.relation))
		floats.Scale(m.factor/math.Sqrt(m.sent*m.received), sent)
		name := kge.EncoderForward
		if m.isReverse {
			name = kge.EncoderReverse
		}
		floats.Add(x[m.to*out:][:out], third(name, sent))
	}
	e.normalizeColumns(layer, out, x)
	for from := 0; from < len(relations); from += in {
		r = append(r, applied(relations[from:][:in], e.table(layer, kge.EncoderRelation))...)
	}
	return x, r
}

// normalizeColumns normalizes each column of x over its rows, and applies tanh.
func (e *encoding) normalizeColumns(layer, columns int, x []float64) {
	rows := float64(len(x) / columns)
	gamma, beta := e.table(layer, kge.EncoderGamma), e.table(layer, kge.EncoderBeta)
	for c := range columns {
		mean, variance := 0.0, 0.0
		for i := c; i < len(x); i += columns {
			mean += x[i] / rows
		}
		for i := c; i < len(x); i += columns {
			variance += math.Pow(x[i]-mean, 2) / rows
		}
		for i := c; i < len(x); i += columns {
			x[i] = math.Tanh(gamma[c]*(x[i]-mean)/math.Sqrt(variance+form.NormEpsilon) + beta[c])
		}
	}
}

// compose returns the message of an entity along a relation.
func (e *encoding) compose(entity, relation []float64) []float64 {
	n := len(entity)
	sent := make([]float64, n)
	for k := range sent {
		switch e.settings.Encoder {
		case kge.CompGCNSub:
			sent[k] = entity[k] - relation[k]
		case kge.CompGCNMult:
			sent[k] = entity[k] * relation[k]
		case kge.CompGCNCorr:
			for i := range n {
				sent[k] += entity[i] * relation[(i+k)%n]
			}
		}
	}
	if e.settings.Encoder == kge.BLM { // from the tail of hᵀ g(A, r) t
		a := e.settings.MessageOf(e.Structure)
		return form.Bilinear.Spec().DefineHop(a, entity, [][]float64{relation}, true)
	}
	return sent
}

// rgcn returns the entities after a layer.
func (e *encoding) rgcn(layer, in int, entities, triples []float64) (x []float64) {
	for v := range e.data.Entities {
		x = append(x, applied(entities[v*in:][:in], e.table(layer, kge.EncoderSelf))...)
	}
	out, bases := len(x)/len(e.data.Entities), e.settings.BasisCount()
	for _, m := range e.messages(triples) {
		shared := e.table(layer, kge.EncoderForwardBases)
		if m.isReverse {
			shared = e.table(layer, kge.EncoderReverseBases)
		}
		for b := range bases {
			sent := applied(entities[m.from*in:][:in], shared[b*in*out:][:in*out])
			coefficient := e.table(layer, kge.EncoderCoefficients)[m.relation*bases+b]
			floats.AddScaled(x[m.to*out:][:out], coefficient*m.factor/m.received, sent)
		}
	}
	if layer == e.settings.Depth() {
		return x
	}
	for i := range x {
		x[i] = math.Max(x[i], 0)
	}
	return x
}

// applied returns the product of a row with a matrix.
func applied(row, matrix []float64) []float64 {
	out := make([]float64, len(matrix)/len(row))
	for i, v := range row {
		floats.AddScaled(out, v, matrix[i*len(out):][:len(out)])
	}
	return out
}
