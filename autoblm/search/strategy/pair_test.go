package strategy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// withMessage returns a trial of a structure and a message with a score.
func withMessage(a, message structure.Structure, round int, score float64) task.Trial {
	t := task.Trial{Structure: a, Round: round, State: task.Complete, Score: &score}
	t.Recipe.Training.Encoder = kge.BLM
	return t.WithMessage(message)
}

// TestMessagesAreProposed checks that every strategy proposes two structures, each with its filter, that
// no pair of classes comes twice, although classes of one of both do, and that both come to resemble
// those with high scores.
func TestMessagesAreProposed(t *testing.T) {
	const budget = 96
	for _, by := range All() {
		o := paperOptions()
		o.Messages, o.Candidates = true, 32
		score := func(a, message structure.Structure) float64 { // few nonzeros in one, many in the other
			return float64(message.Nonzeros()-a.Nonzeros()) + 100
		}
		var history []task.Trial
		type classes struct{ structure, message structure.Structure }
		seen, ofStructure, ofMessage := map[classes]bool{}, map[structure.Structure]bool{}, map[structure.Structure]bool{}
		for round := 1; len(history) < budget; round++ {
			rng := rand.New(rand.NewPCG(1, uint64(round)))
			p, err := by.Propose(o, round, history, budget-len(history), rng)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Structures) == 0 {
				break
			}
			if len(p.Messages) != len(p.Structures) {
				t.Fatalf("%s: %d messages for %d structures", by.Name(), len(p.Messages), len(p.Structures))
			}
			for i, a := range p.Structures {
				message := p.Messages[i]
				if a.Degenerate() || message.Degenerate() {
					t.Fatalf("%s proposes %s with the message %s", by.Name(), a, message)
				}
				class := classes{a.Canonical(structure.Full), message.Canonical(structure.Full)}
				if seen[class] {
					t.Fatalf("%s proposes an equivalent of %s with %s again", by.Name(), a, message)
				}
				seen[class], ofStructure[class.structure], ofMessage[class.message] = true, true, true
				history = append(history, withMessage(a, message, round, score(a, message)))
			}
		}
		if len(history) < 40 {
			t.Errorf("%s proposes %d pairs", by.Name(), len(history))
		}
		if by.Name() == "autoblm+" {
			first, last := 0.0, 0.0
			for i := range 16 {
				first += history[i].ScoreOrZero() / 16
				last += history[len(history)-1-i].ScoreOrZero() / 16
			}
			if last < first+1 {
				t.Errorf("the first 16 pairs have %.2f, the last ones %.2f", first, last)
			}
		}
		if len(ofStructure) == len(seen) && len(ofMessage) == len(seen) && by.Name() != "random" &&
			by.Name() != "tpe" && by.Name() != "reinforce" {
			t.Errorf("%s never changes only one of both", by.Name())
		}
	}
}

// TestPairCells checks that the cells of a pair are those of both structures.
func TestPairCells(t *testing.T) {
	p := pair{structure.MustParse("1,0;0,2"), structure.MustParse("0,-1;2,0")}
	var entries []int
	copied := pair{structure.Zero(2), structure.Zero(2)}
	for cell := range (Options{K: 2, Messages: true}).cells() {
		entries = append(entries, p.at(cell))
		copied = copied.with(cell, p.at(cell))
	}
	if want := []int{1, 0, 0, 2, 0, -1, 2, 0}; !slices.Equal(entries, want) || copied != p ||
		p.nonzeros() != 4 {
		t.Errorf("entries %v, copy %v, %d nonzeros", entries, copied, p.nonzeros())
	}
}
