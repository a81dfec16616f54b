package classify_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
)

// FuzzLoad replaces bytes of one file of a model without checksums.
func FuzzLoad(f *testing.F) {
	s := quick(classify.BLM)
	s.Epochs, s.Dim = 2, 4
	dir := filepath.Join(f.TempDir(), "model")
	if err := trained(f, friends(), s, member(classify.BLM, "1,0;0,2")).Save(dir); err != nil {
		f.Fatal(err)
	}
	dropChecksums(f, dir)
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			f.Fatal(err)
		}
	}
	names := slices.Sorted(maps.Keys(files))
	for i := range names {
		f.Add(uint(i), uint(10), uint(0), []byte{})
		f.Add(uint(i), uint(100), uint(4), []byte("-1"))
		f.Add(uint(i), uint(0), ^uint(0), []byte("{}"))
	}
	f.Fuzz(func(t *testing.T, file, at, count uint, change []byte) {
		name := names[file%uint(len(names))]
		before := files[name]
		at %= uint(len(before))
		end := at + min(count, uint(len(before))-at)
		changed := slices.Concat(before[:at], change, before[end:])
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, before, 0o644)
		m, err := classify.Load(dir)
		if err != nil {
			if !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q: want one line that names the file", err)
			}
			return
		}
		for i, table := range m.Tables {
			if slices.ContainsFunc(table, func(x float32) bool { return x-x != 0 }) {
				t.Errorf("table %d has numbers that are not finite", i)
			}
		}
		if _, err := m.Files(); err != nil {
			t.Errorf("a loaded model cannot be written: %v", err)
		}
	})
}
