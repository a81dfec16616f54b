package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/datasets"
)

// Graph is a small graph with a symmetric and an asymmetric relation, some
// structure to learn, and sizes that no batch of ours divides.
func Graph() *datasets.Graph {
	const entities = 37
	g := &datasets.Graph{Name: "enginetest", Relations: []string{"near", "next", "mirrors"}}
	for i := range entities {
		g.Entities = append(g.Entities, fmt.Sprintf("e%02d", i))
	}
	var all []datasets.Triple
	for i := range int32(entities) {
		all = append(all,
			datasets.Triple{Head: i, Relation: 0, Tail: (i + 2) % entities},
			datasets.Triple{Head: (i + 2) % entities, Relation: 0, Tail: i},
			datasets.Triple{Head: i, Relation: 1, Tail: (i + 1) % entities},
			datasets.Triple{Head: i, Relation: 2, Tail: (entities - i) % entities})
	}
	rng := rand.New(rand.NewPCG(7, 7))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	g.Valid, g.Test, g.Train = all[:20], all[20:41], all[41:]
	return g
}

// RandomGraph has random triples, any of which may come several times.
func RandomGraph(entities, relations, triples int, seed uint64) *datasets.Graph {
	g := &datasets.Graph{Name: "random"}
	for i := range entities {
		g.Entities = append(g.Entities, fmt.Sprint("e", i))
	}
	for i := range relations {
		g.Relations = append(g.Relations, fmt.Sprint("r", i))
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for range triples {
		g.Train = append(g.Train, datasets.Triple{Head: rng.Int32N(int32(entities)), Relation: rng.Int32N(int32(relations)), Tail: rng.Int32N(int32(entities))})
	}
	return g
}

// Paths is a graph of a few entities and relations, with queries of up to three hops.
func Paths(t testing.TB, entities, relations, triples int) *query.Data {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	g := &datasets.Graph{Name: "random"}
	for i := range entities {
		g.Entities = append(g.Entities, fmt.Sprintf("e%d", i))
	}
	for i := range relations {
		g.Relations = append(g.Relations, fmt.Sprintf("r%d", i))
	}
	for i := range triples {
		triple := datasets.Triple{Head: int32(i % entities), Relation: int32(rng.IntN(relations)), Tail: int32(rng.IntN(entities))}
		if split := []*[]datasets.Triple{&g.Train, &g.Valid, &g.Test}[max(0, i%10-7)]; i >= entities {
			*split = append(*split, triple)
		} else {
			g.Train = append(g.Train, triple)
		}
	}
	d := query.FromGraph(g)
	for _, split := range []query.Split{query.InTrain, query.InValid, query.InTest} {
		for hops := 1; hops <= 3; hops++ {
			if _, err := d.Sample(t.Context(), query.Sample{Split: split, Hops: hops, Count: 200, Seed: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}
