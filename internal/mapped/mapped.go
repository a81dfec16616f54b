// Package mapped keeps large tables of numbers in files that are mapped into memory, so that the
// system can move rows that are not in use to disk.
package mapped

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"github.com/dustin/go-humanize"
)

// Folder makes tables in a folder.
type Folder struct{ Path string }

// numberBytes is the size of a float32.
const numberBytes = 4

// New returns n zeros in a new file. The file has no name, so it ends with the process, also after
// a kill. Its blocks are reserved: a full disk is an error here and not later.
func (f Folder) New(n int) ([]float32, error) {
	file, err := os.CreateTemp(f.Path, "table-*")
	if err != nil {
		return nil, fmt.Errorf("make a table in %s: %w", filepath.Clean(f.Path), errors.Unwrap(err))
	}
	defer file.Close() // the mapping stays
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	bytes, err := reserve(file, int64(n)*numberBytes)
	if err != nil {
		return nil, fmt.Errorf("make a table of %s in %s: %w; use a folder on another disk",
			humanize.IBytes(uint64(n)*numberBytes), filepath.Clean(f.Path), err)
	}
	numbers := unsafe.Slice((*float32)(unsafe.Pointer(&bytes[0])), n)
	tables.Store(addressOf(numbers), n)
	return numbers, nil
}

// tables has the lengths of all tables by address.
var tables sync.Map

func addressOf(numbers []float32) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(numbers))) }

// Contains reports whether numbers are a part of a table.
func Contains(numbers []float32) (found bool) {
	at := addressOf(numbers)
	tables.Range(func(start, n any) bool {
		found = start.(uintptr) <= at && at < start.(uintptr)+uintptr(numberBytes*n.(int))
		return !found
	})
	return found
}

// Release gives the memory of a part of a table back. Its numbers stay in the file, and the next
// use loads them again. It has no effect on numbers that are in no file.
func Release(numbers []float32) {
	if Contains(numbers) {
		release(pagesOf(numbers))
	}
}

// Load starts to read a part of a table from disk, if it is not in memory.
func Load(numbers []float32) {
	if Contains(numbers) {
		load(pagesOf(numbers))
	}
}

// Free removes a table.
func Free(numbers []float32) {
	if _, found := tables.LoadAndDelete(addressOf(numbers)); found {
		free(unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), numberBytes*len(numbers)))
	}
}

// Parts yields numbers in order, in parts. It releases each part after its use.
func Parts(numbers []float32) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		for part := range slices.Chunk(numbers, 1<<16) {
			if !yield(part) {
				return
			}
			Release(part)
		}
	}
}

// pagesOf returns the whole pages of numbers. Other rows may use the rest of a page.
func pagesOf(numbers []float32) []byte {
	page := os.Getpagesize()
	all := unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), numberBytes*len(numbers))
	start := -int(uintptr(unsafe.Pointer(&numbers[0]))) & (page - 1)
	if start >= len(all) {
		return nil
	}
	return all[start : start+(len(all)-start)/page*page]
}
