package mapped_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/mapped"
)

// TestFolder checks that released numbers come back, that pages of neighbours stay, and that no file
// has a name.
func TestFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("tables in files need Linux")
	}
	folder := mapped.Folder{Path: t.TempDir()}
	const n = 10_000
	table, err := folder.New(n)
	if err != nil || len(table) != n || slices.ContainsFunc(table, func(x float32) bool { return x != 0 }) {
		t.Fatalf("%d numbers, %v", len(table), err)
	}
	for i := range table {
		table[i] = float32(i)
	}
	mapped.Release(table[700:9000])
	mapped.Release(table[3:7])
	mapped.Load(table[700:9000])
	i := 0
	for part := range mapped.Parts(table) {
		for _, x := range part {
			if x != float32(i) {
				t.Fatalf("number %d is %v", i, x)
			}
			i++
		}
	}
	if i != n {
		t.Errorf("%d numbers in parts", i)
	}
	if files, err := os.ReadDir(folder.Path); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
	mapped.Free(table)
	memory := []float32{1, 2} // of no folder
	mapped.Release(memory)
	if memory[0] != 1 {
		t.Error("memory was released")
	}
}

// TestFullDisk checks that a table that does not fit is an error at once.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("tables in files need Linux")
	}
	dir := t.TempDir()
	_, err := mapped.Folder{Path: dir}.New(1 << 50)
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
}
