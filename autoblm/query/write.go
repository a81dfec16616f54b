package query

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// WriteFolder writes the graph, the types of its entities and the queries to a folder for [ReadFolder]. It creates the folder
// atomically and refuses a folder that has queries.
func (d *Data) WriteFolder(dir string) error {
	if err := errors.Join(CanWrite(dir), checkReverses(d.Name, d.Relations)); err != nil {
		return err
	}
	files := []atomicfile.File{
		{Name: entitiesFile, Content: numbered(d.Entities, "")},
		{Name: relationsFile, Content: numbered(d.Relations, reverseSuffix)},
	}
	if d.types != nil {
		files = append(files, atomicfile.File{
			Name:  datasets.TypesFile,
			Write: func(w io.Writer) error { return d.types.Write(w, d.Entities) },
		})
	}
	// train-1p comes last: it marks a complete folder.
	for split := Split(splits - 1); split >= InTrain; split-- {
		for _, hops := range slices.Backward(slices.Compact(append([]int{1}, d.Hops(split)...))) {
			content, err := d.compressed(split, hops)
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

// CanWrite returns an error if [Data.WriteFolder] would refuse a folder, since it has queries or
// labels of other data.
func CanWrite(dir string) error {
	if hasQueries(dir) {
		return fmt.Errorf("%s already holds queries: name another folder", dir)
	}
	for _, file := range []string{entitiesFile, relationsFile, datasets.TypesFile} {
		if datasets.HasFile(dir, file) {
			return fmt.Errorf(
				"%s has a file %s that is not of queries, and not overwritten: name another folder",
				dir, file)
		}
	}
	return outfile.CheckFolder(dir)
}

// numbered returns lines of id<TAB>name. With a suffix, each is followed by a line for its reverse.
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

// compressed returns a file of queries, or nil without queries. Missing queries of one hop are
// taken from the graph: they are its edges.
func (d *Data) compressed(split Split, hops int) ([]byte, error) {
	queries := d.Queries(split, hops)
	if queries == nil {
		queries, _ = d.sampler(Sample{Split: split, Hops: hops}).pairs(context.Background())
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
