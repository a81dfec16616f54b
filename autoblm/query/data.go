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

// Query asks for the entities at the end of a path, (e0, r1 ∘ … ∘ rL, ?) (paper,
// Section II-B2).
type Query struct {
	Anchor int32
	// Relations are those of the path, in the order in which they are walked. 2k is
	// relation k of the graph and 2k+1 is its reverse, walked from tail to head.
	Relations []int32
	// Hard are the answers to be learnt or ranked, ascending. For a training query
	// these are all end points of the path in the training graph, and else those
	// that the graph before lacks.
	Hard []int32
	// Easy are the other answers, ascending. They are no candidates.
	Easy []int32
}

// Question is the query without its answers.
func (q Query) Question() kge.Question { return kge.Question{Anchor: q.Anchor, Path: q.Relations} }

// reverse is the relation walked the other way.
func reverse(relation int32) int32 { return relation ^ 1 }

// Split is one of the three parts of the queries.
type Split int

// The answers of training queries are end points in the training graph, those of
// validation queries in train and valid, those of test queries in all splits.
const (
	InTrain Split = iota
	InValid
	InTest
	splits = 3
)

var splitNames = []string{"train", "valid", "test"}

func (s Split) String() string { return enum.Of(splitNames, "split", s) }

// MarshalText writes the name.
func (s Split) MarshalText() ([]byte, error) { return enum.Marshal(splitNames, "split", s) }

// UnmarshalText reads "train", "valid" or "test".
func (s *Split) UnmarshalText(text []byte) error {
	return enum.Unmarshal(splitNames, "split", s, text)
}

// Data is a knowledge graph with chain queries about it. It is used by pointer.
type Data struct {
	// Name is the last part of the folder's path, or the name of the graph.
	Name string
	// Folder is the absolute path that it was read from, "" for an embedded graph.
	Folder string
	// Entities and Relations are the labels by id. Query relations 2k and 2k+1 are
	// Relations[k] and its reverse.
	Entities, Relations []string

	noticed []string                // of the graph; see [Data.Warnings]
	graphs  [splits]*edges          // what is known in train, with valid, with test
	queries [splits]map[int][]Query // by hops
}

// FromGraph is a graph without queries yet; [Data.Sample] draws some. Triples of
// valid and test with an entity or a relation that train lacks are left out.
func FromGraph(g *datasets.Graph) *Data {
	d := &Data{Name: g.Name, Folder: g.Folder, Entities: g.Entities, Relations: g.Relations, noticed: g.Warnings()}
	inTrain := [2][]bool{make([]bool, len(g.Entities)), make([]bool, len(g.Relations))}
	for _, t := range g.Train {
		inTrain[0][t.Head], inTrain[0][t.Tail], inTrain[1][t.Relation] = true, true, true
	}
	var known []datasets.Triple
	for split, triples := range [...][]datasets.Triple{g.Train, g.Valid, g.Test} {
		before := len(known)
		for _, t := range triples {
			if inTrain[0][t.Head] && inTrain[0][t.Tail] && inTrain[1][t.Relation] {
				known = append(known, t)
			}
		}
		if left := before + len(triples) - len(known); left > 0 {
			d.noticed = append(d.noticed, fmt.Sprintf("%s of the %s %v triples of %s are left out of its paths, for they have an entity or a relation that train lacks: add to train what is known of it",
				format.Whole(left), format.Whole(len(triples)), Split(split), d.Name))
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

// Fingerprint identifies what a search on paths of the given lengths depends on: the
// SHA-256 (hexadecimal) of the labels and of the queries of these lengths in all
// splits, in their order. The name does not enter.
func (d *Data) Fingerprint(hops ...int) string {
	hash := sha256.New()
	w := bufio.NewWriter(hash)
	// Every length is written before its content, so that nothing can be moved from
	// one list to the next without a change of the sum. Hashes take all writes.
	length := func(n int) { _ = binary.Write(w, binary.LittleEndian, uint64(n)) }
	for _, names := range [][]string{d.Entities, d.Relations} {
		length(len(names))
		for _, name := range names {
			length(len(name))
			_, _ = w.WriteString(name)
		}
	}
	var number [4]byte
	for split := range Split(splits) {
		for _, h := range hops {
			queries := d.Queries(split, h)
			length(len(queries))
			for _, q := range queries {
				for _, ids := range [][]int32{{q.Anchor}, q.Relations, q.Hard, q.Easy} {
					length(len(ids))
					for _, id := range ids {
						binary.LittleEndian.PutUint32(number[:], uint32(id))
						_, _ = w.Write(number[:])
					}
				}
			}
		}
	}
	_ = w.Flush()
	return hex.EncodeToString(hash.Sum(nil))
}

// Source is what [Open] finds the data by again: their name, if they were read from
// where benchmarks lie or are embedded, or else their folder; "" for data that were
// made in memory.
func (d *Data) Source() string {
	if d.Folder == "" {
		if d.Name == datasets.World().Name {
			return d.Name
		}
		return ""
	}
	here := func(folder string) bool {
		absolute, err := filepath.Abs(folder)
		return err == nil && absolute == d.Folder
	}
	if slices.ContainsFunc(datasets.Folders(d.Name), here) {
		return d.Name // which finds the benchmark wherever it lies later
	}
	return d.Folder
}
