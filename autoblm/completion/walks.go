package completion

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// otherEdges is the relative probability of an edge that the first entity of a walk does not have
// too (Guo et al., 2019, α). Such edges lead away from it.
const otherEdges = 0.7

// walker draws paths from a graph, whose triples are walked in both directions.
type walker struct {
	edges []answer // by anchor, relation and target
	first []int    // the index of an entity's first edge
}

func newWalker(g *datasets.Graph) walker {
	w := walker{edges: answersOf(g.Train)}
	slices.SortFunc(w.edges, byAnchor)
	w.edges = slices.Compact(w.edges)
	for entity := range len(g.Entities) + 1 {
		first, _ := slices.BinarySearchFunc(w.edges, int32(entity),
			func(e answer, entity int32) int { return cmp.Compare(e.anchor, entity) })
		w.first = append(w.first, first)
	}
	return w
}

func byAnchor(a, b answer) int { return cmp.Or(cmp.Compare(a.anchor, b.anchor), byAnswer(a, b)) }

// walk returns a path that begins with an edge. The second edge is any one of its entity. Later ones
// are less likely if the first entity has an edge of the same relation to the same entity.
func (w walker) walk(rng *rand.Rand, edge answer, hops int) []answer {
	path := []answer{edge}
	for len(path) < hops {
		at := path[len(path)-1].target
		edges := w.edges[w.first[at]:w.first[at+1]] // at least the one back
		next := edges[rng.IntN(len(edges))]
		for len(path) > 1 && w.has(answer{edge.anchor, next.relation, next.target}) &&
			rng.Float64()*otherEdges > 1-otherEdges {
			next = edges[rng.IntN(len(edges))]
		}
		path = append(path, next)
	}
	return path
}

func (w walker) has(edge answer) bool {
	_, found := slices.BinarySearchFunc(w.edges[w.first[edge.anchor]:w.first[edge.anchor+1]], edge, byAnchor)
	return found
}

// batches returns the batches of an epoch; see [kge.Walks]. Their paths only depend on the seed, the
// epoch and the number of the batch.
func (w walker) batches(g *datasets.Graph, s kge.Settings, epoch int, rng *rand.Rand) kge.Batches {
	order := make([]int, 2*kge.WalksPerTriple*len(g.Train))
	for i := range order {
		order[i] = i
	}
	shuffle(rng, order)
	order = firstSteps(order, s.Batch, s)
	count := (len(order) + s.Batch - 1) / s.Batch
	return kge.Batches{Count: count, Make: func(i int, _ []kge.Example) (batch []kge.Example) {
		rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)<<32|uint64(i)))
		for _, index := range order[i*s.Batch : min(len(order), (i+1)*s.Batch)] {
			t := g.Train[index/(2*kge.WalksPerTriple)]
			first := answer{t.Head, 2 * t.Relation, t.Tail}
			if index%2 == 1 {
				first = answer{t.Tail, 2*t.Relation + 1, t.Head}
			}
			batch = append(batch, prefixes(w.walk(rng, first, s.WalkHops))...)
		}
		return batch
	}}
}

// prefixes returns a path of each length as an example.
func prefixes(path []answer) (examples []kge.Example) {
	var relations, passed []int32
	for _, edge := range path {
		relations, passed = append(relations, edge.relation), append(passed, edge.anchor)
		n := len(relations)
		examples = append(examples, kge.Example{
			Question: kge.Question{
				Anchor: path[0].anchor, Path: relations[:n:n], Through: passed[1:n:n],
			},
			Target: edge.target, Targets: []int32{edge.target}, Weight: 1,
		})
	}
	return examples
}
