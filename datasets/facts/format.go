package facts

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
)

// Formats, by the name of the option.
const (
	Auto      = "auto"
	TSV       = "tsv"
	CSV       = "csv"
	JSONLines = "jsonl"
	NTriples  = "nt"
	NQuads    = "nq"
	Turtle    = "ttl"
	Parquet   = "parquet"
)

// endings has the formats of file names. A .txt may have any of the formats of text.
var endings = map[string]string{
	".tsv": TSV, ".csv": CSV, ".jsonl": JSONLines, ".ndjson": JSONLines, ".nt": NTriples,
	".nq": NQuads, ".ttl": Turtle, ".parquet": Parquet, ".pq": Parquet,
}

// packings has the endings of packed files.
var packings = []string{".gz", ".zst"}

// Unpacked returns a path without the endings of packings.
func Unpacked(path string) string {
	for _, packing := range packings {
		path = strings.TrimSuffix(path, packing)
	}
	return path
}

// ending returns the ending of a name, without that of a packing.
func ending(path string) string { return strings.ToLower(filepath.Ext(Unpacked(path))) }

// CanRead reports whether a name has the ending of a format.
func CanRead(path string) bool { return endings[ending(path)] != "" }

// recognize returns the format of the option, of the name or of the content.
func (r *reader) recognize() (string, error) {
	if r.Format != Auto && r.Format != "" {
		return r.Format, nil
	}
	if format := endings[ending(r.path)]; format != "" {
		return format, nil
	}
	start, err := r.peek()
	if err != nil {
		return "", err
	}
	switch {
	case bytes.HasPrefix(start, []byte(parquetMagic)):
		return Parquet, nil
	case bytes.IndexByte(start, 0) >= 0:
		return "", errors.New("it is neither text nor Parquet; save it as UTF-8 text")
	}
	return r.guessFormat(start), nil
}
