package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type member struct{ name, content string }

func tarGzipOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := tar.NewWriter(&packed)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.content)),
			Typeflag: tar.TypeReg}
		if strings.HasSuffix(m.name, "/") {
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
		file, err := writer.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(m.content)); err != nil {
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
			got, err := unpackSplits(archive)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string][]byte{"train": []byte("a\tr\tb\nb\tr\ta\n"),
				"valid": []byte("a\tr\ta\n"), "test": []byte("b\tr\tb\n")}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestUnpackRefuses(t *testing.T) {
	whole := tarGzipOf(t, splitsAt("")...)
	dense := string(make([]byte, 17<<20))
	tooLarge := "unpacks to more than 16777216 bytes, the limit for its size"
	for name, c := range map[string]struct {
		archive []byte
		want    string
	}{
		"several data sets": {tarGzipOf(t, append(splitsAt("FB15K/"), splitsAt("WN18/")...)...),
			"several data sets"},
		"no test": {zipOf(t, splitsAt("")[:2]...), "no test.txt"},
		"a large other member in tar": {
			tarGzipOf(t, append(splitsAt(""), member{name: "x.bin", content: dense})...), tooLarge},
		"a large split in zip": {zipOf(t, member{name: "train.txt", content: dense}), tooLarge},
		"a member with a line end in its name": {
			zipOf(t, member{name: "d\nta/train.txt", content: dense}), `"d\nta/train.txt": `},
		"a web page":                 {[]byte("<html>moved</html>"), "neither a .tar.gz nor a .zip"},
		"nothing":                    {nil, "neither a .tar.gz nor a .zip"},
		"a cut tar":                  {whole[:len(whole)/2], "damaged"},
		"a cut zip":                  {zipOf(t, splitsAt("")...)[:60], "damaged"},
		"a gzip file that is no tar": {[]byte(gzipped(t, strings.Repeat("a\tr\tb\n", 300))), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := unpackSplits(c.archive)
			checkError(t, err, c.want)
		})
	}
}
