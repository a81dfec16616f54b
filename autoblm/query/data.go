package query

import (
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
)

// Data is a knowledge graph with chain queries about it. It is used by pointer.
type Data struct {
	// Name is the last part of the folder's path, or the name of the graph.
	Name string
	// Folder is the absolute path that it was read from, "" for an embedded graph.
	Folder string
	// Entities and Relations are the labels by id. Query relations 2k and 2k+1 are
	// Relations[k] and its reverse.
	Entities, Relations []string

	graphs  [splits]*edges          // what is known in train, with valid, with test
	queries [splits]map[int][]Query // by hops
}

// FromGraph is a graph without queries yet; [Data.Sample] draws some. Triples of
// valid and test with an entity or a relation that train lacks are left out.
func FromGraph(g *datasets.Graph) *Data {
	d := &Data{Name: g.Name, Folder: g.Folder, Entities: g.Entities, Relations: g.Relations}
	inTrain := [2][]bool{make([]bool, len(g.Entities)), make([]bool, len(g.Relations))}
	for _, t := range g.Train {
		inTrain[0][t.Head], inTrain[0][t.Tail], inTrain[1][t.Relation] = true, true, true
	}
	var known []datasets.Triple
	for split, triples := range [...][]datasets.Triple{g.Train, g.Valid, g.Test} {
		for _, t := range triples {
			if inTrain[0][t.Head] && inTrain[0][t.Tail] && inTrain[1][t.Relation] {
				known = append(known, t)
			}
		}
		d.graphs[split] = newEdges(len(d.Entities), bothWays(known))
	}
	return d
}

// Queries are the queries of a split with paths of a length, nil where there are none.
func (d *Data) Queries(split Split, hops int) []Query { return d.queries[split][hops] }

// Hops are the lengths of paths that a split has queries of, ascending.
func (d *Data) Hops(split Split) []int { return slices.Sorted(maps.Keys(d.queries[split])) }

func (d *Data) put(split Split, hops int, queries []Query) {
	if len(queries) == 0 {
		return
	}
	if d.queries[split] == nil {
		d.queries[split] = map[int][]Query{}
	}
	d.queries[split][hops] = queries
}
