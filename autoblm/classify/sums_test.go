package classify

import (
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"pgregory.net/rapid"
)

// goBackend is GoMLX's own, for tests of graph functions.
func goBackend(t testing.TB) compute.Backend {
	t.Helper()
	opened, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Finalize)
	return opened
}

// failing is a test, or rapid's.
type failing interface {
	Helper()
	Fatal(...any)
}

// compiled makes a graph function one of tensors, which returns the flat data of
// its outputs.
func compiled[F float](t failing, b compute.Backend, fn func(in []*graph.Node) []*graph.Node) func(inputs ...*tensors.Tensor) [][]F {
	t.Helper()
	exec, err := graph.NewExec(b, fn)
	if err != nil {
		t.Fatal(err)
	}
	return func(inputs ...*tensors.Tensor) [][]F {
		t.Helper()
		arguments := make([]any, len(inputs))
		for i, x := range inputs {
			arguments[i] = x
		}
		outputs, err := exec.Call(arguments...)
		if err != nil {
			t.Fatal(err)
		}
		var all [][]F
		for _, o := range outputs {
			flat, err := tensors.CopyFlatData[F](o)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, flat)
		}
		return all
	}
}

// lists draws lists of rows of a table, long ones and empty ones among them.
func lists(t *rapid.T, rows int) [][]int32 {
	length := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 3*mostTerms), rapid.IntRange(0, 200))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []int32 {
		n := length.Draw(t, "length")
		return rapid.SliceOfN(rapid.Int32Range(0, int32(rows-1)), n, n).Draw(t, "list")
	}), 1, 40).Draw(t, "lists")
}

// TestSumsAddUp: whole numbers have the same sum in any order.
func TestSumsAddUp(t *testing.T) {
	t.Run("float32", testSumsAddUp[float32])
	t.Run("float64", testSumsAddUp[float64])
}

func testSumsAddUp[F float](t *testing.T) {
	b := goBackend(t)
	rapid.Check(t, func(t *rapid.T) {
		rows, members, d := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "members"), rapid.IntRange(1, 4).Draw(t, "d")
		all := lists(t, rows)
		if rapid.Bool().Draw(t, "sorted") {
			all = picked(all, byLength(all))
		}
		table := make([]F, members*rows*d)
		for i := range table {
			table[i] = F(i*i%101 - 50)
		}
		want := make([]F, 0, members*len(all)*d)
		for m := range members {
			for _, list := range all {
				for c := range d {
					sum := F(0)
					for _, row := range list {
						sum += table[(m*rows+int(row))*d+c]
					}
					want = append(want, sum)
				}
			}
		}
		plan := newSums(rows, all)
		got := compiled[F](t, b, func(in []*graph.Node) []*graph.Node { return []*graph.Node{plan.of(in[0], in[1])} })(
			tensors.FromFlatDataAndDimensions(table, members, rows, d), tensors.FromFlatDataAndDimensions(plan.indices, len(plan.indices)))[0]
		if !slices.Equal(got, want) {
			t.Fatalf("the sums of %v are %v, by the plan %+v %v", all, want, plan, got)
		}
	})
}

// TestSortedListsNeedNoMoreLookups: where lists are in the order byLength and none
// is empty, every row is looked up once, and so is every sum of a part of a long list.
func TestSortedListsNeedNoMoreLookups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := slices.DeleteFunc(lists(t, 20), func(list []int32) bool { return len(list) == 0 })
		all = picked(all, byLength(all))
		want := 0
		for _, list := range all {
			for n := len(list); ; n = (n + mostTerms - 1) / mostTerms {
				want += n
				if n <= mostTerms {
					break
				}
			}
		}
		if got := len(newSums(20, all).indices); len(all) > 0 && got != want {
			t.Fatalf("%d lookups, where %d do", got, want)
		}
	})
}
