package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// unit is what a part of a batch leaves for the tiles of entities and relations to
// collect.
type unit struct {
	examples  []kge.Example // with reverses, both: those of all after all of them
	first     int           // number in the batch of the first's question
	questions []int32       // number in the unit of each example's
	both      []kge.Example
	back      []int32 // the paths of the reverses
	gradients paths   // by the rows that they look up
	loss      float64
	queries   kernel.Table // [paths·stateRows, d], as they were asked, where there are pairs
	pairs     []pair
}

// joins says whether an example asks the question of the one before.
func (u *unit) joins(i int) bool { return i > 0 && u.questions[i] == u.questions[i-1] }

// pair is an entity that a question learns by itself, and how fast the loss rises
// with its score.
type pair struct {
	entity, path int32
	slope        float32
}

func newUnit(m *model, most int, pairs bool) *unit {
	u := &unit{gradients: newPaths(m, most, !pairs)}
	if pairs {
		u.queries = tiles.NewTable(m.mostQueries()*m.stateRows, m.dim)
	}
	return u
}

// work is a unit on its way: the rows that it looks up and its walk through the
// entities.
type work struct {
	paths
	overEntities  *tiles.Softmax   // nil where answers are learnt one by one
	overRelations []*tiles.Softmax // of as many paths as each takes; none where relations are not asked for
}

func newWork(m *model, most int, share bool) *work { return &work{paths: newPaths(m, most, share)} }

// bench is what a thread needs for the unit or the tile that it is at.
type bench struct {
	between, room states
	mask          *tiles.Mask
	tile          kernel.Table // the gradient of a tile
	scratch       kernel.Table // room for a row of each query
	gradQueries   kernel.Table // [paths·stateRows, d]
	lanes         kernel.Lanes
	scores        []float64      // of the answers of a query
	softmax       *tiles.Scratch // of questions
}

func newBench(m *model, most int, few bool) *bench {
	widest := m.dim
	for _, t := range m.relations {
		widest = max(widest, t.columns)
	}
	return &bench{softmax: tiles.NewScratch(m.kernels, m.entities, m.dim, few), mask: tiles.NewMask(m.mostQueries(), m.dim), tile: tiles.NewTable(tiles.Rows, widest), scratch: tiles.NewTable(most, m.dim), gradQueries: tiles.NewTable(most*m.stateRows, m.dim)}
}

// fetch looks up the rows of the examples, and readies the unit's gradients. With reverses
// the anchor of each is asked for too, by the reverses of its relations.
func (u *unit) fetch(m *model, w *work, reverses bool) {
	examples, hops := u.examples, len(u.examples[0].Path)
	u.pairs = u.pairs[:0]
	if reverses {
		u.both = append(u.both[:0], examples...)
		u.back = slices.Grow(u.back[:0], len(examples)*hops) // which stays where it is
		for _, x := range examples {
			for _, r := range slices.Backward(x.Path) {
				u.back = append(u.back, r^1)
			}
			u.both = append(u.both, kge.Example{Question: kge.Question{Anchor: x.Target, Path: u.back[len(u.back)-hops:]}, Target: x.Anchor, Weight: x.BackWeight, BackWeight: x.Weight})
		}
		for i := range examples {
			u.questions = append(u.questions, int32(len(examples)+i))
		}
		u.examples = u.both
	}
	n := len(u.examples)
	w.reset(m, n, hops)
	for i := range u.examples {
		x := &u.examples[i]
		w.put(m, i, &x.Question)
		w.putTarget(m, i, x.Target)
	}
	u.gradients.like(m, &w.paths)
}
