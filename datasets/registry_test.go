package datasets

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestRegistryIsComplete(t *testing.T) {
	sum := regexp.MustCompile(`^([0-9a-f]{64}|[0-9a-f]{40})$`)
	address := regexp.MustCompile(`^https://`)
	names := make(map[string]bool)
	for _, b := range Registry() {
		if names[b.Name] || b.Name == worldName {
			t.Errorf("the name %s is given twice", b.Name)
		}
		names[b.Name] = true
		for i, split := range splitNames {
			if !sum.MatchString(b.Sums[i]) {
				t.Errorf("%s: the checksum %q of %s is neither a SHA-256 digest nor a git blob id", b.Name,
					b.Sums[i], split)
			}
		}
		if len(b.Addresses) == 0 || b.Licence == "" {
			t.Errorf("%s lacks addresses or a licence", b.Name)
		}
		for _, a := range b.Addresses {
			if !address.MatchString(a) {
				t.Errorf("%s: %q is no https address", b.Name, a)
			}
		}
	}
}

// unseenTriples counts the valid and test triples with an entity that train lacks. PyKEEN drops
// them, as its published counts show: 2,824 and 2,924 of 3,034 and
// 3,134 for WN18RR, 17,526 and 20,438 of 17,535 and 20,466 for FB15k-237.
var unseenTriples = map[string][2]int{"wn18rr": {210, 210}, "fb15k-237": {9, 28}}

func TestBenchmarksAreAsRegistered(t *testing.T) {
	for _, b := range Registry() {
		t.Run(b.Name, func(t *testing.T) {
			if b.Name == "yago3-10" && os.Getenv(dataVariable) != "" {
				if _, err := Open(b.Name); err != nil {
					t.Skipf("yago3-10 is not complete here: %v", err)
				}
			}
			g := openReal(t, b.Name)
			s := Describe(g)
			got := [5]int{s.Entities, s.Relations, s.Train.Triples, s.Valid.Triples, s.Test.Triples}
			if want := [5]int{b.Entities, b.Relations, b.Train, b.Valid, b.Test}; got != want {
				t.Errorf("entities, relations, train, valid, test: %v, registered %v", got, want)
			}
			unseen := [2]int{s.Valid.Unseen, s.Test.Unseen}
			if s.Train.Duplicates+s.Valid.Duplicates+s.Test.Duplicates+s.InSeveralSplits != 0 ||
				unseen != unseenTriples[b.Name] {
				t.Errorf("%+v: want no duplicates and the unseen triples %v", s, unseenTriples[b.Name])
			}
			unpacked := map[string][]byte{}
			for _, split := range splitNames {
				text, err := inFolder(filepath.Join(os.Getenv(dataVariable), b.Name)).first(split + ".txt")
				if err != nil {
					t.Fatal(err)
				}
				defer text.Source.Close()
				if unpacked[split], err = io.ReadAll(text.Source); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.verify(unpacked); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDigests compares digests with those of `git hash-object` and `sha256sum`.
func TestDigests(t *testing.T) {
	for want, content := range map[string]string{
		"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391": "",
		// the Git book
		"3b18e512dba79e4c8300dd08aeb37f8e728b8dad":                         "hello world\n",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855": "",
		"a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447": "hello world\n",
	} {
		if got := digest([]byte(content), len(want)); got != want {
			t.Errorf("the digest of %q is %s, want %s", content, got, want)
		}
	}
}

// TestNoDigestNoData checks that a split without a digest is refused.
func TestNoDigestNoData(t *testing.T) {
	splits, err := unpackSplits(zipOf(t, splitsAt("")...))
	if err != nil {
		t.Fatal(err)
	}
	b := smallBenchmark()
	b.Sums[1] = ""
	checkError(t, b.verify(splits), "valid.txt is not the file of small")
}
