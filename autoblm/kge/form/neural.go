package form

// Neural is a form whose hops no engine but one with automatic gradients trains. They are not linear
// in the anchor. Other engines compute them by this definition, from global tables as models store
// them.
type Neural interface {
	// Hops returns the states after hops, each from an anchor through the rows of a relation. It may
	// read the global tables once for all hops.
	Hops(anchors, relations [][]float64, transposed bool, globals [][]float32) [][]float64
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

// Recurrent reports whether a form reads paths with known entities, so that it learns random walks.
func (f Form) Recurrent() bool {
	_, hasCell := f.Cell()
	return hasCell || f == RSN
}

// Vectors returns the number of vectors in the row of an entity that a largest norm limits one by
// one. Recurrent models have 2.
func (f Form) Vectors() int {
	if f.Recurrent() {
		return 2
	}
	return 1
}

// OneWay reports whether a form is neural and has no transpose, so that it needs rows for the reverses
// of relations.
func (f Form) OneWay() bool {
	_, isConvE := f.ConvE()
	return isConvE || f == RSN
}
