package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The operators of a structure. Each mixes two embeddings into one.
const (
	mixTails     = iota // head and relation into q with f(h,r,e) = ⟨q, e⟩
	mixHeads            // tail and relation into p with f(e,r,t) = ⟨e, p⟩
	mixRelations        // head and tail into v with f(h,r,t) = ⟨v, r⟩
	mixes
)

// shape says which operations score a batch, apart from the sizes of its tables.
type shape struct {
	reciprocal bool
	moves      bool // relations are a factor and a vector that moves the anchor, each of width d
	block      int  // size C of dense blocks, whose relations have width C·d; 0 for structures
	partitions int  // number K of partitions of a model with cores; 0 for other models
	norm       bool // batch normalization of a model with cores
	derived    bool // the relations of a model with cores are given as matrices, see [derivation]
}

// matrixSize returns C for models whose relations are C×C matrices, and else 0.
func (s shape) matrixSize(d int) int {
	if s.partitions > 0 {
		return d / s.partitions
	}
	return s.block
}

// batch holds a batch of triples and their embeddings, in two directions: tail prediction,
// then head prediction. Entities are [S, E, d], relations [S, R, w], where w is d except if a
// relation moves anchors or has matrices; K follows from the operators.
type batch struct {
	entities, relations *Node
	operators           *Node // [S, mixes, K·K, K]
	shape

	ends     *Node // [S, 2, b, d]: the rows of the heads, then of the tails
	relation *Node // [S, 2, b, w], or [S, 1, b, w] if both directions share it
	// Factors of penalties, nil if they are all 1: [S, 2, b, 1], and as many as relation.
	endScales, relationScales *Node
	cores                     cores // of a model with cores, whose relations are its matrices
	coreFactors               *Node // the rows of relations before cores; as relation, but [..., d]

	endRows      *Node // [S·2·b, 1]: rows of the ends in entities, as [S·E, d]
	relationRows *Node // [S·directions·b, 1]: rows in relations, as [S·R, d]
}

// gatherBatch looks up the rows of triples from their ids [3, b]: heads, relations, tails.
func gatherBatch(entities, relations, operators, ids *Node, s shape) batch {
	members := entities.Shape().Dim(0)
	size := ids.Shape().Dim(1)
	rowsOf := func(table, ids *Node) *Node {
		count := table.Shape().Dim(1)
		shape := append([]int{members}, ids.Shape().Dimensions...)
		start := MulScalar(Iota(ids.Graph(), shapes.Make(dtypes.Int32, shape...), 0), count)
		return Reshape(Add(start, BroadcastPrefix(ids, members)), -1, 1)
	}
	lookUp := func(table, rows *Node) *Node {
		width := table.Shape().Dim(2)
		flat := Reshape(table, members*table.Shape().Dim(1), width)
		return Reshape(Gather(flat, rows), members, -1, size, width)
	}
	row := func(i int) *Node { return Slice(ids, AxisRange(i, i+1)) }
	var split cores
	hasCores := s.partitions > 0 && !s.derived
	if hasCores {
		split = splitCores(relations, s)
		relations = split.matricesOf(split.allRows())
	}
	relationIDs := row(1)
	if s.reciprocal {
		reverses := AddScalar(relationIDs, relations.Shape().Dim(1)/2)
		relationIDs = Concatenate([]*Node{relationIDs, reverses}, 0)
	}
	b := batch{
		entities: entities, relations: relations, operators: operators, shape: s, cores: split,
		endRows:      rowsOf(entities, Concatenate([]*Node{row(0), row(2)}, 0)),
		relationRows: rowsOf(relations, relationIDs),
	}
	b.ends = lookUp(entities, b.endRows)
	b.relation = lookUp(relations, b.relationRows)
	if hasCores {
		b.coreFactors = lookUp(split.allRows(), b.relationRows)
	}
	return b
}

// scale looks up the factors of penalties from those of all rows, [S·E, 1] and [S·R, 1].
func (b *batch) scale(entities, relations *Node) {
	lookUp := func(all, rows *Node) *Node {
		return Reshape(Gather(all, rows), b.members(), -1, b.size(), 1)
	}
	b.endScales, b.relationScales = lookUp(entities, b.endRows), lookUp(relations, b.relationRows)
}

// answerScales returns the factors of penalties on the answers.
func (b batch) answerScales() *Node {
	if b.endScales == nil {
		return nil
	}
	return swap(b.endScales)
}

func (b batch) members() int { return b.entities.Shape().Dim(0) }
func (b batch) size() int    { return b.ends.Shape().Dim(2) }
func (b batch) dim() int     { return b.entities.Shape().Dim(2) }

// mix applies one operator per direction to x and y, each [S, 2, b, d]; one with a single
// direction serves both.
//
// The score is linear in head, relation and tail. So the gradient of a mix with respect to
// either input is another mix, of the other input and the gradient of the result.
func (b batch) mix(x, y *Node, operators ...int) *Node {
	if b.matrixSize(b.dim()) > 0 {
		return b.mixMatrices(x, y, operators)
	}
	members, size, d, directions := b.members(), b.size(), b.dim(), len(operators)
	k := b.operators.Shape().Dim(3)
	positions := size * d / k
	column := Reshape(x, members, x.Shape().Dim(1), positions, k, 1)
	row := Reshape(y, members, y.Shape().Dim(1), positions, 1, k)
	var chosen []*Node
	for _, operator := range operators {
		chosen = append(chosen, Slice(b.operators, AxisRange(), AxisRange(operator, operator+1)))
	}
	products := Reshape(Mul(column, row), members*directions, positions, k*k)
	signs := Reshape(Concatenate(chosen, 1), members*directions, k*k, k)
	mixed := Dot(products, signs).General([]int{2}, []int{0}, []int{1}, []int{0})
	return Reshape(mixed, members, directions, size, d)
}

// mixMatrices does what mix does with dense matrices R_ij instead of the signs of a structure. A
// matrix belongs to a position p of the chunks i and j of a row, or to a partition k of it.
func (b batch) mixMatrices(x, y *Node, operators []int) *Node {
	members, size, k, c := b.members(), b.size(), max(1, b.partitions), b.matrixSize(b.dim())
	width := b.dim() / c / k
	var mixed []*Node
	for n, operator := range operators {
		of := func(v *Node, dimensions ...int) *Node {
			v = direction(v, min(n, v.Shape().Dim(1)-1))
			return Reshape(v, append([]int{members, size}, dimensions...)...)
		}
		var product *Node
		switch operator {
		case mixTails: // Σ_i h_i R_ij
			product = ReduceSum(Mul(of(x, k, c, 1, width), of(y, k, c, c, width)), 3)
		case mixHeads: // Σ_j R_ij t_j
			product = ReduceSum(Mul(of(x, k, 1, c, width), of(y, k, c, c, width)), 4)
		case mixRelations: // h_i t_j
			product = Mul(of(x, k, c, 1, width), of(y, k, 1, c, width))
		}
		mixed = append(mixed, Reshape(product, members, 1, size, -1))
	}
	return Concatenate(mixed, 1)
}

// rowGradients holds the gradients of a loss with respect to the looked-up rows.
type rowGradients struct {
	ends     *Node // as batch.ends
	relation *Node // as batch.relation
	factors  *Node // as batch.coreFactors
	tensors  *Node // as cores.tensors, from penalties
}

// newRowGradients returns gradients of 0.
func (b batch) newRowGradients() *rowGradients {
	g := &rowGradients{ends: ZerosLike(b.ends), relation: ZerosLike(b.relation)}
	if b.partitions > 0 {
		g.factors, g.tensors = ZerosLike(b.coreFactors), ZerosLike(b.cores.tensors)
	}
	return g
}

func (g *rowGradients) add(ends, relation *Node) {
	g.ends = Add(g.ends, ends)
	if directions := relation.Shape().Dim(1); directions > g.relation.Shape().Dim(1) {
		relation = ReduceAndKeep(relation, ReduceSum, 1)
	}
	g.relation = Add(g.relation, relation)
}

// factor returns the part of the relations that is mixed with entities.
func (b batch) factor() *Node {
	if !b.moves {
		return b.relation
	}
	return Slice(b.relation, AxisRange(), AxisRange(), AxisRange(), AxisRange(0, b.dim()))
}

// anchors returns [S, 2, b, d]: the entity of each query, moved by its relation.
func (b batch) anchors() *Node {
	if !b.moves {
		return b.ends
	}
	return Add(b.ends, Slice(b.relation, AxisRange(), AxisRange(), AxisRange(), AxisRange(b.dim())))
}

// addByAnchor adds the gradients of anchors and of factors of relations.
func (b batch) addByAnchor(g *rowGradients, byAnchor, byFactor *Node) {
	if b.moves {
		byFactor = Concatenate([]*Node{byFactor, byAnchor}, 3)
	}
	g.add(byAnchor, byFactor)
}

// addByEnd adds the gradients of entities and of factors of relations.
func (b batch) addByEnd(g *rowGradients, byEnd, byFactor *Node) {
	if b.moves {
		byFactor = Concatenate([]*Node{byFactor, ZerosLike(byFactor)}, 3)
	}
	g.add(byEnd, byFactor)
}

// dropInputs returns the batch with dropped coordinates of the entities at which queries start. keep
// has the factors of the coordinates, [S, 2, b, d].
func (b batch) dropInputs(keep *Node) batch {
	b.ends = Mul(b.ends, keep)
	return b
}

// queries returns [S, 2, b, d]: the queries for the tails of the triples, then for their heads.
func (b batch) queries() *Node {
	if b.reciprocal {
		return b.mix(b.anchors(), b.factor(), mixTails, mixTails)
	}
	return b.mix(b.ends, b.relation, mixTails, mixHeads)
}

// rankedQueries returns the queries of a ranking. With batch normalization, relations have matrices
// and a row to add, see [cores].
func (b batch) rankedQueries() *Node {
	if !b.norm {
		return b.queries()
	}
	width := b.relation.Shape().Dim(3)
	offset := Slice(b.relation, AxisRange(), AxisRange(), AxisRange(), AxisRange(width-b.dim()))
	b.relation = Slice(b.relation, AxisRange(), AxisRange(), AxisRange(), AxisRange(0, width-b.dim()))
	return Add(b.queries(), offset)
}

// backFromQueries propagates the gradient of the queries to the rows that they were mixed from.
func (b batch) backFromQueries(g *rowGradients, gradient *Node) {
	if b.reciprocal {
		b.addByAnchor(g, b.mix(gradient, b.factor(), mixHeads, mixHeads),
			b.mix(b.anchors(), gradient, mixRelations, mixRelations))
		return
	}
	heads := Concatenate([]*Node{b.heads(), direction(gradient, 1)}, 1)
	tails := Concatenate([]*Node{direction(gradient, 0), b.tails()}, 1)
	g.add(b.mix(gradient, b.relation, mixHeads, mixTails),
		b.mix(heads, tails, mixRelations, mixRelations))
}

// otherQueries returns [S, 2, b, d]: g(A,r)t for the triple of each direction. With reciprocal
// relations these products answer no query, but [kge.Weights] can penalize them.
func (b batch) otherQueries() *Node {
	return b.mix(b.answers(), b.factor(), mixHeads, mixHeads)
}

func (b batch) backFromOtherQueries(g *rowGradients, gradient *Node) {
	b.addByEnd(g, swap(b.mix(gradient, b.factor(), mixTails, mixTails)),
		b.mix(gradient, b.answers(), mixRelations, mixRelations))
}

// relationQueries returns [S, directions, b, d]: v with f(h,r,t) = ⟨v, r⟩ for each relation r.
func (b batch) relationQueries() *Node {
	if b.reciprocal {
		return b.mix(b.ends, b.answers(), mixRelations, mixRelations)
	}
	return b.mix(b.heads(), b.tails(), mixRelations)
}

func (b batch) backFromRelationQueries(g *rowGradients, gradient *Node) {
	if b.reciprocal {
		g.ends = Add(g.ends, b.mix(b.answers(), gradient, mixHeads, mixHeads))
		g.ends = Add(g.ends, swap(b.mix(b.ends, gradient, mixTails, mixTails)))
		return
	}
	byHeads := b.mix(b.tails(), gradient, mixHeads)
	byTails := b.mix(b.heads(), gradient, mixTails)
	g.ends = Add(g.ends, Concatenate([]*Node{byHeads, byTails}, 1))
}

func direction(x *Node, i int) *Node { return Slice(x, AxisRange(), AxisRange(i, i+1)) }

// swap exchanges the two directions.
func swap(x *Node) *Node { return Concatenate([]*Node{direction(x, 1), direction(x, 0)}, 1) }

func (b batch) heads() *Node { return direction(b.ends, 0) }
func (b batch) tails() *Node { return direction(b.ends, 1) }

// answers returns [S, 2, b, d]: the embedding of the true entity of each query.
func (b batch) answers() *Node { return swap(b.ends) }

// scores returns [S, rows, E] for queries [S, rows, d].
func scores(queries, entities *Node) *Node {
	return Dot(queries, entities).General([]int{2}, []int{0}, []int{2}, []int{0})
}
