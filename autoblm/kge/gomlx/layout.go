package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/tensors"
)

// interleave copies a row-major table with contiguous chunks of size d/k into rows where
// position n of chunk i is stored at n*k+i. With d/k as k it reverses that.
func interleave(to, from []float32, d, k int) {
	width := d / k
	for row := 0; row < len(from); row += d {
		for i := range k {
			for n := range width {
				to[row+n*k+i] = from[row+i*width+n]
			}
		}
	}
}

// stack concatenates the members' tables, interleaved: the entities of a shard [S, E/shards, d], with
// zeros as padding, and the relations [S, R, d].
func stack(members []kge.Tables, d, k, shard, shards int) []*tensors.Tensor {
	stacked := func(shard, shards int, table func(t kge.Tables) []float32) *tensors.Tensor {
		rows := len(table(members[0])) / d
		from, to := rowsOf(rows, shard, shards)
		size := shardRows(rows, shards)
		all := make([]float32, len(members)*size*d)
		for i, t := range members {
			interleave(all[i*size*d:], table(t)[from*d:to*d], d, k)
		}
		return tensors.FromFlatDataAndDimensions(all, len(members), size, d)
	}
	return []*tensors.Tensor{
		stacked(shard, shards, func(t kge.Tables) []float32 { return t.Entities }),
		stacked(0, 1, func(t kge.Tables) []float32 { return t.Relations }),
	}
}

// operators arranges the structures' sign tensors T[i,k,j] as [S, mixes, K·K, K]: row (i,k)
// and column j for mixTails, row (j,k) and column i for mixHeads, row (i,j) and column k for
// mixRelations.
func operators(structures []structure.Structure) *tensors.Tensor {
	k := structures[0].K()
	cube := k * k * k
	all := make([]float32, len(structures)*mixes*cube)
	for s, a := range structures {
		operator := func(which int) []float32 { return all[(s*mixes+which)*cube:][:cube] }
		tails, heads, relations := operator(mixTails), operator(mixHeads), operator(mixRelations)
		for at, sign := range a.SignTensor() {
			i, r, j := at/(k*k), at/k%k, at%k
			x := float32(sign)
			tails[at], heads[(j*k+r)*k+i], relations[(i*k+j)*k+r] = x, x, x
		}
	}
	return tensors.FromFlatDataAndDimensions(all, len(structures), mixes, k*k, k)
}
