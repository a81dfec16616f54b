package autodiff

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/dustin/go-humanize"
)

// questionsOf returns the largest number of questions of a step.
func questionsOf(d *kge.Data, s kge.Settings) int {
	n := max(1, min(s.Batch, d.Count))
	switch {
	case s.Loss == kge.BCE: // of which a triple has two
		return max(1, min(s.Batch, 2*d.Count))
	case d.BothDirections:
		n *= 2
	}
	return n
}

// tablesOfDifferences returns the number of tables of the coordinates of differences that a step of a
// distance model stores, with their gradients. XLA on a CPU took 2 with TransE and 3 with RotatE.
func tablesOfDifferences(c Compiler) int64 {
	if c.Fuses() {
		return 3
	}
	return 8
}

// roomOf returns the number of questions of a part of a batch: all of them, if they fit in memory.
func roomOf(c Compiler, d *kge.Data, s kge.Settings, members []kge.Member) int {
	n := questionsOf(d, s)
	f := s.FormOf(members[0])
	rows := int64(len(d.Entities)) * int64(s.LearnedDim())
	perQuestion := 8 * int64(s.Dim) * int64(f.Capabilities().StateRows)
	for _, t := range s.LearnedTables(members[0]) {
		size := int64(t.Rows) * int64(t.Columns)
		if t.Global {
			rows += size
			continue
		}
		perQuestion += 4 * size
		ofDirections := int64(1)
		if s.Reciprocal {
			ofDirections = 2
		}
		rows += size * int64(len(d.Relations)) * ofDirections
	}
	slots := int64(optimizer.Rules[s.Optimizer].Slots)
	fixed := int64(len(members))*rows*(1+slots) + 4*rows // the gradients, and a new state
	fixed += encoderNumbers(d, s)

	ofCandidates := int64(s.Candidates(len(d.Entities)))
	if s.Negatives > 0 {
		ofCandidates = int64(s.Negatives)
	}
	ofScore := int64(6) // scores, their exponentials and gradients
	if !f.Capabilities().Products {
		ofScore += tablesOfDifferences(c) * int64(s.Dim)
	}
	perQuestion += ofCandidates * ofScore
	if candidatesOf(d, s) == ownNegatives {
		perQuestion += 2 * ofCandidates * int64(s.Dim)
	}
	const bytes = 4
	room := int(max(1, min(int64(n), (c.Memory()/bytes-fixed)/perQuestion)))
	if candidatesOf(d, s) == sharedNegatives { // whole blocks
		blocks := (n + questionsPerBlock - 1) / questionsPerBlock
		room = questionsPerBlock * max(1, min(blocks, room/questionsPerBlock))
		if room >= n {
			room = questionsPerBlock * blocks
		}
	}
	return room
}

// encoderNumbers returns the approximate number of numbers that an encoder keeps in a step: for each
// message its entity, its relation, their composition without and with its factor, and a gradient.
// In R-GCN each shared matrix has messages of its own from the same entities.
func encoderNumbers(d *kge.Data, s kge.Settings) int64 {
	copies := int64(5)
	if s.Encoder == kge.RGCN {
		copies = 2 + 2*int64(s.BasisCount())
	}
	width := int64(max(s.Dim, s.LearnedDim()))
	return copies * 2 * int64(d.Count) * width * int64(s.Depth())
}

// checkEncoder returns an error if the messages of an encoder do not fit in memory, which smaller
// batches do not change.
func checkEncoder(c Compiler, d *kge.Data, s kge.Settings) error {
	const bytes = 4
	needed := bytes * encoderNumbers(d, s)
	if needed <= c.Memory() {
		return nil
	}
	return fmt.Errorf("the messages of the encoder %v need %s of memory, more than the limit of %s: "+
		"use a smaller dim, or fewer layers or bases", s.Encoder, humanize.IBytes(uint64(needed)),
		humanize.IBytes(uint64(c.Memory())))
}
