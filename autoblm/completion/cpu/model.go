package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// model is the embeddings of one structure, with rows and columns padded by
// zeros to what the kernels need.
type model struct {
	kernels             *kernel.Set
	structure           structure.Structure
	terms               []term
	dim                 int // d; the columns after it are 0
	width               int // of a chunk, d/K
	entities, relations kernel.Table
	entityCount         int
	relationCount       int
}

// term is one nonzero of the structure: sign·⟨h_head, r_relation, t_tail⟩, with
// the columns at which the chunks begin.
type term struct {
	head, relation, tail int
	sign                 float32
}

func newModel(k *kernel.Set, p completion.Parameters) *model {
	m := &model{kernels: k, dim: p.Dim, width: p.Dim / p.Structure.K()}
	m.setStructure(p.Structure)
	m.entityCount, m.relationCount = len(p.Entities)/p.Dim, len(p.Relations)/p.Dim
	m.entities, m.relations = padded(p.Entities, p.Dim), padded(p.Relations, p.Dim)
	return m
}

func (m *model) setStructure(s structure.Structure) {
	m.structure, m.terms = s, m.terms[:0]
	for i := range s.K() {
		for j := range s.K() {
			switch value := s.At(i, j); {
			case value > 0:
				m.terms = append(m.terms, term{i * m.width, (value - 1) * m.width, j * m.width, 1})
			case value < 0:
				m.terms = append(m.terms, term{i * m.width, (-value - 1) * m.width, j * m.width, -1})
			}
		}
	}
}

func newTable(rows, columns int) kernel.Table {
	stride := kernel.Pad(columns, kernel.Columns)
	return kernel.Table{Data: make([]float32, kernel.Pad(rows, kernel.Rows)*stride), Stride: stride}
}

func padded(dense []float32, columns int) kernel.Table {
	t := newTable(len(dense)/columns, columns)
	for i := range len(dense) / columns {
		copy(t.Row(i), dense[i*columns:][:columns])
	}
	return t
}

func unpadded(t kernel.Table, rows, columns int) []float32 {
	dense := make([]float32, 0, rows*columns)
	for i := range rows {
		dense = append(dense, t.Row(i)[:columns]...)
	}
	return dense
}

func (m *model) parameters() completion.Parameters {
	return completion.Parameters{
		Structure: m.structure, Dim: m.dim,
		Entities:  unpadded(m.entities, m.entityCount, m.dim),
		Relations: unpadded(m.relations, m.relationCount, m.dim),
	}
}

// tileRows is how many entities a tile has: its scores against a unit's queries
// are 72 kB, which the second cache holds with room to spare.
const tileRows = 16 * kernel.Rows

// tiles is the number of tiles of entities.
func (m *model) tiles() int { return (m.entityCount + tileRows - 1) / tileRows }

// tile is the first entity of a tile, how many it has, and how many rows with padding.
func (m *model) tile(i int) (start, count, rows int) {
	start = i * tileRows
	count = min(tileRows, m.entityCount-start)
	return start, count, kernel.Pad(count, kernel.Rows)
}

// chunk is the part of a table from the given column on.
func chunk(t kernel.Table, column int) kernel.Table {
	return kernel.Table{Data: t.Data[column:], Stride: t.Stride}
}
