package classify

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// of is [S, results, d]: the sums of rows of x [S, rows, d], for each member the
// same rows. indices are those of the plan.
func (p *sums) of(x, indices *Node) *Node {
	members, d := x.Shape().Dim(0), x.Shape().Dim(2)
	var pool []*Node
	if p.zero {
		pool = append(pool, Zeros(x.Graph(), shapes.Make(x.DType(), members, 1, d)))
	}
	pool = append(pool, x)
	var results *Node
	for _, l := range p.levels {
		table := newLookup(joined(pool))
		var sums []*Node
		for _, b := range l {
			sums = append(sums, b.of(table, indices))
		}
		results = joined(sums)
		pool = append(pool, results)
	}
	return results
}

func (b bucket) of(table lookup, indices *Node) *Node {
	var sum *Node
	for term := range b.terms {
		from := b.first + term*b.count
		found := table.rows(Slice(indices, AxisRange(from, from+b.count)))
		if sum == nil {
			sum = found
		} else {
			sum = Add(sum, found)
		}
	}
	return sum
}

// lookup is a table [S, size, d] to look up rows in. GoMLX's own backend copies
// number by number (compute v0.1.3), so two numbers are looked up as one of twice
// the width where that is possible.
type lookup struct {
	members, size, d int
	dtype            dtypes.DType
	flat             *Node // [S·size, d], or half as many columns
}

func newLookup(table *Node) lookup {
	t := lookup{members: table.Shape().Dim(0), size: table.Shape().Dim(1), d: table.Shape().Dim(2), dtype: table.DType()}
	t.flat = Reshape(table, t.members*t.size, t.d)
	if t.pairs() {
		t.flat = Bitcast(Reshape(t.flat, t.members*t.size, t.d/2, 2), dtypes.Uint64)
	}
	return t
}

func (t lookup) pairs() bool { return t.dtype == dtypes.Float32 && t.d%2 == 0 }

// rows are [S, count, d], the same of each member.
func (t lookup) rows(indices *Node) *Node {
	count := indices.Shape().Size()
	if t.members > 1 {
		first := MulScalar(Iota(indices.Graph(), shapes.Make(indices.DType(), t.members, 1), 0), t.size)
		indices = Add(BroadcastToDims(Reshape(indices, 1, count), t.members, count), BroadcastToDims(first, t.members, count))
	}
	found := Gather(t.flat, Reshape(indices, -1, 1))
	if t.pairs() {
		found = Bitcast(found, dtypes.Float32)
	}
	return Reshape(found, t.members, count, t.d)
}

// joined puts tables [S, rows, d] below one another.
func joined(tables []*Node) *Node {
	if len(tables) == 1 {
		return tables[0]
	}
	return Concatenate(tables, 1)
}
