package query

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/names"
)

// Query asks for the entities at the end of a path, (e0, r1 ∘ … ∘ rL, ?) (paper,
// Section II-B2).
type Query struct {
	Anchor int32
	// Relations are those of the path, in the order in which they are walked. 2k is
	// relation k of the graph and 2k+1 is its reverse, walked from tail to head.
	Relations []int32
	// Hard are the answers to be learnt or ranked, ascending. For a training query
	// these are all end points of the path in the training graph, and else those
	// that the graph before lacks.
	Hard []int32
	// Easy are the other answers, ascending. They are no candidates.
	Easy []int32
}

// Hops is the length of the path.
func (q Query) Hops() int { return len(q.Relations) }

// Question is the query without its answers.
func (q Query) Question() kge.Question { return kge.Question{Anchor: q.Anchor, Path: q.Relations} }

// reverse is the relation walked the other way.
func reverse(relation int32) int32 { return relation ^ 1 }

// Split is one of the three parts of the queries.
type Split int

// The answers of training queries are end points in the training graph, those of
// validation queries in train and valid, those of test queries in all splits.
const (
	InTrain Split = iota
	InValid
	InTest
	splits = 3
)

var splitNames = []string{"train", "valid", "test"}

func (s Split) String() string { return names.Of(splitNames, "split", s) }

// MarshalText writes the name.
func (s Split) MarshalText() ([]byte, error) { return names.Marshal(splitNames, "split", s) }

// UnmarshalText reads "train", "valid" or "test".
func (s *Split) UnmarshalText(text []byte) error {
	return names.Unmarshal(splitNames, "split", s, text)
}
