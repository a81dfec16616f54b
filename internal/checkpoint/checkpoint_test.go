package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type run struct{ Epoch int }

var tables = [][]float32{{1, 2.5, -3}, {}, {4}}

func write(t *testing.T, path string, epoch int) {
	t.Helper()
	require.NoError(t, checkpoint.Write(path, run{epoch}, checkpoint.TablesOf(tables)))
}

// reads checks that a file is read as that of an epoch.
func reads(t *testing.T, path string, epoch int) {
	t.Helper()
	var got run
	read, err := checkpoint.Read(path, &got)
	if err != nil || got.Epoch != epoch ||
		!cmp.Equal(read, tables, cmp.Comparer(func(a, b []float32) bool {
			return cmp.Equal(append([]float32{}, a...), append([]float32{}, b...))
		})) {
		t.Errorf("%v, epoch %d, tables %v; want epoch %d and %v", err, got.Epoch, read, epoch, tables)
	}
}

// TestAlwaysThere: other processes see the file also while it is replaced.
func TestAlwaysThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "training")
	write(t, path, 0)
	if err := os.Link(path, filepath.Join(dir, "link")); err != nil {
		t.Skip("files cannot have two names here: ", err)
	}
	written := make(chan error)
	go func() {
		var all error
		for epoch := range 100 {
			all = errors.Join(all, checkpoint.Write(path, run{epoch}, checkpoint.TablesOf(tables)))
		}
		written <- all
	}()
	for looks, misses := 0, 0; ; looks++ {
		if _, err := os.Stat(path); err != nil {
			misses++
		}
		select {
		case err := <-written:
			require.NoError(t, err)
			if misses > 0 {
				t.Errorf("the file was missing %d of %d times", misses, looks+1)
			}
			return
		default:
		}
	}
}

func TestPreviousGeneration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "training")
	if _, err := checkpoint.Read(path, &run{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	for epoch := 1; epoch <= 3; epoch++ {
		write(t, path, epoch)
		reads(t, path, epoch)
	}
	require.NoError(t, os.Truncate(path, 30))
	reads(t, path, 2)
	write(t, path, 4)
	reads(t, path, 4)
	if err := os.Rename(path, path+".next"); err != nil { // as after a kill between two renames
		t.Fatal(err)
	}
	reads(t, path, 4)
	write(t, path, 5)
	require.NoError(t, os.Remove(path))
	if _, err := checkpoint.Read(path, &run{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was removed: %v", err)
	}
	if err := checkpoint.ReadDescription(path, &run{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the description of a file that was removed: %v", err)
	}
	if err := checkpoint.Remove(path); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("%v left, %v", left, err)
	}
	if err := checkpoint.Remove(path); err != nil {
		t.Errorf("nothing to remove: %v", err)
	}
}

// TestRemovalOrder checks that an interrupted removal leaves no other generation without the file.
func TestRemovalOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "training")
	write(t, path, 1)
	require.NoError(t, os.MkdirAll(filepath.Join(path+".before", "a folder, which is not removed"),
		0o755))
	if err := checkpoint.Remove(path); err == nil {
		t.Error("a folder was removed")
	}
	reads(t, path, 1)
}

// TestDamageIsFound changes any byte, and truncates the file at any place.
func TestDamageIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "training")
	write(t, path, 1)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		refused := func(what string, content []byte) {
			require.NoError(t, os.WriteFile(path, content, 0o600))
			if _, err := checkpoint.Read(path, &run{}); !errors.Is(err, checkpoint.ErrDamaged) {
				t.Fatalf("%s: %v", what, err)
			}
		}
		changed := append([]byte(nil), sound...)
		changed[rapid.IntRange(0, len(sound)-1).Draw(t, "at")] ^= byte(
			rapid.IntRange(1, 255).Draw(t, "by"))
		refused("a changed byte", changed)
		refused("a lost end", sound[:rapid.IntRange(0, len(sound)-1).Draw(t, "length")])
		refused(
			"more at the end",
			append(append([]byte(nil), sound...), rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "more")...),
		)
	})
}

func TestWriteError(t *testing.T) {
	if err := checkpoint.Write(filepath.Join(t.TempDir(), "nowhere", "training"), run{},
		nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// FuzzRead reads any content, also with a correct checksum.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "training")
	require.NoError(f, checkpoint.Write(path, run{3}, checkpoint.TablesOf(tables)))
	content, err := os.ReadFile(path)
	require.NoError(f, err)
	body := content[:len(content)-4]
	f.Add(body)
	f.Add(body[:16])
	f.Add(bytes.Replace(body, []byte("[3,0,1]"), []byte("[-3,7,0]"), 1))
	f.Add(bytes.Replace(body, []byte("Epoch"), []byte("Epoch\":1,\"Epoch"), 1))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
		for _, content := range [][]byte{
			body, slices.Concat(body, binary.LittleEndian.AppendUint32(nil, sum)),
		} {
			require.NoError(t, os.WriteFile(path, content, 0o644))
			var got run
			read, err := checkpoint.Read(path, &got)
			switch size := len(slices.Concat(read...)); {
			case err != nil && !errors.Is(err, checkpoint.ErrDamaged):
				t.Errorf("error %v, want %v", err, checkpoint.ErrDamaged)
			case err == nil && 4*size >= len(content):
				t.Errorf("%d numbers from %d bytes", size, len(content))
			}
		}
	})
}
