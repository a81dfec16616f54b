package autodiff

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// The inputs of a step that differ between parts. All integers are one vector and all others another,
// so that a step copies two tensors to the device. A part of a batch has q questions, a answers and p
// ends, with padding of weight 0.
const (
	inAnchors         = iota // [q]
	inRelations              // [hops, q]: rows of tables of relations
	inPassed                 // [hops, q]: entities from which hops start, 0 if unknown; see reading
	inNumbers                // [q]: number of a question in its batch
	inCount                  // [1]: questions without padding
	inAnswers                // [a]
	inAnswerQuestions        // [a]
	inEnds                   // [p]
	inEndQuestions           // [p]
	inCandidates             // [blocks, n], see candidates
	inTaught                 // [q, t]: entities of a teacher's answers
	inKeys                   // [keys]: bits of uint32
	inThresholds             // [keys]: bits of uint32, see package dropout
	firstFloat               // from here on float32

	inSigns             = iota - 1 // [hops, q], see hop
	inWeights                      // [q]: sum of the weights of the answers
	inAnswerWeights                // [a]
	inIncluded                     // [a]: 1 for answers to add to the candidates, see softmax
	inAnchorPenalties              // [q]: weights of penalties
	inEndPenalties                 // [p]
	inRelationPenalties            // [hops, q]
	inTriples                      // [rows, p]: weights, those in relation prediction, and of penalties
	inAllowed                      // [q, n]: 1, and 0 for candidates that are no negatives of a question
	inShares                       // [q, t]: of a teacher's answers, -1 for padding
	inScalars                      // [scalars]
	inRates                        // [tables]: learning rates
	inStep                         // [1]: number of the step
	inMaxNorm                      // [1]: largest norm of entities
	inputs
)

// The dropouts of a step, with a key each.
const (
	keyOfQueries = iota
	keyOfInputs
	keyOfLayers // of the form
	keys
)

// layout holds the sizes of inputs. It is comparable. Inputs that a recipe does not use have size 0.
type layout struct {
	questions, hops    int
	passed             int // hops with known entities
	answers, included  int
	ends, triples      int
	blocks, candidates int
	allowed            int // candidates of a question that has negatives
	taught             int // entities of a teacher's answer
	penalized          bool
	tables             int
}

// dimensions returns the dimensions of all inputs.
func (l layout) dimensions() [inputs][]int {
	penalized, penalizedHops := 0, 0
	if l.penalized {
		penalized, penalizedHops = l.questions, l.hops
	}
	return [inputs][]int{
		inAnchors: {l.questions}, inRelations: {l.hops, l.questions},
		inPassed: {l.passed, l.questions}, inNumbers: {l.questions}, inCount: {1},
		inAnswers: {l.answers}, inAnswerQuestions: {l.answers}, inEnds: {l.ends},
		inEndQuestions: {l.ends}, inCandidates: {l.blocks, l.candidates},
		inTaught: {l.questions, l.taught}, inKeys: {keys}, inThresholds: {keys},
		inSigns: {l.hops, l.questions}, inWeights: {l.questions}, inAnswerWeights: {l.answers},
		inIncluded: {l.included}, inAnchorPenalties: {penalized}, inEndPenalties: {l.ends},
		inRelationPenalties: {penalizedHops, l.questions}, inTriples: {tripleRows, l.triples},
		inAllowed: {l.questions, l.allowed}, inShares: {l.questions, l.taught},
		inScalars: {scalars}, inRates: {l.tables}, inStep: {1}, inMaxNorm: {1},
	}
}

func product(dimensions []int) int {
	n := 1
	for _, size := range dimensions {
		n *= size
	}
	return n
}

// packed holds the inputs of a part under construction, which are 0 at first.
type packed struct {
	dimensions [inputs][]int
	first      [inputs]int // numbers before each input in its vector
	integers   []int32
	floats     []float32
}

func (l layout) pack() *packed {
	p := &packed{dimensions: l.dimensions()}
	var sizes [2]int
	for i, dimensions := range p.dimensions {
		vector := &sizes[0]
		if i >= firstFloat {
			vector = &sizes[1]
		}
		p.first[i] = *vector
		*vector += product(dimensions)
	}
	p.integers, p.floats = make([]int32, sizes[0]), make([]float32, sizes[1])
	return p
}

// integersOf returns the numbers of an input of integers.
func (p *packed) integersOf(input int) list[int32] { return listOf(p, p.integers, input) }

// floatsOf returns the numbers of another input.
func (p *packed) floatsOf(input int) list[float32] { return listOf(p, p.floats, input) }

func listOf[T int32 | float32](p *packed, vector []T, input int) list[T] {
	dimensions := p.dimensions[input]
	return list[T]{vector[p.first[input]:][:product(dimensions)], dimensions[len(dimensions)-1]}
}

// tensors returns the vectors.
func (p *packed) tensors() []*tensors.Tensor {
	return []*tensors.Tensor{vectorOf(p.integers...), vectorOf(p.floats...)}
}

// list is an input under construction, by rows.
type list[T int32 | float32] struct {
	numbers []T
	columns int
}

func (l list[T]) set(row, column int, x T) { l.numbers[row*l.columns+column] = x }

func vectorOf[T int32 | float32](numbers ...T) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(numbers, len(numbers))
}

// in has the inputs as nodes, nil for those without numbers.
type in []*Node

// unpack divides the vectors of [packed.tensors].
func (l layout) unpack(integers, floats *Node) in {
	all, used := make(in, inputs), [2]int{}
	for i, dimensions := range l.dimensions() {
		vector, first := integers, &used[0]
		if i >= firstFloat {
			vector, first = floats, &used[1]
		}
		if size := product(dimensions); size > 0 {
			all[i] = Reshape(Slice(vector, AxisRange(*first, *first+size)), dimensions...)
			*first += size
		}
	}
	return all
}

// number returns an input with one number as a scalar.
func (in in) number(input int) *Node { return Reshape(in[input]) }

func (in in) scalar(which int) *Node { return Reshape(Slice(in[inScalars], AxisElem(which))) }

func (in in) key(which int) *Node { return in.bits(inKeys, which) }

func (in in) threshold(which int) *Node { return in.bits(inThresholds, which) }

func (in in) bits(input, which int) *Node {
	return Bitcast(Reshape(Slice(in[input], AxisElem(which))), dtypes.Uint32)
}
