package datasets

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/internal/torchfile"
)

// Negatives gives the entities with which a benchmark compares the true heads and tails of the
// triples of a split. It reads them from a file on demand.
type Negatives struct {
	file         *ogbFile
	triples      []Triple
	heads, tails *torchfile.Tensor
	bases        []int32 // the first id of each type, and the end of the last
}

// Negatives opens the given negatives of a split, nil if the data set gives none.
func (g *Graph) Negatives(split string) (*Negatives, error) {
	if g.ogb == nil {
		return nil, nil
	}
	return openNegatives(filepath.Join(g.ogb.split, split+".pt"), g.ogb.triples[split], g.ogb.Bases)
}

// HasNegatives reports whether the data set gives negatives for valid and test.
func (g *Graph) HasNegatives() bool { return g.ogb != nil }

// openNegatives opens the negatives in a file of OGB, nil if it has none.
func openNegatives(path string, triples []Triple, bases []int32) (*Negatives, error) {
	file, err := openOGB(path)
	if err != nil {
		return nil, err
	}
	n := &Negatives{file: file, triples: triples, bases: bases}
	if file.get("head_neg") == nil && file.get("tail_neg") == nil {
		return nil, file.Close()
	}
	for key, to := range map[string]**torchfile.Tensor{"head_neg": &n.heads, "tail_neg": &n.tails} {
		if *to, err = file.tensor(key, 2); err == nil && (*to).Shape[0] != len(triples) {
			err = fmt.Errorf("%s: %s has %d rows for %d triples", path, key, (*to).Shape[0], len(triples))
		}
		if err != nil {
			file.Close()
			return nil, err
		}
	}
	return n, nil
}

// Of returns the negatives for the head and for the tail of the triple with an index in the split.
// Ascending indices are fastest.
func (n *Negatives) Of(triple int) (heads, tails []int32, err error) {
	if heads, err = n.row(n.heads, triple, n.triples[triple].Head); err == nil {
		tails, err = n.row(n.tails, triple, n.triples[triple].Tail)
	}
	return heads, tails, err
}

// row returns a row of an array, whose ids count within the type of an entity.
func (n *Negatives) row(array *torchfile.Tensor, triple int, entity int32) ([]int32, error) {
	row, err := array.Row(triple)
	if err != nil {
		return nil, err
	}
	local, err := row.Int64()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.file.path, err)
	}
	next, _ := slices.BinarySearch(n.bases, entity+1)
	base, count := n.bases[next-1], n.bases[next]-n.bases[next-1]
	ids := make([]int32, len(local))
	for i, id := range local {
		if id < 0 || id >= int64(count) {
			return nil, fmt.Errorf("%s: negative %d of triple %d is out of range: raw and mapping name %d "+
				"entities", n.file.path, id, triple, count)
		}
		ids[i] = base + int32(id)
	}
	return ids, nil
}

// Close closes the file.
func (n *Negatives) Close() error { return n.file.Close() }
