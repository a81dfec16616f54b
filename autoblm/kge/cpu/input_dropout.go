package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// inputs holds the rows at which the paths of a unit start in one direction, with dropped
// coordinates.
type inputs struct {
	mask     *tiles.Mask
	rows     kernel.Table // [paths, d]
	gradient kernel.Table // [paths, d]: with respect to rows
}

// allocate allocates memory for a number of paths at the first use.
func (x *inputs) allocate(paths, dim int) {
	if x.mask == nil {
		x.mask = tiles.NewMask(paths, dim)
		x.rows, x.gradient = tiles.NewTable(paths, dim), tiles.NewTable(paths, dim)
	}
}

// walkQueries walks like [model.walk], from starts with dropped coordinates.
func (t *trainer) walkQueries(
	d direction, s *scratch, u *unit, a *activeUnit, to kernel.Table,
) {
	if t.settings.InputDropout == 0 {
		t.walk(d, &a.paths, to, &s.between)
		return
	}
	x, start := s.inputsOf(d), d.startOf(&a.paths)
	x.allocate(a.capacity, t.dim)
	t.drawInputs(d, x, u, a)
	copy(x.rows.Data, first(*start, a.count))
	x.mask.Apply(x.rows, a.count)
	plain := *start
	*start = x.rows
	t.walk(d, &a.paths, to, &s.between)
	*start = plain
}

// walkQueriesBack propagates the gradient through walkQueries.
func (t *trainer) walkQueriesBack(
	d direction, s *scratch, u *unit, a *activeUnit, gradient kernel.Table,
) {
	to := &u.gradients
	if t.settings.InputDropout == 0 {
		t.walkBack(d, &a.paths, gradient, s.between, &s.gradBetween, to)
		return
	}
	x, start, toStart := s.inputsOf(d), d.startOf(&a.paths), d.startOf(to)
	clear(first(x.gradient, a.count))
	plain, toPlain := *start, *toStart
	*start, *toStart = x.rows, x.gradient
	t.walkBack(d, &a.paths, gradient, s.between, &s.gradBetween, to)
	*start, *toStart = plain, toPlain
	x.mask.Apply(x.gradient, a.count)
	t.kernels.ScaleAdd(first(toPlain, a.count), first(x.gradient, a.count), 1)
}

// inputsOf returns the inputs of a direction.
func (s *scratch) inputsOf(d direction) *inputs {
	if d == backward {
		return &s.inputs[1]
	}
	return &s.inputs[0]
}

// drawInputs decides which coordinates of the starts of paths are dropped. Each has the number of
// its question; see drawMask.
func (t *trainer) drawInputs(d direction, x *inputs, u *unit, a *activeUnit) {
	key := dropout.InputKey(t.member.Seed, t.steps)
	for path := range a.count {
		x.mask.Draw(key, path, t.inputNumber(d, u, path), t.dim, t.settings.InputDropout)
	}
}

// inputNumber returns the number of the question of a path in its batch.
func (t *trainer) inputNumber(d direction, u *unit, path int) int {
	directions := t.objective.directions()
	examples := len(u.examples) // without reverses
	if t.reciprocal && directions > 1 {
		examples /= 2
	}
	question, way := int(u.questions[path]), path/examples
	if way > 0 { // of a reverse
		question -= examples
	}
	if d == backward {
		way = 1
	}
	return directions*u.number(question) + way
}
