package autodiff

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// candidates says with which entities a question compares its answers.
type candidates int

const (
	allEntities     candidates = iota
	sampled                    // one sample for all questions of a step, see [kge.Settings]
	sharedNegatives            // of blocks of triples, see [kge.Sampling]
	ownNegatives               // of each question
)

func candidatesOf(d *kge.Data, s kge.Settings) candidates {
	switch {
	case s.Negatives > 0 && d.BothDirections:
		return sharedNegatives
	case s.Negatives > 0:
		return ownNegatives
	case s.Candidates(len(d.Entities)) < len(d.Entities):
		return sampled
	}
	return allEntities
}

// questionsPerBlock is the number of questions that share negatives: both of each triple.
const questionsPerBlock = 2 * rules.NegativeBlock

// addCandidates draws the candidates of a part.
func (t *trainee) addCandidates(all *packed, p part, step int) {
	switch t.candidates {
	case sampled:
		t.addSample(all, p, step)
	case sharedNegatives:
		t.addSharedNegatives(all, p, step)
	case ownNegatives:
		t.addOwnNegatives(all, p, step)
	}
}

// addSample draws the candidates of a sampled softmax. Answers that are not drawn are candidates of
// their questions, once.
func (t *trainee) addSample(all *packed, p part, step int) {
	drawn := all.integersOf(inCandidates).numbers
	isDrawn := make([]bool, len(t.data.Entities))
	rules.DrawSample(t.member.Seed, uint64(step), drawn, isDrawn)
	answers := within(p.answers, p.from, p.to)
	included := all.floatsOf(inIncluded)
	for i, x := range answers { // equal answers of a question are neighbours
		isRepeated := i > 0 && answers[i-1].question == x.question && answers[i-1].entity == x.entity
		if !isDrawn[x.entity] && !isRepeated {
			included.set(0, i, 1)
		}
	}
}

// addSharedNegatives draws the negatives of each block of triples.
func (t *trainee) addSharedNegatives(all *packed, p part, step int) {
	entities := len(t.data.Entities)
	drawn, allowed := all.integersOf(inCandidates), all.floatsOf(inAllowed)
	n, isDrawn := drawn.columns, make([]bool, entities)
	for block := range p.room / questionsPerBlock {
		from, of := p.from+block*questionsPerBlock, drawn.numbers[block*n:][:n]
		if from >= p.to {
			break
		}
		clear(isDrawn)
		stepOfBlock := rules.BlockStep(step, from/questionsPerBlock)
		rules.DrawSample(t.member.Seed, stepOfBlock, of, isDrawn)
		for question := from; question < min(p.to, from+questionsPerBlock); question++ {
			for i, entity := range of {
				if _, isAnswer := slices.BinarySearch(p.excluded[question], entity); !isAnswer {
					allowed.set(question-p.from, i, 1)
				}
			}
		}
	}
}

// addOwnNegatives draws negatives for each question.
func (t *trainee) addOwnNegatives(all *packed, p part, step int) {
	drawn, allowed := all.integersOf(inCandidates), all.floatsOf(inAllowed)
	n := t.settings.Negatives
	for question := p.from; question < p.to; question++ {
		at := 0
		visit := func(entity int32) {
			drawn.set(question-p.from, at, entity)
			allowed.set(question-p.from, at, 1)
			at++
		}
		rules.DrawNegatives(t.member.Seed, step, question, len(t.data.Entities), n,
			p.excluded[question], visit)
	}
}
