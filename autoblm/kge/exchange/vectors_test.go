package exchange

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestReadsItsExports reads what Export writes.
func TestReadsItsExports(t *testing.T) {
	m := labelled()
	want := m.LabelledTables()
	for _, format := range []Format{Word2Vec, Safetensors, NumPy} {
		files, err := Export(m, format, filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		got := map[string]Table{}
		for _, file := range files {
			if format == NumPy && filepath.Ext(file) == ".txt" {
				continue
			}
			tables, err := ReadTables(file)
			require.NoError(t, err)
			for _, table := range tables {
				got[table.Name] = table
			}
		}
		for _, table := range want {
			if format == Word2Vec {
				if table, err = withWords(table); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(got[table.Name], table) {
				t.Errorf("%s: %v, want %v", format, got[table.Name], table)
			}
		}
	}
}

func TestReadTablesErrors(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "2 3\nx 1 2 3\ny 1 2\n", "b.txt": "x 1 two\n", "n.txt": "x 1 NaN\n", "c.vec": "", "d.csv": "x,1\n",
		"e.safetensors": "\x02\x00\x00\x00\x00\x00\x00\x00{}", "f.safetensors": "short", "g.npy": "x",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
		_, err := ReadTables(path)
		require.Error(t, err, name)
	}
}

// TestReadTablesRefusesNaN: no format gives numbers with which no training can begin.
func TestReadTablesRefusesNaN(t *testing.T) {
	m := labelled()
	m.Tables.Entities[0] = float32(math.NaN())
	for _, format := range []Format{Word2Vec, Safetensors, NumPy} {
		files, err := Export(m, format, filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		var failed []error
		for _, file := range files {
			if _, err := ReadTables(file); err != nil && !(format == NumPy && filepath.Ext(file) == ".txt") {
				failed = append(failed, err)
			}
		}
		if len(failed) != 1 || !strings.Contains(failed[0].Error(), "is NaN: correct it") {
			t.Errorf("%s: %v", format, failed)
		}
	}
}

// TestWordsWithOtherSpaces: word2vec separates words by spaces of ASCII alone.
func TestWordsWithOtherSpaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.vec")
	require.NoError(t, os.WriteFile(path, []byte("New\u00a0York 1 2\r\nRome\t3 4\r\n"), 0o666))
	tables, err := ReadTables(path)
	require.NoError(t, err)
	if got := tables[0].Labels; !reflect.DeepEqual(got, []string{"New\u00a0York", "Rome"}) {
		t.Errorf("%q", got)
	}
}

func FuzzReadTables(f *testing.F) {
	m := labelled()
	for _, format := range []Format{Word2Vec, Safetensors, NumPy} {
		files, err := Export(m, format, filepath.Join(f.TempDir(), string(format)))
		require.NoError(f, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(content)
		}
	}
	dir := f.TempDir()
	require.NoError(f, os.WriteFile(filepath.Join(dir, "x.txt"), []byte("a\nb\n"), 0o666))
	f.Fuzz(func(t *testing.T, content []byte) {
		read := func(tables []Table, err error) {
			for _, table := range tables {
				if err == nil && len(table.Numbers) != len(table.Labels)*table.Columns {
					t.Errorf("%v", table)
				}
			}
		}
		read(readSafetensors(content))
		read(readWord2Vec(content))
		read(readArray(filepath.Join(dir, "x.npy"), content))
	})
}

// FuzzIDs reads files of ids like those of PyKEEN and LibKGE.
func FuzzIDs(f *testing.F) {
	f.Add("0\ta\n1\tb")
	f.Fuzz(func(t *testing.T, text string) {
		ids := idList{}
		for line := range strings.Lines(text) {
			if ids.add(strings.SplitN(line, "\t", 2)) != nil {
				return
			}
		}
		if all, err := ids.labels(); err == nil && len(all) != len(ids) {
			t.Errorf("%d labels of %d", len(all), len(ids))
		}
	})
}

// TestTablesHaveOneOrder checks that the tables of a file come in the same order each time, because
// the digest of a start depends on it.
func TestTablesHaveOneOrder(t *testing.T) {
	files, err := Export(labelled(), Safetensors, filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	first, err := ReadTables(files[0])
	require.NoError(t, err)
	if len(first) < 2 {
		t.Fatalf("%d tables", len(first))
	}
	for range 50 {
		again, err := ReadTables(files[0])
		require.NoError(t, err)
		if !reflect.DeepEqual(first, again) {
			t.Fatal("another order")
		}
	}
}
