package exchange

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// Table is a table of embeddings with a label for each row.
type Table = kge.LabelledTable

// Format is a format of files with embeddings.
type Format string

// The formats of [Export].
const (
	TSV         Format = "tsv"
	Word2Vec    Format = "word2vec"
	Parquet     Format = "parquet"
	Safetensors Format = "safetensors"
	NumPy       Format = "npy"
)

// files returns the files of tables in a format.
var files = map[Format]func(tables []Table) ([]atomicfile.File, error){
	TSV:         perTable(".tsv", writeTSV),
	Word2Vec:    perTable(".txt", writeWord2Vec),
	Parquet:     perTable(".parquet", writeParquet),
	Safetensors: safetensorsFile,
	NumPy:       numpyFiles,
}

// Formats returns the names of the formats.
func Formats() []string {
	return []string{
		string(TSV), string(Word2Vec), string(Parquet), string(Safetensors), string(NumPy),
	}
}

// Export writes the embeddings of a model, with their labels, into a folder, and returns the paths
// of the files. It replaces no file: it is an error if the folder has one of these.
func Export(m *kge.Model, format Format, dir string) ([]string, error) {
	prepare := files[format]
	if prepare == nil {
		return nil, enum.Unknown("format", string(format), Formats())
	}
	written, err := prepare(m.LabelledTables())
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, file := range written {
		path := filepath.Join(dir, file.Name)
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s is there already: use another folder, or remove it", path)
		}
		paths = append(paths, path)
	}
	if err := atomicfile.WriteFolder(dir, written); err != nil {
		return nil, fmt.Errorf("cannot write the embeddings into %s: %w", filepath.Clean(dir), err)
	}
	return paths, nil
}

// perTable returns a function that writes each table into its own file.
func perTable(
	suffix string, write func(io.Writer, Table) error,
) func([]Table) ([]atomicfile.File, error) {
	return func(tables []Table) (all []atomicfile.File, err error) {
		for _, t := range tables {
			if suffix == ".txt" {
				if t, err = withWords(t); err != nil {
					return nil, err
				}
			}
			all = append(all, atomicfile.File{
				Name: t.Name + suffix, Write: func(w io.Writer) error { return write(w, t) },
			})
		}
		return all, nil
	}
}

// numpyFiles returns an array and a file of labels for each table.
func numpyFiles(tables []Table) (all []atomicfile.File, err error) {
	for _, t := range tables {
		if at, err := labels.Check(t.Labels); err != nil {
			return nil, fmt.Errorf("label %d of %s: %w", at+1, t.Name, err)
		}
		all = append(all,
			atomicfile.File{Name: t.Name + ".txt", Content: labels.Encode(t.Labels)},
			atomicfile.File{Name: t.Name + ".npy", Write: func(w io.Writer) error {
				_, err := w.Write(npy.Encode(t.Numbers, len(t.Labels), t.Columns))
				return err
			}})
	}
	return all, nil
}
