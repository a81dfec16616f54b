package datasets

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// writeFiles writes files into a new folder, compresses those that end in .gz, and returns the
// folder.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if strings.HasSuffix(name, ".gz") {
			content = gzipped(t, content)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func gzipped(t testing.TB, content string) string {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(content))
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// checkError checks that an error has one line with all the given parts.
func checkError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q: want one line with %q", err, parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

var ignoreIndex = cmp.Options{cmpopts.IgnoreUnexported(Graph{}), cmp.AllowUnexported(Types{}),
	cmpopts.IgnoreFields(Graph{}, "Folder")}

func TestReadFolderForms(t *testing.T) {
	want := &Graph{
		Name:      "data",
		Entities:  []string{"São Tomé", "b", "c", "d"},
		Relations: []string{"near", "far from"},
		Train:     []Triple{{0, 0, 1}, {1, 1, 0}, {1, 1, 0}},
		Valid:     []Triple{{0, 0, 2}},
		Test:      []Triple{{3, 0, 1}},
	}
	const (
		train = "São Tomé\tnear\tb\nb\tfar from\tSão Tomé\nb\tfar from\tSão Tomé\n"
		valid = "São Tomé\tnear\tc\n"
		test  = "d\tnear\tb\n"
	)
	openKE := map[string]string{
		"entity2id.txt":   "4\nSão Tomé\t0\nc\t2\nb\t1\nd\t3\n",
		"relation2id.txt": "2\nnear\t0\nfar from\t1\n",
		"train2id.txt":    "3\n0 1 0\n1 0 1\n1\t0\t1\n",
		"valid2id.txt":    "1\n0 2 0\n",
		"test2id.txt":     "1\n3 1 0\n",
	}
	openKEPacked := make(map[string]string)
	for name, content := range openKE {
		openKEPacked[name+".gz"] = strings.ReplaceAll(content, "\n", "\r\n")
	}
	openKESpaces := maps.Clone(openKE)
	openKESpaces["relation2id.txt"] = "2 \nnear 0\nfar from 1 \n"
	for name, files := range map[string]map[string]string{
		"txt":              {"train.txt": train, "valid.txt": valid, "test.txt": test},
		"tsv":              {"train.tsv": train, "valid.tsv": valid, "test.tsv": test},
		"packed and mixed": {"train.txt.gz": train, "valid.tsv.gz": valid, "test.txt": test},
		"CRLF": {"train.txt": strings.ReplaceAll(train, "\n", "\r\n"), "valid.txt": valid,
			"test.txt": test},
		"byte-order mark": {"train.txt": "\uFEFF" + train, "valid.txt": "\uFEFF" + valid,
			"test.txt": test},
		"last line is empty": {"train.txt": train + "\n", "valid.txt": valid + "\r\n\r\n",
			"test.txt": test},
		"last line open": {"train.txt": train, "valid.txt": strings.TrimSuffix(valid, "\n"),
			"test.txt": strings.TrimSuffix(test, "\n") + "\r"},
		"txt before tsv": {"train.txt": train, "train.tsv": "x\ty\tz\n", "valid.txt": valid,
			"valid.txt.gz": "x\ty\tz\n", "test.txt": test},
		"OpenKE":             openKE,
		"OpenKE packed":      openKEPacked,
		"OpenKE with spaces": openKESpaces,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadFolder(writeFiles(t, files))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, ignoreIndex); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadFolderWithoutValidAndTest(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"missing": {"train.txt": "a\tr\tb\n"},
		"empty":   {"train.txt": "a\tr\tb\n", "valid.txt": "", "test.txt": "\n"},
		"OpenKE": {"entity2id.txt": "2\na 0\nb 1\n", "relation2id.txt": "1\nr 0\n",
			"train2id.txt": "1\n0 1 0\n"},
		"OpenKE, empty": {"entity2id.txt": "2\na 0\nb 1\n", "relation2id.txt": "1\nr 0\n",
			"train2id.txt": "1\n0 1 0\n", "test2id.txt": "0\n"},
	} {
		g, err := ReadFolder(writeFiles(t, files))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(g.Train) != 1 || g.Valid != nil || g.Test != nil {
			t.Errorf("%s: %d training triples, valid %v, test %v; want 1, nil, nil", name, len(g.Train),
				g.Valid, g.Test)
		}
	}
}

func TestReadFolderErrors(t *testing.T) {
	type files map[string]string
	openKE := func(name, content string) files {
		all := files{"entity2id.txt": "2\na 0\nb 1\n", "relation2id.txt": "1\nr 0\n",
			"train2id.txt": "1\n0 1 0\n"}
		all[name] = content
		maps.DeleteFunc(all, func(_, content string) bool { return content == "absent" })
		return all
	}
	for _, c := range []struct {
		name  string
		files files
		want  string // parts of the error, with … between them
	}{
		{"no train", files{"valid.txt": "a\tr\tb\n"},
			"data: no training triples…train.txt…train2id.txt"},
		{"empty train", files{"train.txt": "\n\n"}, "data: the training file has no triples"},
		{"two fields", files{"train.txt": "a\tr\tb\na\tr\n"},
			"train.txt:2:…2 tab-separated fields…head<TAB>relation<TAB>tail"},
		{"four fields", files{"train.txt": "a\tr\tb\tc\n"}, "train.txt:1:…4 tab-separated fields"},
		{"spaces for tabs", files{"train.txt": "a r b\n"}, "train.txt:1:…1 tab-separated fields"},
		{"empty label", files{"train.txt": "a\tr\tb\n", "test.txt": "a\t\tb\n"},
			"test.txt:1:…empty label"},
		{"empty line inside", files{"train.txt": "a\tr\tb\n\n\na\tr\tb\n"}, "train.txt:2:…empty line"},
		{"NUL", files{"train.txt": "a\tr\tb\nx\x00\tr\tb\n"}, "train.txt:2:…NUL…UTF-8"},
		{"Latin-1", files{"train.txt": "S\xe3o\tr\tb\n"}, "train.txt:1:…not valid UTF-8"},
		{"old Mac line ends", files{"train.txt": "a\tr\tb\ra\tr\tb\r"}, "train.txt:1:…carriage return"},
		{"joined files", files{"train.txt": "a\tr\tb\n\uFEFFa\tr\tb\n"},
			"train.txt:2:…byte-order mark"},
		{"endless line", files{"train.txt": "a\tr\tb\n" + strings.Repeat("x", maxLine+1)},
			"train.txt:2:…longer than"},
		{"line number in a packed file", files{"train.txt.gz": "a\tr\tb\na\n"}, "train.txt.gz:2:"},
		{"no dictionary", openKE("entity2id.txt", "absent"), "data: …entity2id.txt is missing"},
		{"no count", openKE("train2id.txt", "0 1 0\n"), `train2id.txt:1:…"0 1 0" is not a count`},
		{"negative count", openKE("train2id.txt", "-1\n"), "train2id.txt:1:…is not a count"},
		{"empty file", openKE("relation2id.txt", ""), "relation2id.txt: empty…count"},
		{"too few lines", openKE("train2id.txt", "3\n0 1 0\n"),
			"train2id.txt:1:…announces 3 lines, but 1 follow"},
		{"too many lines", openKE("train2id.txt", "1\n0 1 0\n1 0 0\n"),
			"train2id.txt:3:…announces 1 lines"},
		{"empty OpenKE train", openKE("train2id.txt", "0\n"), "data: the training file has no triples"},
		{"head out of range", openKE("train2id.txt", "1\n2 1 0\n"),
			"train2id.txt:2:…head 2 is out of range…0 to 1"},
		{"negative tail", openKE("train2id.txt", "1\n0 -1 0\n"),
			"train2id.txt:2:…tail -1 is out of range"},
		{"relation out of range", openKE("train2id.txt", "1\n0 1 1\n"),
			"train2id.txt:2:…relation 1 is out of range…0 to 0"},
		{"id that overflows", openKE("train2id.txt", "1\n0 4294967296 0\n"),
			`train2id.txt:2:…tail "4294967296"`},
		{"labels in a triple", openKE("train2id.txt", "1\na b r\n"),
			`train2id.txt:2:…head "a" is not a number`},
		{"two ids in a triple", openKE("train2id.txt", "1\n0 1\n"),
			"train2id.txt:2:…2 fields…head, tail and relation"},
		{"duplicate id", openKE("entity2id.txt", "2\na 0\nb 0\n"),
			"entity2id.txt:3:…id 0 is already on line 2"},
		{"duplicate label", openKE("entity2id.txt", "2\na 0\na 1\n"),
			`entity2id.txt:3:…label "a" is already on line 2`},
		{"id beyond the count", openKE("entity2id.txt", "2\na 0\nb 2\n"),
			"entity2id.txt:3:…id 2 is out of range"},
		{"label without id", openKE("entity2id.txt", "2\na\nb 1\n"), "entity2id.txt:2:…label<TAB>id"},
		{"tab in a label", openKE("entity2id.txt", "2\na\tx\t0\nb 1\n"), "entity2id.txt:2:…tab inside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFiles(t, c.files)
			_, err := ReadFolder(dir)
			checkError(t, err, strings.Split(c.want, "…")...)
			if err != nil && !strings.HasPrefix(err.Error(), dir) {
				t.Errorf("error %q does not begin with the folder", err)
			}
		})
	}
}

func TestReadFolderDamagedGzip(t *testing.T) {
	dir := writeFiles(t, nil)
	whole := gzipped(t, strings.Repeat("a\tr\tb\n", 1000))
	for name, content := range map[string]string{"not a gzip file": "a\tr\tb\n",
		"cannot be read": whole[:len(whole)-10]} {
		if err := os.WriteFile(filepath.Join(dir, "train.txt.gz"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFolder(dir)
		checkError(t, err, "train.txt.gz", name)
	}
}

func TestReadFolderOfAFileNamesSplit(t *testing.T) {
	file := filepath.Join(writeFiles(t, map[string]string{"facts.tsv": "a\tr\tb\n"}), "facts.tsv")
	if _, err := ReadFolder(file); !errors.Is(err, ErrNotFolder) {
		t.Errorf("error %v: want one that says that it is a file", err)
	}
}

// TestReadFS checks that a file system gives the graph of a folder with the same files.
func TestReadFS(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"tab": {"train.tsv": "a\tr\tb\nb\tr\tc\n", "valid.txt.gz": "a\tr\tc\n"},
		"OpenKE": {
			"entity2id.txt": "2\na\t0\nb\t1\n", "relation2id.txt": "1\nr\t0\n",
			"train2id.txt": "1\n0 1 0\n",
		},
	} {
		want, err := ReadFolder(writeFiles(t, files))
		if err != nil {
			t.Fatal(err)
		}
		fsys := fstest.MapFS{}
		for name, content := range files {
			if strings.HasSuffix(name, ".gz") {
				content = gzipped(t, content)
			}
			fsys[name] = &fstest.MapFile{Data: []byte(content)}
		}
		got, err := ReadFS(fsys, "mine")
		if err != nil || got.Name != "mine" || got.Source() != "" {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if got.Fingerprint() != want.Fingerprint() {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	_, err := ReadFS(fstest.MapFS{"train.txt": {Data: []byte("a\tb\n")}}, "mine")
	checkError(t, err, "mine/train.txt:1: ")
	_, err = ReadFS(fstest.MapFS{"train.txt": {Mode: fs.ModeDir}}, "mine")
	checkError(t, err, "train.txt is not a file")
	_, err = ReadFS(fstest.MapFS{}, "mine")
	checkError(t, err, "mine: no training triples")
}

// TestDefectsAtOnce: one error has all kinds of lines that are not triples, with their first lines
// and numbers.
func TestDefectsAtOnce(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"train.txt": "# a\n# b\nx\tr\ty\n\n\nx\tr\tz\t2\n\nx\tr\tz\n\n",
	})
	_, err := ReadFolder(dir)
	if !errors.Is(err, ErrMalformed) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"train.txt:1: comment line; remove it (2 such lines)",
		"train.txt:6: found 4 tab-separated fields;",
		"train.txt:4: empty line in the middle of the file; remove it (3 such lines)",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %q", want, err)
		}
	}
}
