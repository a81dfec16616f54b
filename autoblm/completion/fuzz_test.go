package completion_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
)

// FuzzLoadEnsemble replaces bytes of one file of an ensemble. Only model.json of the ensemble may
// change without an error, because it has the checksums of the other files.
func FuzzLoadEnsemble(f *testing.F) {
	files, err := ensemble(f, variedModels(f)[:2]...).Files()
	if err != nil {
		f.Fatal(err)
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
		damaged := maps.Clone(files)
		damaged[name] = slices.Concat(before[:at], change, before[end:])
		e, err := completion.LoadEnsembleFiles(damaged)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error %q has several lines", err)
			}
			return
		}
		if name != "model.json" && !slices.Equal(damaged[name], before) {
			t.Errorf("%s changed without an error", name)
		}
		if _, err := e.Files(); err != nil {
			t.Errorf("a loaded ensemble cannot be written: %v", err)
		}
	})
}
