package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"
)

// TestGrouped checks that groups have each triple once, next to triples with the same id only.
func TestGrouped(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{1, 2, 7, 500} {
		ids := make([]int32, 300)
		for i := range ids {
			ids[i] = int32(random.IntN(most))
		}
		groups := grouped(ids)
		width := groups.Shape().Dim(1)
		var triples []int
		for group := range slices.Chunk(tensors.MustCopyFlatData[int32](groups), width) {
			for _, triple := range group {
				if int(triple) == len(ids) {
					continue
				}
				triples = append(triples, int(triple))
				if ids[triple] != ids[group[0]] {
					t.Errorf("%d ids: a group has those of %d and %d", most, ids[triple], ids[group[0]])
				}
			}
		}
		slices.Sort(triples)
		if len(triples) != len(ids) || slices.Max(triples) >= len(ids) ||
			len(slices.Compact(triples)) != len(ids) {
			t.Errorf("%d ids: groups have %d different triples of %d", most, len(triples), len(ids))
		}
	}
}

// TestWidthOfGroups checks that groups grow with the number of triples that share an id.
func TestWidthOfGroups(t *testing.T) {
	for _, c := range []struct {
		ids  []int32
		want []int // groups, width
	}{
		{nil, []int{1, 1}},
		{[]int32{3}, []int{1, 1}},
		{[]int32{0, 1, 2, 3}, []int{4, 1}},
		{[]int32{5, 5, 5, 5, 6, 6, 6, 6}, []int{2, 4}},
		{[]int32{0, 0, 0, 0, 0, 0, 0, 0, 1}, []int{3, 4}},
	} {
		if diff := cmp.Diff(c.want, grouped(c.ids).Shape().Dimensions); diff != "" {
			t.Errorf("%v: shape:\n%s", c.ids, diff)
		}
	}
}
