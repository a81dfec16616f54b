// Package rules has small decisions that all engines must make alike, so that their results
// agree: where the rows of a relation are, and which entities a step draws. They are pure
// functions of seeds, steps and sizes, and do not depend on other members or on threads.
// Package dropout has another one.
package rules

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// RelationRow returns the number of a path's relation in the tables, and whether it is walked
// through the transpose. A path has 2k for relation k and 2k+1 for its reverse. With
// reciprocal relations a reverse has its own number, after those of all relations; without,
// it is the transpose of its relation.
func RelationRow(id int32, relations int, reciprocal bool) (number int, transposed bool) {
	number, isReverse := int(id/2), id%2 == 1
	if isReverse && reciprocal {
		number += relations
	}
	return number, isReverse && !reciprocal
}

// CheckReplacement returns an error if a structure cannot replace another one in a population,
// whose embeddings are divided into a fixed number of chunks.
func CheckReplacement(present, next structure.Structure) error {
	if next.K() != present.K() {
		return fmt.Errorf("a structure with K=%d cannot replace one with K=%d: "+
			"the embeddings have %d chunks", next.K(), present.K(), present.K())
	}
	return nil
}
