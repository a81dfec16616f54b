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

// around builds and runs a program which makes something of a number in a loop of three
// turns, and something of the result after it.
func around(t *testing.T, on compute.Backend, in, after func(x *Node) *Node) (float32, error) {
	t.Helper()
	exec, err := NewExecCanonical(on, func(g *Graph, inputs []*Node) []*Node {
		carried := loop(Const(g, int32(3)), inputs, nil, func(_ *Node, carried, _ []*Node) []*Node {
			return []*Node{in(carried[0])}
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

// TestFaultsOfLoops: what this package goes around is still wrong. Where it no longer is,
// the detour can go.
func TestFaultsOfLoops(t *testing.T) {
	total := func(x *Node) *Node { return ReduceAllSum(BroadcastToDims(x, 2)) }
	scalar := func(x *Node) *Node { return AddScalar(x, 7) }
	for name, c := range map[string]struct {
		twice  func(x *Node) *Node // in the loop and after it
		right  float32
		says   string // the error
		detour string // what may then be done
	}{
		"a kind of reduction": {total, 16, "is not a StableHLO closure of main", "squares may be a reduction"},
		"a scalar":            {scalar, 29, "after returning", "updateRules may use operations with scalars"},
	} {
		t.Run(name, func(t *testing.T) {
			on, err := backend.Open(xlatest.Backend(t))
			if err != nil {
				t.Fatal(err)
			}
			defer on.Finalize()
			none := func(x *Node) *Node { return x }
			for _, alone := range [][2]func(x *Node) *Node{{c.twice, none}, {none, c.twice}} {
				if _, err := around(t, on, alone[0], alone[1]); err != nil {
					t.Errorf("in one place only: %v", err)
				}
			}
			got, err := around(t, on, c.twice, c.twice)
			if err == nil {
				t.Errorf("in a loop and after it: %v, right is %v: %s", got, c.right, c.detour)
			} else if !strings.Contains(err.Error(), c.says) {
				t.Errorf("in a loop and after it: %v", err)
			}
		})
	}
}
