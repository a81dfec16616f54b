package query

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
)

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
