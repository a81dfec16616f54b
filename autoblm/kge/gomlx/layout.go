package gomlx

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
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

// shapeOf returns the shape of models of a form.
func shapeOf(f form.Form, reciprocal bool) shape {
	return shape{
		reciprocal: reciprocal, moves: f == form.Translated, block: f.BlockSize(),
		partitions: f.Partitions(), norm: f.HasNorm(),
	}
}

// widths returns the number of numbers of a relation in each of its tables, multiples of dim.
func widths(f form.Form, dim int) (all []int) {
	for _, t := range f.Spec().Tables(dim) {
		if !t.Global {
			all = append(all, t.Rows*t.Columns)
		}
	}
	return all
}

// joined returns the tables of relations as one, where the rows of a relation follow each other. At
// its end it has the global tables of a model, see [cores].
func (r *ranker) joined(t kge.Tables) []float32 {
	if r.partitions > 0 {
		return slices.Concat(append([][]float32{t.Relations}, t.More...)...)
	}
	if len(r.widths) == 1 {
		return t.Relations
	}
	var all []float32
	for relation := range len(t.Relations) / r.widths[0] {
		for i, width := range r.widths {
			all = append(all, t.All()[1+i][relation*width:][:width]...)
		}
	}
	return all
}

// divided inverts joined.
func (r *ranker) divided(all []float32) (tables [][]float32) {
	if r.partitions > 0 {
		norms := len(all) - r.dim*r.normRows()
		relations := norms - r.dim*r.coreRows(r.dim)
		tables = [][]float32{all[:relations:relations], all[relations:norms:norms]}
		if r.norm {
			tables = append(tables, all[norms:])
		}
		return tables
	}
	if len(r.widths) == 1 {
		return [][]float32{all}
	}
	tables = make([][]float32, len(r.widths))
	for len(all) > 0 {
		for i, width := range r.widths {
			tables[i] = append(tables[i], all[:width]...)
			all = all[width:]
		}
	}
	return tables
}

// stack concatenates the members' tables, interleaved: the entities of a shard [S, E/shards, d], with
// zeros as padding, and the relations [S, R, w].
func (r *ranker) stack(members []kge.Tables, shard, shards int) []*tensors.Tensor {
	stacked := func(
		shard, shards, width int, table func(t kge.Tables) []float32,
	) *tensors.Tensor {
		rows := len(table(members[0])) / width
		from, to := rowsOf(rows, shard, shards)
		size := shardRows(rows, shards)
		all := make([]float32, len(members)*size*width)
		for i, t := range members {
			interleave(all[i*size*width:], table(t)[from*width:to*width], r.dim, r.k)
		}
		return tensors.FromFlatDataAndDimensions(all, len(members), size, width)
	}
	return []*tensors.Tensor{
		stacked(shard, shards, r.dim, func(t kge.Tables) []float32 { return t.Entities }),
		stacked(0, 1, sum(r.widths), r.joined),
	}
}

// sum returns the sum of numbers.
func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// operators arranges the structures' sign tensors T[i,k,j] as [S, mixes, K·K, K]: row (i,k)
// and column j for mixTails, row (j,k) and column i for mixHeads, row (i,j) and column k for
// mixRelations.
func operators(structures []structure.Structure) *tensors.Tensor {
	if structures[0].K() == 0 { // a form without
		structures = slices.Repeat([]structure.Structure{structure.MustParse("1")}, len(structures))
	}
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
