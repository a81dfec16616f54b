package query

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Query asks for the entities at the end of a path, (e0, r1 ∘ … ∘ rL, ?) (paper, Section
// II-B2).
type Query struct {
	Anchor int32
	// Relations are the relations of the path from the anchor on. 2k is relation k of the graph,
	// and 2k+1 is its reverse, from tail to head.
	Relations []int32
	// Hard has the answers to learn or rank, ascending. A training query has all end points of the
	// path in the training graph. A valid or test query has the end points that are unreachable in
	// the graph of the previous split.
	Hard []int32
	// Easy has the other answers, ascending. They are not candidates.
	Easy []int32
}

// Question returns the query without its answers.
func (q Query) Question() kge.Question { return kge.Question{Anchor: q.Anchor, Path: q.Relations} }

// reverse returns the reverse of a relation.
func reverse(relation int32) int32 { return relation ^ 1 }

// Split is one of the three parts of the queries.
type Split int

// The answers of training queries are end points in the training graph, those of validation
// queries in train and valid, and those of test queries in all splits.
const (
	InTrain Split = iota
	InValid
	InTest
	splits = 3
)

var splitNames = []string{"train", "valid", "test"}

func (s Split) String() string { return enum.Name(splitNames, "split", s) }

// MarshalText writes the name.
func (s Split) MarshalText() ([]byte, error) { return enum.Marshal(splitNames, "split", s) }

// UnmarshalText reads "train", "valid" or "test".
func (s *Split) UnmarshalText(text []byte) error {
	return enum.Unmarshal(splitNames, "split", s, text)
}

// Data holds a knowledge graph and chain queries about it.
type Data struct {
	// Name is the last part of the folder's path, or the name of the graph.
	Name string
	// Folder is the absolute path of the folder; "" for an embedded graph.
	Folder string
	// Entities and Relations have the labels by id. Query relations 2k and 2k+1 are Relations[k] and
	// its reverse.
	Entities, Relations []string

	types    *datasets.Types         // of the entities; nil for none
	notes    []string                // on the graph; see [Data.Warnings]
	isFolder bool                    // of queries: its notes say nothing about leakage
	graphs   [splits]*edges          // of train, train and valid, all splits
	known    *edges                  // of all facts, with those that queries omit
	queries  [splits]map[int][]Query // by hops
}

// FromGraph returns data without queries, for [Data.Sample] to draw. It omits triples of valid and
// test with an entity or a relation that train lacks.
func FromGraph(g *datasets.Graph) *Data {
	d := &Data{
		Name: g.Name, Folder: g.Folder, Entities: g.Entities, Relations: g.Relations,
		types: g.Types, notes: append(g.Warnings(), g.Leakage("valid", "test")...),
	}
	if g.Weights != nil {
		d.notes = append(d.notes, "paths leave out the weights of facts: all paths count alike")
	}
	entities, relations := make([]bool, len(g.Entities)), make([]bool, len(g.Relations)) // in train
	for _, t := range g.Train {
		entities[t.Head], entities[t.Tail], relations[t.Relation] = true, true, true
	}
	var known []datasets.Triple
	for split, triples := range [...][]datasets.Triple{g.Train, g.Valid, g.Test} {
		before := len(known)
		for _, t := range triples {
			if entities[t.Head] && entities[t.Tail] && relations[t.Relation] {
				known = append(known, t)
			}
		}
		if omitted := before + len(triples) - len(known); omitted > 0 {
			d.notes = append(d.notes, fmt.Sprintf("paths omit %s of %s %v triples: "+
				"train lacks an entity or a relation of these; add triples with them to train",
				format.Int(omitted), format.Int(len(triples)), Split(split)))
		}
		d.graphs[split] = newEdges(len(d.Entities), bothDirections(known))
	}
	d.known = d.graphs[InTest]
	if len(known) < len(g.Train)+len(g.Valid)+len(g.Test) {
		all := slices.Concat(g.Train, g.Valid, g.Test)
		d.known = newEdges(len(d.Entities), bothDirections(all))
	}
	return d
}

// Queries returns the queries of a split with a number of hops; nil if there are none.
func (d *Data) Queries(split Split, hops int) []Query { return d.queries[split][hops] }

// Hops returns the numbers of hops of the queries of a split, ascending.
func (d *Data) Hops(split Split) []int { return slices.Sorted(maps.Keys(d.queries[split])) }

// setQueries replaces the queries of a split with a number of hops.
func (d *Data) setQueries(split Split, hops int, queries []Query) {
	if len(queries) == 0 {
		return
	}
	if d.queries[split] == nil {
		d.queries[split] = map[int][]Query{}
	}
	d.queries[split][hops] = queries
}

// Fingerprint returns the hexadecimal SHA-256 of the labels and of the queries with the given
// numbers of hops in all splits, in their order. It does not depend on the name.
func (d *Data) Fingerprint(hops ...int) string {
	hash := sha256.New()
	w := bufio.NewWriter(hash)
	// Each list is preceded by its length, so that moving an element to the next list changes the
	// hash. Writes to a hash never fail.
	length := func(n int) { _ = binary.Write(w, binary.LittleEndian, uint64(n)) }
	for _, names := range [][]string{d.Entities, d.Relations} {
		length(len(names))
		for _, name := range names {
			length(len(name))
			_, _ = w.WriteString(name)
		}
	}
	for split := range Split(splits) {
		for _, h := range hops {
			queries := d.Queries(split, h)
			length(len(queries))
			for _, q := range queries {
				for _, ids := range [][]int32{{q.Anchor}, q.Relations, q.Hard, q.Easy} {
					length(len(ids))
					_ = binary.Write(w, binary.LittleEndian, ids)
				}
			}
		}
	}
	_ = w.Flush()
	return hex.EncodeToString(hash.Sum(nil))
}

// Source returns the argument for [Open] to find the data again: the name of a benchmark or of an
// embedded graph, or else the folder; "" for data made in memory.
func (d *Data) Source() string {
	if d.Folder == "" {
		if d.Name == datasets.World().Name {
			return d.Name
		}
		return ""
	}
	isOwnFolder := func(folder string) bool {
		absolute, err := filepath.Abs(folder)
		return err == nil && absolute == d.Folder
	}
	if slices.ContainsFunc(datasets.Folders(d.Name), isOwnFolder) {
		return d.Name // also found after the benchmarks are moved
	}
	return d.Folder
}
