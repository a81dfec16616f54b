package rdf

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
)

// Fingerprint identifies the data: the SHA-256 (hexadecimal) of the names of nodes,
// relations and classes, of the triples and of both tables of labels, in their
// order. The name of the graph has no influence.
func (g *Graph) Fingerprint() string {
	hash := sha256.New()
	w := bufio.NewWriter(hash)
	// Each length is written before its content, so that moving an item from one list to
	// the next changes the digest. Writes to a hash never fail.
	length := func(n int) { _ = binary.Write(w, binary.LittleEndian, uint64(n)) }
	for _, names := range [][]string{g.Nodes, g.Relations, g.Classes} {
		length(len(names))
		for _, name := range names {
			length(len(name))
			_, _ = w.WriteString(name)
		}
	}
	length(len(g.Triples))
	for _, t := range g.Triples {
		_ = binary.Write(w, binary.LittleEndian, [3]int32{t.Head, t.Relation, t.Tail})
	}
	for _, labels := range [][]Label{g.Train, g.Test} {
		length(len(labels))
		for _, l := range labels {
			_ = binary.Write(w, binary.LittleEndian, [2]int32{l.Node, l.Class})
		}
	}
	_ = w.Flush()
	return hex.EncodeToString(hash.Sum(nil))
}

// Source returns the name or folder with which [Open] finds the graph again: the name of a
// benchmark in its usual folder, otherwise the folder; "" for a graph built in memory.
func (g *Graph) Source() string {
	if _, known := benchmark(g.Name); !known {
		return g.Folder
	}
	here := func(folder string) bool {
		absolute, err := filepath.Abs(folder)
		return err == nil && absolute == g.Folder
	}
	if slices.ContainsFunc(datasets.Folders(g.Name), here) {
		return g.Name // finds the benchmark even after it moves
	}
	return g.Folder
}
