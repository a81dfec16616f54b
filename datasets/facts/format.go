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
	if err := foreign(start); err != nil {
		return "", err
	}
	return r.guessFormat(start), nil
}

// foreign returns an error that says how to convert a text of a common format that is not read.
func foreign(start []byte) error {
	text := bytes.TrimSpace(start)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	switch first = bytes.TrimSpace(first); {
	case bytes.HasPrefix(text, []byte("<?xml")), bytes.HasPrefix(text, []byte("<rdf:RDF")):
		return errors.New("it is XML: convert it to N-Triples or Turtle, for example with riot of Apache Jena")
	case string(first) == "[", string(first) == "{":
		return errors.New("it is JSON over several lines: write each object on a line of its own, for example " +
			"with jq -c '.[]'")
	}
	return nil
}
