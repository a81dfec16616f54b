package kge

// Batches holds the batches of an epoch. A batch is made when it is needed: all examples of a large
// graph would take more memory than its embeddings.
type Batches struct {
	// Count is the number of batches.
	Count int
	// Make returns a batch by its index. It may use the memory of an earlier batch, which can be
	// nil. It is safe for concurrent use.
	Make func(i int, memory []Example) []Example
	// Loaded returns the entities that the steps of a batch may use, ascending. If it is nil,
	// these are all entities.
	Loaded func(i int) []Span
}

// Span is the range of entities from Start to before End.
type Span struct{ Start, End int }

// BatchesOf returns batches that are made already.
func BatchesOf(all ...[]Example) Batches {
	return Batches{
		Count: len(all), Make: func(i int, _ []Example) []Example { return all[i] },
	}
}

// From returns the batches from an index on.
func (b Batches) From(first int) Batches {
	first = min(first, b.Count)
	rest := Batches{
		Count: b.Count - first,
		Make:  func(i int, memory []Example) []Example { return b.Make(first+i, memory) },
	}
	if b.Loaded != nil {
		rest.Loaded = func(i int) []Span { return b.Loaded(first + i) }
	}
	return rest
}

// All makes all batches.
func (b Batches) All() [][]Example {
	all := make([][]Example, b.Count)
	for i := range all {
		all[i] = b.Make(i, nil)
	}
	return all
}
