package form

// Neural is a form whose hops no engine but one with automatic gradients trains. They are not linear
// in the anchor. Other engines compute them by this definition, from global tables as models store
// them.
type Neural interface {
	// Hop returns the state after a hop from an anchor through the rows of a relation.
	Hop(anchor, relation []float64, transposed bool, globals [][]float32) []float64
	// AnchorGradient returns the gradient with respect to the anchor, given that with respect to the
	// state after the hop.
	AnchorGradient(
		anchor, relation []float64, transposed bool, globals [][]float32, byState []float64,
	) []float64
}

// Neural returns the definition of a form that is neural.
func (f Form) Neural() (n Neural, ok bool) {
	n, ok = f.spec.(Neural)
	return n, ok
}
