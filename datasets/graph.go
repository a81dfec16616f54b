package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"sync"
)

// Triple is one fact: the relation holds from the head entity to the tail
// entity. The numbers are ids, indices into the labels of a [Graph].
type Triple struct{ Head, Relation, Tail int32 }

// Graph is a knowledge graph with three splits. [Graph.Validate] checks one that was made in memory;
// methods that return no error rely on its ids. Use it by pointer, and change it by replacing or
// extending its slices, not their elements: what was computed from the elements is kept.
type Graph struct {
	// Name is the name in the registry, or the last part of the folder's path.
	Name string
	// Folder is the absolute path of its files; "" for the embedded graph.
	Folder string
	// Entities and Relations are the labels by id. Labels are unique.
	Entities, Relations []string
	// Train, Valid and Test are the triples in the order of their files,
	// duplicates included. Valid and Test may be nil.
	Train, Valid, Test []Triple
	// Weights are the weights of the training triples in the loss; nil if all are 1.
	Weights []float32
	// Types are the declared types of entities; nil if there are none. They have no influence on a
	// training and select the candidates for answers.
	Types *Types

	falses map[string][]Triple // of valid and test, if the data give them
	ogb    *ogbFolder          // nil if it is none

	times    []float64   // of the training triples, for a split by time
	warnings []string    // of the reader; see [Graph.Warnings]
	cache    *cacheState // nil if the graph is not cached

	known        fromSplits[Known]
	implications fromSplits[implications]
}

// fromSplits keeps a value that was computed from the splits of a graph.
type fromSplits[T any] struct {
	lock   sync.Mutex
	value  *T // nil before it is computed
	splits [3][]Triple
	labels [2]int // numbers of entities and relations
}

// get returns the value, and computes it if there is none, a split is no longer the same slice or there
// are other labels.
func (f *fromSplits[T]) get(g *Graph, compute func() *T) *T {
	f.lock.Lock()
	defer f.lock.Unlock()
	if !f.isCurrent(g) {
		f.value, f.splits, f.labels = compute(), g.splits(), g.labels()
	}
	return f.value
}

// has reports whether get would return a value without computing it.
func (f *fromSplits[T]) has(g *Graph) bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.isCurrent(g)
}

func (f *fromSplits[T]) isCurrent(g *Graph) bool {
	current := f.value != nil && f.labels == g.labels()
	for i, triples := range g.splits() {
		current = current && areSame(f.splits[i], triples)
	}
	return current
}

// Split returns the triples of "train", "valid" or "test".
func (g *Graph) Split(name string) ([]Triple, error) {
	switch name {
	case "train":
		return g.Train, nil
	case "valid":
		return g.Valid, nil
	case "test":
		return g.Test, nil
	}
	return nil, fmt.Errorf("no split %q: use train, valid or test", name)
}

func (g *Graph) labels() [2]int { return [2]int{len(g.Entities), len(g.Relations)} }

func (g *Graph) splits() [3][]Triple { return [3][]Triple{g.Train, g.Valid, g.Test} }

// Known returns the index of all known answers, built from the three splits as one set of triples on
// the first call and after a split was replaced or extended. It is safe for concurrent use.
func (g *Graph) Known() *Known {
	return g.known.get(g, func() *Known {
		in := g.splits()
		return newKnown(in[:], in[:])
	})
}

// Fingerprint identifies the data: the SHA-256 (hexadecimal) of the labels and
// of the triples of each split, in their order, and of weights. The name
// has no influence.
func (g *Graph) Fingerprint() string {
	if facts := g.cache.known(g); facts != nil {
		return facts.Fingerprint
	}
	hash := sha256.New()
	buffer := make([]byte, 0, 1<<12)
	flush := func() {
		hash.Write(buffer)
		buffer = buffer[:0]
	}
	// Each length is written before its content, so that moving an item from one list to
	// the next changes the digest.
	for _, labels := range [][]string{g.Entities, g.Relations} {
		buffer = binary.LittleEndian.AppendUint64(buffer, uint64(len(labels)))
		for _, label := range labels {
			buffer = binary.LittleEndian.AppendUint64(buffer, uint64(len(label)))
			buffer = append(buffer, label...)
			flush()
		}
	}
	for _, triples := range g.splits() {
		buffer = binary.LittleEndian.AppendUint64(buffer, uint64(len(triples)))
		for _, t := range triples {
			buffer = binary.LittleEndian.AppendUint32(buffer, uint32(t.Head))
			buffer = binary.LittleEndian.AppendUint32(buffer, uint32(t.Relation))
			buffer = binary.LittleEndian.AppendUint32(buffer, uint32(t.Tail))
			if len(buffer) > 1<<11 {
				flush()
			}
		}
	}
	for _, weight := range g.Weights {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(weight))
		if len(buffer) > 1<<11 {
			flush()
		}
	}
	flush()
	return hex.EncodeToString(hash.Sum(nil))
}
