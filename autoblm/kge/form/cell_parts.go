package form

// CellPart is one of the choices that make a cell: x, y, f2, f3, a2, f1, a1 and then W1 to W6. A part
// comes after those that decide whether the cell uses it.
type CellPart int

const (
	partX CellPart = iota
	partY
	partF2
	partF3
	partA2
	partF1
	partA1
	partW1
	cellParts = partW1 + CellGateMatrix
)

// CellParts returns the numbers of values of all parts of a cell.
func CellParts() []int {
	sizes := []int{
		cellInputs, cellInputs, cellFunctions, cellFunctions, cellActivations, cellFunctions,
		cellActivations,
	}
	for range CellGateMatrix {
		sizes = append(sizes, 2)
	}
	return sizes
}

// place returns the number of the cell that has a part. The part is that number divided by unit,
// modulo its number of values.
func (p CellPart) place() (at, unit int) {
	switch p {
	case partX:
		return 1, cellFunctions
	case partY:
		return 2, cellFunctions
	case partF2:
		return 1, 1
	case partF3:
		return 2, 1
	case partA2:
		return 4, 1
	case partF1:
		return 0, 1
	case partA1:
		return 3, 1
	}
	return 5 + int(p-partW1), 1
}

// Part returns the value of a part.
func (c Cell) Part(p CellPart) int {
	at, unit := p.place()
	return c[at] / unit % CellParts()[p]
}

// WithPart returns the cell with another value of a part.
func (c Cell) WithPart(p CellPart, value int) Cell {
	at, unit := p.place()
	c[at] += (value - c.Part(p)) * unit
	return c
}

// Uses reports whether the queries of a cell depend on a part. Without o as x or y, all that makes o
// is unused. W3 and W5 have no bias, and are unused with 0.
func (c Cell) Uses(p CellPart) bool {
	switch p {
	case partF1, partA1, partW1, partW1 + 1:
		return c.Input(1) == CellOutput || c.Input(2) == CellOutput
	case partW1 + 2:
		return c.Input(1) != CellZero
	case partW1 + 4:
		return c.Input(2) != CellZero
	}
	return true
}

// Canonical returns a cell with the same queries for the same embeddings, in which all parts that are
// not used are 0. oneHop says that the cell reads single hops: the state is then the entity, so that
// x and y are never the state.
func (c Cell) Canonical(oneHop bool) Cell {
	for _, p := range []CellPart{partX, partY} {
		if oneHop && c.Part(p) == CellState {
			c = c.WithPart(p, CellEntity)
		}
	}
	for p := range cellParts {
		if !c.Uses(p) {
			c = c.WithPart(p, 0)
		}
	}
	return c
}
