package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// SplitSettings configures [SplitTriples].
type SplitSettings struct {
	// Valid and Test are the wanted shares of the distinct triples, each from 0
	// up to, but not including, 1, and together below 1.
	Valid float64 `json:"valid" min:"0" below:"1" help:"Share of validation triples."`
	Test  float64 `json:"test" min:"0" below:"1" help:"Share of test triples."`
	// Seed decides which triples are held out; the same seed gives the same splits.
	Seed uint64 `json:"seed" help:"Decides which triples are held out."`
}

// DefaultSplit returns shares of 0.1 for valid and test, and seed 1.
func DefaultSplit() SplitSettings { return SplitSettings{Valid: 0.1, Test: 0.1, Seed: 1} }

// SplitReport compares the wanted sizes of [SplitTriples] with its input.
type SplitReport struct {
	// Duplicates is the number of dropped duplicates.
	Duplicates int `json:"duplicates"`
	// WantedValid and WantedTest are the sizes according to the shares. The splits are
	// smaller when more triples must stay in train.
	WantedValid int `json:"wanted_valid"`
	WantedTest  int `json:"wanted_test"`
}

// SplitTriples divides the training triples of a graph, such as one from [ReadTriples],
// into train, valid and test. Every entity and relation stays in train, so fewer triples
// than wanted may be held out. Duplicates are dropped. The splits keep the order of the
// triples, and ids follow the first appearance, so that [WriteFolder] and [ReadFolder]
// reproduce the graph.
//
// A triple and its reverse may go to different splits: on data with inverse relations the
// test split is then too easy.
func SplitTriples(g *Graph, settings SplitSettings) (*Graph, SplitReport, error) {
	for _, share := range []float64{settings.Valid, settings.Test, settings.Valid + settings.Test} {
		if !(share >= 0 && share < 1) { // also refuses NaN
			return nil, SplitReport{}, fmt.Errorf(
				"shares of %v for valid and %v for test: use shares of at least 0 with a sum below 1",
				settings.Valid, settings.Test)
		}
	}
	triples := distinct(g.Train)
	report := SplitReport{
		Duplicates:  len(g.Train) - len(triples),
		WantedValid: int(math.Round(settings.Valid * float64(len(triples)))),
		WantedTest:  int(math.Round(settings.Test * float64(len(triples)))),
	}
	left := countOf(g, triples)

	const train, valid, test = 0, 1, 2
	place := make([]int, len(triples))
	valids, tests := 0, 0
	rng := rand.New(rand.NewPCG(settings.Seed, 0))
	for _, i := range rng.Perm(len(triples)) {
		t := triples[i]
		if left.last(t) {
			continue
		}
		// The split that lacks the larger share goes first, so that both end equally short.
		switch {
		case valids < report.WantedValid && valids*report.WantedTest <= tests*report.WantedValid:
			place[i] = valid
			valids++
		case tests < report.WantedTest:
			place[i] = test
			tests++
		default:
			continue
		}
		left.add(t, -1)
	}

	divided := &Graph{Name: g.Name}
	for i, t := range triples {
		switch place[i] {
		case train:
			divided.Train = append(divided.Train, t)
		case valid:
			divided.Valid = append(divided.Valid, t)
		case test:
			divided.Test = append(divided.Test, t)
		}
	}
	renumber(divided, g)
	return divided, report, nil
}

// distinct returns the triples without duplicates, in order.
func distinct(triples []Triple) []Triple {
	seen := make(map[Triple]struct{}, len(triples))
	var once []Triple
	for _, t := range triples {
		if _, again := seen[t]; !again {
			seen[t] = struct{}{}
			once = append(once, t)
		}
	}
	return once
}

// renumber replaces the ids of the old graph in g by new ids, in the order of their first
// appearance, and sets the labels of g.
func renumber(g, old *Graph) {
	labels := newLabels()
	for _, triples := range [][]Triple{g.Train, g.Valid, g.Test} {
		for i, t := range triples {
			triples[i] = Triple{
				Head:     labels.entities.id([]byte(old.Entities[t.Head])),
				Relation: labels.relations.id([]byte(old.Relations[t.Relation])),
				Tail:     labels.entities.id([]byte(old.Entities[t.Tail])),
			}
		}
	}
	g.Entities, g.Relations = labels.entities.labels, labels.relations.labels
}

// counts holds the number of triples of each entity and each relation.
type counts struct{ entities, relations []int }

func countOf(g *Graph, triples []Triple) counts {
	c := counts{make([]int, len(g.Entities)), make([]int, len(g.Relations))}
	for _, t := range triples {
		c.add(t, 1)
	}
	return c
}

func (c counts) add(t Triple, by int) {
	c.entities[t.Head] += by
	if t.Tail != t.Head {
		c.entities[t.Tail] += by
	}
	c.relations[t.Relation] += by
}

// last reports whether a triple is the last one of an entity or of its relation.
func (c counts) last(t Triple) bool {
	return c.entities[t.Head] == 1 || c.entities[t.Tail] == 1 || c.relations[t.Relation] == 1
}

// Resplit returns a graph with the distinct training and validation triples of g divided in
// another way, into splits of the same sizes. The number is the seed. Every entity and
// relation of train stays there, so validation may get fewer triples. Test is unchanged.
func (g *Graph) Resplit(number uint64) *Graph {
	triples := distinct(slices.Concat(g.Train, g.Valid))
	wanted := len(triples) - len(distinct(g.Train))
	left := countOf(g, triples)
	held := make([]bool, len(triples))
	for _, i := range rand.New(rand.NewPCG(number, 1)).Perm(len(triples)) {
		t := triples[i]
		if wanted == 0 || left.last(t) {
			continue
		}
		held[i] = true
		wanted--
		left.add(t, -1)
	}
	divided := &Graph{
		Name: g.Name, Folder: g.Folder,
		Entities: g.Entities, Relations: g.Relations,
		Test: g.Test,
	}
	for i, t := range triples {
		if held[i] {
			divided.Valid = append(divided.Valid, t)
		} else {
			divided.Train = append(divided.Train, t)
		}
	}
	return divided
}
