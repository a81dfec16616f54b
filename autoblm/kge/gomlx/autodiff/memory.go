package autodiff

import (
	"fmt"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/encoder"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize"
)

const bytesOfNumber = 4 // float32

// memory holds the approximate memory of the training of a member, in numbers of 4 bytes.
type memory struct {
	limit     int64
	state     int64 // tables and optimizer slots
	step      int64 // a step adds these, and more per question
	question  int64
	questions int // largest number of a step
	unit      int // number of questions that a part cannot divide
}

// answersPerQuestion returns the number of answers that a question learns: the largest one of triples
// and, where a question has all of its answers, the mean of a batch, rounded up.
func answersPerQuestion(d *kge.Data, s kge.Settings) int64 {
	if d.BothDirections && s.Loss != kge.BCE {
		return int64(max(1, s.AnswersPerQuery))
	}
	batches := d.Batches(s, 1)
	if batches.Count == 0 {
		return 1
	}
	b := newBatch(d, s, batches.Make(0, nil))
	return int64(divideUp(len(b.answers), len(b.questions)))
}

// memoryOf returns the memory of a member whose questions learn a number of answers.
func memoryOf(c Compiler, d *kge.Data, s kge.Settings, one kge.Member, answers int64) memory {
	f := s.FormOf(one)
	rows := int64(len(d.Entities)) * int64(s.LearnedDim())
	for _, t := range s.LearnedTables(one) {
		size := int64(t.Rows) * int64(t.Columns)
		switch {
		case t.Global:
			rows += size
		case s.Reciprocal:
			rows += 2 * size * int64(len(d.Relations))
		default:
			rows += size * int64(len(d.Relations))
		}
	}
	m := memory{
		limit:     c.Memory() / bytesOfNumber,
		state:     rows * int64(1+optimizer.Rules[s.Optimizer].Slots),
		step:      4*rows + encoderNumbers(c, d, s, one), // gradients, and the new state
		questions: questionsOf(d, s),
		unit:      1,
	}

	lookedUp, convolved := numbersOfHop(f, s.Dim, one.Structure.K())
	hops := int64(max(1, d.Hops, s.WalkHops))
	m.question = hops*(8*int64(s.Dim)*int64(f.Capabilities().StateRows)+4*lookedUp) + 2*convolved
	m.question += 5 * int64(s.Dim) * answers

	candidates := int64(s.Candidates(len(d.Entities)))
	if s.Negatives > 0 {
		candidates = int64(s.Negatives)
	}
	ofScore := int64(6) // scores, their exponentials and gradients
	if !f.Capabilities().Products {
		ofScore += tablesOfDifferences(c) * int64(s.Dim)
	}
	m.question += candidates * ofScore
	if s.HasTeacher() {
		const longest = 128 // entities of an answer
		m.question += longest * (3*int64(s.Dim) + ofScore)
	}
	if one.RelationPrediction > 0 {
		relations := int64(len(d.Relations))
		if s.Reciprocal {
			relations *= 2
		}
		m.question += 4*lookedUp + 4*relations
	}
	if one.HasIVR() { // matrices, products and norms in three roles
		k := int64(max(1, one.Structure.K()))
		if n := f.Partitions(); n > 0 {
			k = int64(s.Dim / n)
		}
		m.question += 3 * int64(s.Dim) * (3*k + 6)
	}
	switch candidatesOf(d, s) {
	case ownNegatives:
		m.question += 2 * candidates * int64(s.Dim)
	case sharedNegatives:
		m.unit = questionsPerBlock
	}
	return m
}

// questionsOf returns the largest number of questions of a step.
func questionsOf(d *kge.Data, s kge.Settings) int {
	n := max(1, min(s.Batch, d.Count))
	switch {
	case s.Loss == kge.BCE: // of which a triple has two
		return max(1, min(s.Batch, 2*d.Count))
	case s.WalkHops > 0: // for each of several paths of a triple
		return min(s.Batch, 2*kge.WalksPerTriple*d.Count) * s.WalkHops
	case d.BothDirections:
		n *= 2
	}
	return n
}

// numbersOfHop returns the numbers that a hop of a question makes, without its states: the relation
// and, for structures and cores, its products with the state or with the core, the layers of RSN, and
// those of ConvE.
func numbersOfHop(f form.Form, dim, k int) (lookedUp, convolved int64) {
	for _, t := range f.Spec().Tables(dim) {
		if !t.Global {
			lookedUp += int64(t.Rows) * int64(t.Columns)
		}
	}
	lookedUp += int64(dim) * int64(k)
	if n := f.Partitions(); n > 0 {
		lookedUp += int64(dim) * int64(dim/n)
	}
	if f == form.RSN { // gates, cells and outputs of two symbols, with what their gradients need
		const ofUse = 16 * form.LSTMLayers
		lookedUp += 2 * ofUse * int64(dim/2)
	}
	if c, ok := f.ConvE(); ok {
		rows, columns := c.Maps(dim)
		convolved = int64(rows) * int64(columns) * int64(3*c.Filters+c.Size*c.Size)
	}
	return lookedUp, convolved
}

// tablesOfDifferences returns the number of tables of the coordinates of differences that a step of a
// distance model stores, with their gradients. XLA on a CPU took 2 with TransE and 3 with RotatE.
func tablesOfDifferences(c Compiler) int64 {
	if c.Fuses() {
		return 3
	}
	return 8
}

// encoderNumbers returns the approximate number of numbers that an encoder keeps in a step. Each layer
// has outputs for each entity and, for each term of a message, a table and sums in both directions, with
// the gradients of all. Messages are summed in groups; without fusing, those of one sum are stored.
func encoderNumbers(c Compiler, d *kge.Data, s kge.Settings, m kge.Member) int64 {
	e := encoder.New(s, m)
	if !e.Exists() {
		return 0
	}
	rows := len(d.Entities)*s.Depth()*(8+6*e.Terms()) + d.Count
	if !c.Fuses() {
		rows += 5 * d.Count // looked up by two roles, products, these with factors, padding
	}
	return int64(rows) * int64(max(s.Dim, s.LearnedDim()))
}

// room returns the number of questions of a part of a batch: all of them, if they fit in memory. Parts
// leave half of the free memory for the states of other members. So the number, and the rounding of
// the numbers of a member, do not depend on other members.
func (m memory) room() int {
	units := divideUp(m.questions, m.unit)
	if m.ofStep(m.questions) > m.limit {
		free := (m.limit - m.state - m.step) / 2
		fit := int(max(1, free/(m.question*int64(m.unit))))
		units = divideUp(units, divideUp(units, fit)) // parts of one size
	}
	return units * m.unit
}

func divideUp(n, by int) int { return (n + by - 1) / by }

// ofStep returns the memory of a step on questions.
func (m memory) ofStep(questions int) int64 {
	return m.state + m.step + int64(questions)*m.question
}

// check returns an error if a step of the member does not fit in memory next to the states of the
// other ones, all of the same size.
func (m memory) check(s kge.Settings, members int) error {
	part := m.room()
	needed := m.ofStep(min(part, m.questions))
	if needed > m.limit {
		fix := "use a smaller dim"
		if s.Encoder != kge.NoEncoder {
			fix = fmt.Sprintf("use a smaller dim, or fewer layers or bases of the encoder %v", s.Encoder)
		}
		return fmt.Errorf("a step on %s needs %s of memory, more than the limit of %s: %s",
			format.Count(part, "question"), bytesOf(needed), bytesOf(m.limit), fix)
	}
	if others := (m.limit - needed) / m.state; int64(members-1) > others {
		return TooMany(int(1 + others))
	}
	return nil
}

// note describes how batches are divided, or returns "" if they are not.
func (m memory) note(s kge.Settings) (how, text string) {
	part := m.room()
	if part >= m.questions {
		return "", ""
	}
	how = fmt.Sprintf("computing a batch in %d parts", divideUp(m.questions, part))
	if s.Encoder != kge.NoEncoder {
		how += ", each of which runs the encoder"
	}
	return how, fmt.Sprintf("a step on %s needs %s, more than the limit of %s: %s",
		format.Count(m.questions, "question"), bytesOf(m.ofStep(m.questions)), bytesOf(m.limit), how)
}

func bytesOf(numbers int64) string { return humanize.IBytes(uint64(bytesOfNumber * numbers)) }

// TooMany returns the error for a population of which at most a number of members fit.
func TooMany(most int) error {
	return fmt.Errorf("the members do not fit in memory together: train at most %s at a time "+
		"(members, or round-size in a search), or use a smaller dim", format.Count(most, "member"))
}
