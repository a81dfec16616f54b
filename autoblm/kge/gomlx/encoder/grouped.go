package encoder

import "github.com/gomlx/gomlx/core/tensors"

// grouped returns the indices of triples in groups with one id, [groups, width]. An id may have several
// groups. The rest of its last one has the index len(ids): the triple that [Encoder.Edges] adds.
func grouped(ids []int32) *tensors.Tensor {
	added := int32(len(ids))
	if added == 0 {
		return tensors.FromFlatDataAndDimensions([]int32{added}, 1, 1)
	}
	byID := map[int32][]int32{}
	var order []int32
	for i, id := range ids {
		if len(byID[id]) == 0 {
			order = append(order, id)
		}
		byID[id] = append(byID[id], int32(i))
	}

	const scattered = 2 // cost of adding a group to its sum, in rows that are looked up
	groupsOf := func(width int) (groups int) {
		for _, triples := range byID {
			groups += (len(triples) + width - 1) / width
		}
		return groups
	}
	width, groups := 1, len(ids)
	for w := 2; w <= len(ids); w *= 2 {
		if n := groupsOf(w); n*(w+scattered) < groups*(width+scattered) {
			width, groups = w, n
		}
	}

	all := make([]int32, 0, groups*width)
	for _, id := range order {
		all = append(all, byID[id]...)
		for len(all)%width > 0 {
			all = append(all, added)
		}
	}
	return tensors.FromFlatDataAndDimensions(all, groups, width)
}
