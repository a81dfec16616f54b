package datasets

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/textfile"
	"github.com/google/go-cmp/cmp"
)

func textOf(path, content string) *textfile.File {
	return &textfile.File{Path: path, Source: io.NopCloser(strings.NewReader(content))}
}

func FuzzReadTab(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "a\tr\tb\n", "a\tr\tb", "a\tr\tb\r\n\r\n", "\uFEFFa\tr\tb\n", "a\tr\ta\na\tr\ta\n",
		"a\tr\n", "a\t\tb\n", "a\tr\tb\n\nc\tr\td\n", "\x00\t\xff\t\r", "a\tr\tb\rc\tr\td\r",
		"\xff\xfea\x00", "a\tr\tb\t1\nb\tr\ta\t-1\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		labels := newLabels()
		triples, falses, err := readTab(textOf("train.txt", content), labels)
		checkReadByLine(t, content, triples, labels, err)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") { // one for each kind of fault
				if !strings.HasPrefix(line, "train.txt:") {
					t.Fatalf("error %q: want lines that begin with the file's name", err)
				}
			}
			return
		}
		if len(triples) == 0 {
			if len(falses) == 0 && strings.Trim(strings.TrimPrefix(content, "\uFEFF"), "\r\n") != "" {
				t.Fatalf("nothing was read from %q", content)
			}
			return
		}
		g := &Graph{Name: "data", Entities: labels.entities.labels, Relations: labels.relations.labels,
			Train: triples}
		checkWrittenIsReadBack(t, g)
	})
}

// checkReadByLine checks that blocks in parallel give what reading line by line gives: triples,
// labels and error.
func checkReadByLine(
	t *testing.T, content string, triples []Triple, labels *graphLabels, failed error,
) {
	t.Helper()
	want := newLabels()
	byLine, _, err := readLines(textOf("train.txt", content), want)
	if err != nil {
		if failed == nil || failed.Error() != err.Error() {
			t.Fatalf("the error is %v, want %v", failed, err)
		}
		return
	}
	if failed != nil || !slices.Equal(triples, byLine) ||
		!slices.Equal(labels.entities.labels, want.entities.labels) ||
		!slices.Equal(labels.relations.labels, want.relations.labels) {
		t.Fatalf("%d triples of %d labels, %v; line by line %d of %d, or others", len(triples),
			len(labels.entities.labels), failed, len(byLine), len(want.entities.labels))
	}
}

// TestBlocks checks files of several blocks, also with a fault in a late one.
func TestBlocks(t *testing.T) {
	var all strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&all, "entity %d\trelation %d\tentity %d\n", i/7, i%11, i*7919%30_011)
	}
	text := all.String()
	if len(text) < 5*blockSize {
		t.Fatalf("%d bytes are too few", len(text))
	}
	at := strings.LastIndexByte(text[:4*blockSize], '\n') + 1
	for name, content := range map[string]string{
		"sound":            text,
		"open end":         strings.TrimSuffix(text, "\n"),
		"empty lines":      text + "\n\n",
		"CRLF":             strings.ReplaceAll(text, "\n", "\r\n"),
		"mark at start":    "\uFEFF" + text,
		"mark inside":      text[:at] + "\uFEFF" + text[at:],
		"two fields":       text[:at] + "a\tb\n" + text[at:],
		"four fields":      text[:at] + "a\tb\tc\td\n" + text[at:],
		"empty line":       text[:at] + "\n" + text[at:],
		"NUL":              text[:at] + "a\tb\tc\x00\n" + text[at:],
		"Latin-1":          text[:at] + "a\tb\t\xe9\n" + text[at:],
		"carriage return":  text[:at] + "a\tb\tc\rd\n" + text[at:],
		"line of a block":  text[:at] + "a\tb\t" + strings.Repeat("c", blockSize) + "\n" + text[at:],
		"line without end": text[:at] + "a\tb\t" + strings.Repeat("c", maxLine) + "\n" + text[at:],
	} {
		t.Run(name, func(t *testing.T) {
			labels := newLabels()
			triples, _, err := readTab(textOf("train.txt", content), labels)
			checkReadByLine(t, content, triples, labels, err)
		})
	}
}

func FuzzReadOpenKE(f *testing.F) {
	f.Add("2\na\t0\nb\t1\n", "1\nr\t0\n", "1\n0 1 0\n")
	f.Add("1\na b\t0\r\n", "1\nr s 0\n", "2\n0 0 0\n0 0 0\n")
	f.Add("2147483647\na 2147483646\n", "0\n", "0\n")
	f.Add("\uFEFF1\na 0\n", "1\nr 0\n", "-1\n")
	f.Add("1\n\t0\n", "1\nr\n", "1\n0 0\n")
	f.Add("2\na 0\na 1\n", "x\n", "")
	f.Fuzz(func(t *testing.T, entities, relations, train string) {
		g := &Graph{Name: "data"}
		var err error
		if g.Entities, err = readOpenKELabels(textOf("file.txt", entities)); err != nil {
			return
		}
		if g.Relations, err = readOpenKELabels(textOf("file.txt", relations)); err != nil {
			return
		}
		g.Train, err = readOpenKETriples(textOf("file.txt", train), len(g.Entities), len(g.Relations))
		if err != nil || len(g.Train) == 0 {
			return
		}
		// In the tab form the ids follow the first appearance.
		renumbered := &Graph{Name: g.Name, Train: append([]Triple(nil), g.Train...)}
		renumber(renumbered, g)
		for i, now := range renumbered.Train {
			before := g.Train[i]
			if renumbered.Entities[now.Head] != g.Entities[before.Head] ||
				renumbered.Relations[now.Relation] != g.Relations[before.Relation] ||
				renumbered.Entities[now.Tail] != g.Entities[before.Tail] {
				t.Fatalf("triple %d has other labels than before", i)
			}
		}
		checkWrittenIsReadBack(t, renumbered)
	})
}

func checkWrittenIsReadBack(t *testing.T, g *Graph) {
	t.Helper()
	dir := writeFiles(t, nil)
	if err := WriteFolder(g, dir); err != nil {
		t.Fatal(err)
	}
	back, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(g, back, ignoreIndex); diff != "" {
		t.Fatalf("written and read back (-want +got)\n%s", diff)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(tarGzipOf(f, splitsAt("data/")...))
	f.Add(zipOf(f, splitsAt("data/")...))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		splits, err := unpackSplits(archive)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error %q has several lines", err)
			}
			return
		}
		if len(splits) != 3 {
			t.Errorf("%d splits", len(splits))
		}
	})
}

// FuzzReadCompressed reads a folder with a damaged .gz file.
func FuzzReadCompressed(f *testing.F) {
	packed := gzipped(f, "a\tr\tb\nb\tr\tc\n")
	f.Add([]byte(packed))
	f.Add([]byte(packed + packed))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := writeFiles(t, nil)
		if err := os.WriteFile(filepath.Join(dir, "train.txt.gz"), content, 0o644); err != nil {
			t.Fatal(err)
		}
		g, err := ReadFolder(dir)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") { // one for each kind of fault
				if !strings.Contains(line, dir) {
					t.Fatalf("error %q: want lines that name the file", err)
				}
			}
			return
		}
		checkWrittenIsReadBack(t, &Graph{
			Name: "data", Entities: g.Entities, Relations: g.Relations, Train: g.Train,
		})
	})
}
