package datasets

// Pattern is the kind of a relation in the sense of Appendix B of the paper.
type Pattern int

const (
	// General is a relation that is neither of the others.
	General Pattern = iota
	// Symmetric is a relation that mostly holds in both directions.
	Symmetric
	// AntiSymmetric is a relation that never holds in both directions, although
	// its heads and tails are of one kind.
	AntiSymmetric
)

// String returns "symmetric", "anti-symmetric" or "general".
func (p Pattern) String() string {
	switch p {
	case Symmetric:
		return "symmetric"
	case AntiSymmetric:
		return "anti-symmetric"
	default:
		return "general"
	}
}

// RelationPattern describes one relation by its training triples.
type RelationPattern struct {
	Pattern Pattern
	// Inverse says that the relation is the reverse of another one. A symmetric one is not.
	Inverse bool
}

// Patterns returns the pattern of each relation, by relation id. It depends on the distinct
// training pairs (head, tail) of the relation r:
//
//   - symmetric: more than half of them occur reversed in r;
//   - anti-symmetric: none does, and some entity is both a head and a tail of r;
//   - general: the rest;
//   - inverse: r is not symmetric, and some other relation has more than half of its own pairs
//     reversed in r.
//
// The rules printed in Appendix B do not give the table printed there; these do, if only general
// relations are inverse. A relation without training triples is general.
func Patterns(g *Graph) []RelationPattern { return g.implied().Patterns }

// patternsOf returns the patterns of the relations of training triples. facts sorts them, and
// perhaps others.
func patternsOf(train []Triple, facts []pairFact, entities, relations int) []RelationPattern {
	sizes, shared := sharedFacts(facts, len(train), relations)
	inBoth := haveHeadsAsTails(triplesIn{train}, entities, relations)
	patterns := make([]RelationPattern, relations)
	for r := range patterns {
		reversed := shared[relatedKey{int32(r), int32(r), true}]
		switch {
		case 2*reversed > sizes[r]:
			patterns[r].Pattern = Symmetric
		case reversed == 0 && inBoth[r]:
			patterns[r].Pattern = AntiSymmetric
		}
	}
	for key, count := range shared {
		if !key.mirrored || key.first == key.second {
			continue
		}
		for r, other := range map[int32]int32{key.first: key.second, key.second: key.first} {
			if patterns[r].Pattern != Symmetric && 2*count > sizes[other] {
				patterns[r].Inverse = true
			}
		}
	}
	return patterns
}

// haveHeadsAsTails returns by relation whether some entity is both a head and a tail of it.
func haveHeadsAsTails(triples triplesIn, entities, relations int) []bool {
	headOf := make([]int32, entities) // the last relation + 1
	inBoth := make([]bool, relations)
	ends := NewEnds(relations, triples...)
	for relation := range int32(relations) {
		for t := range ends.Facts(relation) {
			headOf[t.Head] = relation + 1
		}
		for t := range ends.Facts(relation) {
			inBoth[relation] = inBoth[relation] || headOf[t.Tail] == relation+1
		}
	}
	return inBoth
}
