package kge

// Question asks for the entities at the end of a path, (e0, r1 ∘ … ∘ rL, ?) (paper,
// Section II-B2). The question of a triple has a path of one hop.
type Question struct {
	Anchor int32
	// Path has the relations in the order of the walk: 2k for relation k, and 2k+1 for its
	// reverse, walked from tail to head.
	Path []int32
	// Through has the entities between the hops of a path in training, if they are known; see [Walks].
	Through []int32
}

// Example is a question with answers to learn.
type Example struct {
	Question
	// Target is the answer whose embedding is regularized.
	Target int32
	// Targets are all answers, ascending. An example that is learned in both directions has
	// one.
	Targets []int32
	// Weight is the weight of the question, usually 1.
	Weight float32
	// BackWeight is the weight of the other direction, for an example that is learned in both.
	BackWeight float32
	// FactWeight is the weight of the example's fact in relation prediction, usually 1.
	FactWeight float32
}
