//go:build cgo && (amd64 || arm64)

package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// TestFreedMemoryIsKept checks that a program of XLA on the CPU finds memory for its intermediate
// results that the process has, so that the system clears no pages for them.
func TestFreedMemoryIsKept(t *testing.T) {
	opened, err := backend.Open(xlatest.Backend(t))
	require.NoError(t, err)
	defer opened.Finalize()
	const rows = 3000
	program := MustNewExec(opened, func(g *Graph) *Node {
		x := Iota(g, shapes.Make(dtypes.Float32, rows, rows), 0)
		return ReduceAllSum(Dot(x, x).Product())
	})
	faults := func() int64 { // of pages, in two calls
		var before, after syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
		for range 2 {
			program.MustCall1().MustFinalizeAll()
		}
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
		return after.Minflt - before.Minflt
	}
	pages := int64(rows * rows * 4 / os.Getpagesize()) // of a matrix
	var all []int64
	for range 8 {
		n := faults()
		if n < pages/4 {
			return
		}
		all = append(all, n)
	}
	t.Errorf("page faults of calls: %d; a matrix has %d pages", all, pages)
}
