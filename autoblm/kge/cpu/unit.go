package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// unit is a part of a batch, with the results that the tiles of entities and relations collect.
type unit struct {
	examples  []kge.Example // with reverses: the examples, and then the reverse of each
	first     int           // index in the batch of the first question
	numbers   []int32       // of the questions, if they are not first and so on
	questions []int32       // index in the unit of each example's question
	gradients paths         // with respect to the embeddings of the examples
	loss      float64
	queries   kernel.Table // [queries·stateRows, d], if there are pairs
	pairs     []pair
	norm      *normUnit      // nil without batch normalization
	negatives drawnNegatives // empty if the unit draws none

	withReverses []kge.Example // memory for examples
	reversePaths []int32       // memory for the paths of reverses
}

// number returns the number of a question in the batch, on which its random numbers depend.
func (u *unit) number(question int) int {
	if u.numbers == nil {
		return u.first + question
	}
	return int(u.numbers[question])
}

// repeatsQuestion reports whether an example has the question of the one before.
func (u *unit) repeatsQuestion(i int) bool { return i > 0 && u.questions[i] == u.questions[i-1] }

// pair is an entity that a query learns individually. slope is the derivative of the loss with
// respect to the score of the entity for the query.
type pair struct {
	entity, query int32
	slope         float32
}

func newUnit(m *model, r requirements) *unit {
	u := &unit{gradients: newPaths(m, r.paths, !r.pairs)}
	if r.pairs || r.teacher {
		u.queries = tiles.NewTable(m.maxQueries()*m.stateRows, m.dim)
	}
	if m.form.HasNorm() {
		u.norm = newNormUnit(m.maxQueries(), m.dim)
	}
	return u
}

// activeUnit is the working memory of a unit: its embeddings, and its softmaxes with kept
// exponentials.
type activeUnit struct {
	paths
	// overEntities is nil on paths with negative sampling.
	overEntities *tiles.Softmax
	// overRelations divides the paths into several softmaxes. It is empty without relation
	// prediction.
	overRelations []*tiles.Softmax
}

// scratch holds the buffers of one thread.
type scratch struct {
	between, gradBetween states
	mask                 *tiles.Mask
	inputs               [2]inputs    // by direction
	tile                 kernel.Table // gradient of a tile
	rows                 kernel.Table // a row per path
	gradQueries          kernel.Table // [paths·stateRows, d]
	lanes                kernel.Lanes
	scores               []float64 // of the answers of a unit
	softmax              *tiles.Scratch
	negatives            negativeScratch
	answers              []tiles.Place // of the queries of a unit, with binary cross entropy
	weights              []float32     // of the queries of a unit, with binary cross entropy
	// relationQueries and relationSoftmax are for relation prediction, whose queries have as many
	// columns as relations.
	relationQueries kernel.Table // [queries, columns]
	relationSoftmax *tiles.Scratch
	ivr             *ivrRows // nil before the first use
}

func newScratch(r requirements) *scratch {
	m, columns := r.model, r.model.dim
	for _, t := range m.relations {
		columns = max(columns, t.columns)
	}
	s := &scratch{
		softmax:     tiles.NewScratch(m.kernels, m.entities, m.dim, r.sparse > 0),
		mask:        tiles.NewMask(m.maxQueries(), m.dim),
		tile:        tiles.NewTable(tiles.Rows, columns),
		rows:        tiles.NewTable(r.paths, m.dim),
		gradQueries: tiles.NewTable(r.paths*m.stateRows, m.dim),
	}
	if r.negatives || r.classifies {
		s.softmax.EnableSigmoids()
	}
	if r.negatives {
		s.negatives = newNegativeScratch(m, r.drawnNegatives())
	}
	if r.predictRelations {
		relations := m.relations[0]
		s.relationQueries = tiles.NewTable(m.maxQueries(), relations.columns)
		s.relationSoftmax = tiles.NewScratch(
			m.kernels, relations.Embeddings, relations.columns, false)
	}
	return s
}

// loadedAhead is the number of examples whose rows are loaded into the cache before their turn.
const loadedAhead = 4

// load looks up the embeddings of the examples and clears the gradients. With withReverses the
// unit also has the reverse of each example, which asks for its anchor.
func (u *unit) load(t *trainer, a *activeUnit, withReverses bool) {
	m := t.model
	hops := len(u.examples[0].Path)
	u.pairs = u.pairs[:0]
	if withReverses {
		u.addReverses(hops)
	}
	n := len(u.examples)
	a.reset(m, n, hops)
	for i := -loadedAhead; i < n; i++ {
		if ahead := i + loadedAhead; ahead < n {
			t.prefetch(u.examples[ahead].Anchor)
			t.prefetch(u.examples[ahead].Target)
		}
		if i < 0 {
			continue
		}
		x := &u.examples[i]
		a.load(m, i, &x.Question)
		a.loadTarget(m, i, x.Target)
	}
	u.gradients.resetGradients(m, &a.paths)
}

// addReverses appends the reverse of each example.
func (u *unit) addReverses(hops int) {
	n := len(u.examples)
	u.withReverses = append(u.withReverses[:0], u.examples...)
	u.reversePaths = slices.Grow(u.reversePaths[:0], n*hops) // examples keep slices of it
	for i, x := range u.examples {
		for _, r := range slices.Backward(x.Path) {
			u.reversePaths = append(u.reversePaths, r^1)
		}
		path := u.reversePaths[len(u.reversePaths)-hops:]
		u.withReverses = append(u.withReverses, kge.Example{
			Question: kge.Question{Anchor: x.Target, Path: path}, Target: x.Anchor,
			Weight: x.BackWeight, BackWeight: x.Weight, FactWeight: x.FactWeight,
		})
		u.questions = append(u.questions, int32(n+i))
	}
	u.examples = u.withReverses
}
