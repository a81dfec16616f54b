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
	return guess(start, r.Comment)
}

// guess returns the format of the beginning of a file.
func guess(start []byte, comment string) (string, error) {
	if bytes.HasPrefix(start, []byte(parquetMagic)) {
		return Parquet, nil
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return "", errors.New("it is neither text nor Parquet; save it as UTF-8 text")
	}
	for line := range bytes.Lines(bytes.TrimPrefix(start, []byte("\uFEFF"))) {
		trimmed := strings.TrimSpace(string(line))
		if trimmed == "" || comment != "" && strings.HasPrefix(trimmed, comment) {
			continue
		}
		return guessLine(trimmed, bytes.IndexByte(line, '\t') >= 0), nil
	}
	return TSV, nil
}

func guessLine(line string, hasTab bool) string {
	lower := strings.ToLower(line)
	switch {
	case line[0] == '{' || line[0] == '[' && strings.HasSuffix(line, "]"):
		return JSONLines
	case strings.HasPrefix(lower, "@prefix") || strings.HasPrefix(lower, "@base") ||
		strings.HasPrefix(lower, "prefix ") || strings.HasPrefix(lower, "base "):
		return Turtle
	case (line[0] == '<' || strings.HasPrefix(line, "_:")) && strings.HasSuffix(line, "."):
		return NQuads
	case hasTab:
		return TSV
	}
	return CSV
}
