package gomlx

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// runLoop runs a program that applies inside to a number in a loop of three iterations, and
// after to the result.
func runLoop(t *testing.T, on compute.Backend, inside, after func(x *Node) *Node) (float32, error) {
	t.Helper()
	exec, err := NewExecCanonical(on, func(g *Graph, inputs []*Node) []*Node {
		carried := loop(Const(g, int32(3)), inputs, nil, func(_ *Node, carried, _ []*Node) []*Node {
			return []*Node{inside(carried[0])}
		})
		return []*Node{after(carried[0])}
	}, 1, 1, false, false, true)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	outputs, err := exec.Call(tensors.FromScalar(float32(1)))
	if err != nil {
		return 0, err
	}
	return tensors.ToScalar[float32](outputs[0]), outputs[0].FinalizeAll()
}

// TestLoopBugs checks that the bugs of GoMLX and go-xla still exist for which this package has
// workarounds. If it fails, a workaround can be removed.
func TestLoopBugs(t *testing.T) {
	total := func(x *Node) *Node { return ReduceAllSum(BroadcastToDims(x, 2)) }
	scalar := func(x *Node) *Node { return AddScalar(x, 7) }
	for name, c := range map[string]struct {
		operation func(x *Node) *Node // in the loop and after it
		want      float32
		error     string
		removable string // once the bug is fixed
	}{
		"a kind of reduction": {total, 16, "is not a StableHLO closure of main",
			"squares may be a reduction"},
		"a scalar": {scalar, 29, "after returning",
			"updateRules may use operations with scalars"},
	} {
		t.Run(name, func(t *testing.T) {
			on, err := backend.Open(xlatest.Backend(t))
			if err != nil {
				t.Fatal(err)
			}
			defer on.Finalize()
			identity := func(x *Node) *Node { return x }
			for _, one := range [][2]func(x *Node) *Node{
				{c.operation, identity}, {identity, c.operation},
			} {
				if _, err := runLoop(t, on, one[0], one[1]); err != nil {
					t.Errorf("in one place only: %v", err)
				}
			}
			got, err := runLoop(t, on, c.operation, c.operation)
			if err == nil {
				t.Errorf("in a loop and after it: %v, want %v: %s", got, c.want, c.removable)
			} else if !strings.Contains(err.Error(), c.error) {
				t.Errorf("in a loop and after it: %v", err)
			}
		})
	}
}
