package query

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// WriteFolder writes the queries into a folder, which is made if needed, so that
// [ReadFolder] reads them and the graph. A folder that holds queries already is
// refused; a new one appears at once.
func (d *Data) WriteFolder(dir string) error {
	if err := CanWrite(dir); err != nil {
		return err
	}
	files := []atomicfile.File{
		{Name: entitiesFile, Content: numbered(d.Entities, "")},
		{Name: relationsFile, Content: numbered(d.Relations, reverseSuffix)},
	}
	for split := Split(splits - 1); split >= InTrain; split-- { // train-1p says that the others are there
		for _, hops := range slices.Backward(slices.Compact(append([]int{1}, d.Hops(split)...))) {
			content, err := d.packed(split, hops)
			if err != nil {
				return err
			}
			if content != nil {
				files = append(files, atomicfile.File{Name: queryFile(split, hops) + ".gz", Content: content})
			}
		}
	}
	if err := atomicfile.WriteFolder(dir, files); err != nil {
		return fmt.Errorf("%s: %w", filepath.Clean(dir), err)
	}
	return nil
}

// CanWrite says, before queries are drawn, whether [Data.WriteFolder] would write into a
// folder: not where there are queries already, and not over the labels of something else.
func CanWrite(dir string) error {
	if hasQueries(dir) {
		return fmt.Errorf("%s already holds queries: name another folder", dir)
	}
	for _, file := range []string{entitiesFile, relationsFile} {
		if datasets.HasFile(dir, file) {
			return fmt.Errorf("%s has a file %s that is not of queries, and not replaced: name another folder", dir, file)
		}
	}
	return outfile.FolderLater(dir)
}

// numbered are lines of id<TAB>name, each followed by one for its reverse where
// that has a suffix.
func numbered(names []string, suffix string) []byte {
	var text bytes.Buffer
	id := 0
	for _, name := range names {
		fmt.Fprintf(&text, "%d\t%s\n", id, name)
		id++
		if suffix != "" {
			fmt.Fprintf(&text, "%d\t%s%s\n", id, name, suffix)
			id++
		}
	}
	return text.Bytes()
}

// packed is the file of some queries, nil where there are none. Paths of one hop
// are taken from the graph where they are not there, as they are its edges.
func (d *Data) packed(split Split, hops int) ([]byte, error) {
	queries := d.Queries(split, hops)
	if queries == nil {
		queries, _ = d.drawing(Sample{Split: split, Hops: hops}).pairs(context.Background()) // which does not end
	}
	if len(queries) == 0 {
		return nil, nil
	}
	var content bytes.Buffer
	packer := gzip.NewWriter(&content)
	var line []byte
	for _, q := range queries {
		line = strconv.AppendInt(line[:0], int64(q.Anchor), 10)
		line = appendIDs(append(line, '\t'), q.Relations)
		line = appendIDs(append(line, '\t'), q.Hard)
		if split != InTrain {
			line = appendIDs(append(line, '\t'), q.Easy)
		}
		if _, err := packer.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}
	err := packer.Close()
	return content.Bytes(), err
}

func appendIDs(line []byte, ids []int32) []byte {
	for i, id := range ids {
		if i > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendInt(line, int64(id), 10)
	}
	return line
}
