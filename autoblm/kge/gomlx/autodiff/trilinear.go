package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// trilinear is a form whose scores are sums of a tensor W times numbers of head, relation and tail at
// positions, which may be in groups with a tensor each.
type trilinear interface {
	graphForm
	// tensor returns W, [groups, K, K, K], by head, relation and tail.
	tensor(c *pass) *Node
	// positions returns rows [n, d] as [m, groups, K].
	positions(c *pass, rows *Node) *Node
	// rows inverts positions.
	rows(c *pass, positions *Node) *Node
}

// The axes of a tensor apart from its groups.
const (
	ofHeads = iota
	ofRelations
	ofTails
	roles
)

// contract returns W×x, [groups, m, K, K], for x of a role. The remaining axes are in order.
func contract(w *Node, role int, x *Node) *Node {
	return Dot(x, w).General([]int{2}, []int{1}, []int{1 + role}, []int{0})
}

// contractBoth returns W with x of a role and y of the next one, [groups, m, K], where matrices is W×x.
func contractBoth(matrices *Node, role int, y *Node) *Node {
	axis := 2
	if role == ofRelations { // of heads and tails
		axis = 3
	}
	return Dot(matrices, y).General([]int{axis}, []int{0, 1}, []int{2}, []int{1, 0})
}

// relationQueries returns v [n, d] with f(h,r,t) = ⟨v, r⟩ for rows of heads and tails.
func relationQueries(f trilinear, c *pass, heads, tails *Node) *Node {
	matrices := contract(f.tensor(c), ofTails, f.positions(c, tails))
	queries := contractBoth(matrices, ofTails, f.positions(c, heads))
	return f.rows(c, Transpose(queries, 0, 1))
}

func (bilinear) tensor(c *pass) *Node {
	k := c.operators.Shape().Dim(2)
	return Reshape(Slice(c.operators, AxisElem(0)), 1, k, k, k)
}

func (bilinear) positions(c *pass, rows *Node) *Node {
	k, n := c.operators.Shape().Dim(2), rows.Shape().Dim(0)
	return Reshape(Transpose(Reshape(rows, n, k, -1), 1, 2), -1, 1, k)
}

func (bilinear) rows(c *pass, positions *Node) *Node {
	k := c.operators.Shape().Dim(2)
	return Reshape(Transpose(Reshape(positions, -1, c.dim/k, k), 1, 2), -1, c.dim)
}

// tensor returns the cores, which the table has by relation, head and tail.
func (core) tensor(c *pass) *Node {
	partitions := c.form.Partitions()
	size := c.dim / partitions
	return Transpose(Reshape(c.globals[0], partitions, size, size, size), 1, 2)
}

func (core) positions(c *pass, rows *Node) *Node {
	partitions := c.form.Partitions()
	return Reshape(rows, -1, partitions, c.dim/partitions)
}

func (core) rows(c *pass, positions *Node) *Node { return Reshape(positions, -1, c.dim) }
