package facts

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
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
	".nq": NQuads, ".ttl": Turtle, ".turtle": Turtle, ".n3": Turtle, ".parquet": Parquet, ".pq": Parquet,
}

// otherFormats has formats that are not read, by the endings of file names.
var otherFormats = map[string]string{
	".jsonld": "JSON-LD", ".rdf": "XML", ".owl": "XML", ".xml": "XML", ".trig": "TriG", ".hdt": "HDT",
}

const toNTriples = "convert it to N-Triples or Turtle, for example with riot of Apache Jena"

// packing returns the program that packed a file with this beginning, "" if none is known.
func packing(start []byte) string {
	for _, p := range []struct {
		program string
		at      int
		magic   string
	}{
		{"xz", 0, "\xfd7zXZ\x00"}, {"bzip2", 4, "1AY&SY"}, {"zip", 0, "PK\x03\x04"},
		{"7-Zip", 0, "7z\xbc\xaf\x27\x1c"}, {"tar", 257, "ustar"},
	} {
		if len(start) > p.at && bytes.HasPrefix(start[p.at:], []byte(p.magic)) {
			return p.program
		}
	}
	return ""
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

// OtherFormat returns an error with a fix if a name has the ending of a format that is not read.
func OtherFormat(path string) error {
	if other := otherFormats[ending(path)]; other != "" {
		return fmt.Errorf("it is %s: %s", other, toNTriples)
	}
	return nil
}

// recognize returns the format of the option, of the name or of the content.
func (r *reader) recognize() (string, error) {
	if r.Format != Auto && r.Format != "" {
		return r.Format, nil
	}
	if format := endings[ending(r.path)]; format != "" {
		return format, nil
	}
	if err := OtherFormat(r.path); err != nil {
		return "", err
	}
	start, err := r.peek()
	if err != nil {
		return "", err
	}
	switch {
	case bytes.HasPrefix(start, []byte(parquetMagic)):
		return Parquet, nil
	case packing(start) != "":
		return "", fmt.Errorf("it is packed by %s: unpack it, only gzip and zstd are read", packing(start))
	case isUTF16(start):
		return "", errUTF16
	case bytes.IndexByte(start, 0) >= 0:
		return "", errors.New("it is neither text nor Parquet; save it as UTF-8 text")
	}
	return r.guessFormat(start), nil
}

var errUTF16 = errors.New("it is UTF-16: save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8")

// isUTF16 reports whether a text begins with the mark of UTF-16.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff"))
}

// isOneArray matches the beginning of an array of objects or arrays.
var isOneArray = regexp.MustCompile(`^\[\s*[\[{]`)

// foreign returns an error that says how to convert a text of a common format that is not read.
func foreign(start []byte) error {
	text := bytes.TrimSpace(start)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	switch first = bytes.TrimSpace(first); {
	case isUTF16(start):
		return errUTF16
	case bytes.HasPrefix(text, []byte("<?xml")), bytes.HasPrefix(text, []byte("<rdf:RDF")):
		return errors.New("it is XML: " + toNTriples)
	case string(first) == "[", string(first) == "{":
		return errors.New("it is JSON over several lines: write each object on a line of its own, for example " +
			"with jq -c '.[]'")
	case isOneArray.Match(first):
		return errors.New("it is one array of JSON: write each of its values on a line of its own, for " +
			"example with jq -c '.[]'")
	}
	return nil
}
