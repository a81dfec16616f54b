package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type member struct {
	name, content string
	link          string // target, for a symbolic link
}

func tarGzipOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := tar.NewWriter(&packed)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.content)),
			Typeflag: tar.TypeReg}
		switch {
		case m.link != "":
			header.Typeflag, header.Linkname = tar.TypeSymlink, m.link
		case strings.HasSuffix(m.name, "/"):
			header.Typeflag = tar.TypeDir
		}
		if err := writer.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(gzipped(t, packed.String()))
}

func zipOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		content := m.content
		if m.link != "" {
			header.SetMode(fs.ModeSymlink | 0o777)
			content = m.link
		}
		file, err := writer.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// splitsAt returns the three splits under the names that archives use.
func splitsAt(prefix string) []member {
	return []member{
		{name: prefix + "train.txt", content: "a\tr\tb\r\nb\tr\ta\r\n"},
		{name: prefix + "valid.txt", content: "a\tr\ta\n"},
		{name: prefix + "test.txt", content: "b\tr\tb\n"},
	}
}

// unpack unpacks an archive and returns the folder. It checks that no file is written outside.
func unpack(t *testing.T, archive []byte, limits unpackLimits) (dir string, err error) {
	t.Helper()
	parent := t.TempDir()
	dir = filepath.Join(parent, "inner")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	err = unpackSplits(path, dir, limits)
	entries, readErr := os.ReadDir(parent)
	if readErr != nil || len(entries) != 1 {
		t.Errorf("the archive wrote out of its folder: %v %v", entries, readErr)
	}
	return dir, err
}

func TestUnpackFindsSplits(t *testing.T) {
	for name, archive := range map[string][]byte{
		"WN18": tarGzipOf(t, append(splitsAt("wordnet-mlj12/wordnet-mlj12-"),
			member{name: "wordnet-mlj12/wordnet-mlj12-definitions.txt"})...),
		"FB15k": tarGzipOf(t, append([]member{{name: "FB15k/"}},
			splitsAt("FB15k/freebase_mtr100_mte100-")...)...),
		"FB15k-237": zipOf(t, append([]member{{name: "Release/"},
			{name: "Release/text_cvsc.txt", content: strings.Repeat("x", 1<<20)}}, splitsAt(
			"Release/")...)...),
		"no folder":        zipOf(t, splitsAt("")...),
		"./":               tarGzipOf(t, splitsAt("./")...),
		"underscore":       tarGzipOf(t, splitsAt("data/my_")...),
		"macOS attributes": tarGzipOf(t, append(splitsAt("umls/._"), splitsAt("umls/")...)...),
		"OpenKE beside": tarGzipOf(t, append(splitsAt("umls/"),
			member{name: "umls/train2id.txt", content: "0"}, member{name: "umls/constrain.txt"})...),
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := unpack(t, archive, unpackLimits{member: 1 << 10, total: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			for split, want := range map[string]string{"train": "a\tr\tb\nb\tr\ta\n", "valid": "a\tr\ta\n",
				"test": "b\tr\tb\n"} {
				got, err := os.ReadFile(filepath.Join(dir, split+".txt"))
				if err != nil || string(got) != want {
					t.Errorf("%s holds %q (%v), want %q", split, got, err, want)
				}
			}
		})
	}
}

func TestUnpackRefuses(t *testing.T) {
	huge := strings.Repeat("a\tr\tb\n", 1<<16)
	lying := tarGzipOf(t, splitsAt("")...)
	with := func(m member) []member { return append([]member{m}, splitsAt("data/")...) }
	for _, c := range []struct {
		name    string
		archive []byte
		want    string
	}{
		{"a tar member above the folder", tarGzipOf(t,
			with(member{name: "../train.txt", content: "x"})...), "points out of the folder"},
		{"a tar member far above", tarGzipOf(t, with(member{name: "data/../../x", content: "x"})...),
			"points out of the folder"},
		{"an absolute tar member", tarGzipOf(t, with(member{name: "/etc/train.txt", content: "x"})...),
			"points out of the folder"},
		{"a backslash path", tarGzipOf(t, with(member{name: `..\train.txt`, content: "x"})...),
			"points out of the folder"},
		{"a zip member above the folder", zipOf(t, with(member{name: "../train.txt", content: "x"})...),
			"points out of the folder"},
		{"an absolute zip member", zipOf(t, with(member{name: "/train.txt", content: "x"})...),
			"points out of the folder"},
		{"a link in tar", tarGzipOf(t, with(member{name: "train.txt", link: "/etc/passwd"})...),
			"a link or a device"},
		{"a link in zip", zipOf(t, with(member{name: "train.txt", link: "/etc/passwd"})...),
			"a link or a device"},
		{"several data sets", tarGzipOf(t, append(splitsAt("FB15K/"), splitsAt("WN18/")...)...),
			"several data sets"},
		{"no test", zipOf(t, splitsAt("")[:2]...), "no test.txt"},
		{"a large split in tar", tarGzipOf(t, member{name: "train.txt", content: huge}),
			"unpacks to more than"},
		{"a large split in zip", zipOf(t, member{name: "train.txt", content: huge}),
			"unpacks to more than"},
		{"a large other member in tar", tarGzipOf(t, with(member{name: "text.txt", content: huge})...),
			"unpacks to more than"},
		{"a member with a line end in its name", zipOf(t, member{name: "d\nta/train.txt", content: huge}),
			`"d\nta/train.txt": `},
		{"a web page", []byte("<html>moved</html>"), "neither a .tar.gz nor a .zip"},
		{"nothing", nil, "empty"},
		{"a cut tar", lying[:len(lying)/2], "damaged"},
		{"a cut zip", zipOf(t, splitsAt("")...)[:60], "damaged"},
		{"a gzip file that is no tar", []byte(gzipped(t, huge[:2000])), "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := unpack(t, c.archive, unpackLimits{member: 1 << 10, total: 1 << 14})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// The zip announces a small size in its headers and contains a larger file.
func TestUnpackDoesNotTrustTheSizeInTheHeader(t *testing.T) {
	content := strings.Repeat("a\tr\tb\n", 1<<12)
	archive := zipOf(t, append([]member{{name: "train.txt", content: content}},
		splitsAt("")[1:]...)...)
	size := []byte{byte(len(content)), byte(len(content) >> 8), byte(len(content) >> 16), 0}
	if bytes.Count(archive, size) == 0 {
		t.Fatal("the size is not in the headers")
	}
	archive = bytes.ReplaceAll(archive, size, []byte{8, 0, 0, 0})
	dir, err := unpack(t, archive, unpackLimits{member: 1 << 10, total: 1 << 20})
	if err == nil {
		t.Error("no error")
	}
	if info, statErr := os.Stat(filepath.Join(dir, "train.txt")); statErr == nil &&
		info.Size() > 1<<10 {
		t.Errorf("%d bytes were written, more than the limit", info.Size())
	}
}

// TestDenseArchive checks the limit on the unpacked size, relative to the archive.
func TestDenseArchive(t *testing.T) {
	members := append(splitsAt(""), member{name: "train2.bin", content: string(make([]byte, 17<<20))})
	for name, archive := range map[string][]byte{"tar": tarGzipOf(t, members...),
		"zip": zipOf(t, append(splitsAt("")[1:],
			member{name: "train.txt", content: string(make([]byte, 17<<20))})...)} {
		if _, err := unpack(t, archive, archiveLimits); err == nil ||
			!strings.Contains(err.Error(), "unpacks to more than 16777216 bytes, the limit for an archive "+
				"of its size") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
