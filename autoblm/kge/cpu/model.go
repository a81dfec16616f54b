package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// model holds the embeddings of one model and the arithmetic of its form.
type model struct {
	kernels    *kernel.Set
	form       form.Form
	structure  structure.Structure
	dim        int // d; padding columns are 0
	reciprocal bool
	stateRows  int // rows in the state of a path
	hop        hop
	measure    tiles.Measure
	entities   tiles.Embeddings
	relations  []formTable
	global     []formTable
	cores      *cores // nil if the form has none
	moves      int    // index of the relations that are added to anchors, see [form.Table]; -1 for none
	sharesRows bool   // neighbouring paths can share rows of relations
	count      int    // of relations, without reverses
}

// formTable is a table of relations, or a global one.
type formTable struct {
	tiles.Embeddings
	rows    int // of a relation in one direction, or of the table
	columns int // without padding
}

// newModel copies parameters into padded tables, but for a large table of entities, which it
// shares. With bf16, products are computed in bfloat16. The model does not change.
func newModel(k *kernel.Set, bf16 *kernel.BF16Set, p kge.Parameters, threads int) *model {
	entities := tiles.NewView(p.Entities, p.Dim)
	isLarge := entities.IsLarge()
	if !isLarge {
		entities = tiles.NewEmbeddings(p.Entities, p.Dim)
	}
	m := newModelOf(k, p, entities)
	if bf16 != nil && p.Form.Capabilities().Products {
		if isLarge {
			m.entities.EnableLazyBF16(bf16)
		} else {
			m.entities.EnableBF16(bf16)
		}
		m.relations[0].EnableBF16(bf16)
	}
	if m.cores != nil {
		m.cores.deriveAll(threads)
		m.cores.isFixed = true
	}
	return m
}

// newModelOf returns a model of entities, with copies of the other parameters.
func newModelOf(k *kernel.Set, p kge.Parameters, entities tiles.Embeddings) *model {
	arithmetic, _ := arithmeticOf(p.Form)
	m := &model{
		kernels: k, form: p.Form, dim: p.Dim, reciprocal: p.Reciprocal,
		measure: arithmetic.newMeasure(p.Dim), entities: entities, moves: -1,
	}
	m.stateRows = m.measure.RowsPerQuery()
	for i, t := range p.Specs() {
		table := formTable{tiles.NewEmbeddings(p.All()[1+i], t.Columns), t.Rows, t.Columns}
		if t.Global {
			m.global = append(m.global, table)
			continue
		}
		m.relations = append(m.relations, table)
		m.sharesRows = m.sharesRows || t.Shared
		if t.Moves {
			m.moves = i
		}
	}
	m.count = m.relations[0].Count / m.relations[0].rows
	if m.reciprocal {
		m.count /= 2
	}
	m.setStructure(p.Structure)
	if n := p.Form.Partitions(); n > 0 {
		m.cores = newCores(m, n)
	}
	return m
}

func (m *model) setStructure(s structure.Structure) {
	arithmetic, _ := arithmeticOf(m.form)
	m.structure, m.hop = s, arithmetic.newHop(m.kernels, s, m.dim)
	if h, ok := m.hop.(neuralHop); ok {
		h.rows, h.columns = m.relations[0].rows, m.relations[0].columns
		for i, t := range m.global {
			h.globals = append(h.globals, t.Dense(m.columns(1+len(m.relations)+i)))
		}
		m.hop = h
	}
}

// unpad returns the numbers of a table without padding columns.
type unpad func(e tiles.Embeddings, columns int) []float32

// copyRows copies the numbers. viewRows may share memory with the table.
var copyRows, viewRows unpad = tiles.Embeddings.Dense, tiles.Embeddings.View

// parameters returns the model without padding.
func (m *model) parameters(u unpad) kge.Parameters {
	return kge.Parameters{
		Form: m.form, Structure: m.structure, Dim: m.dim, Reciprocal: m.reciprocal,
		Tables: m.unpadded(m.tables(), u),
	}
}

// tables returns the tables of entities, of relations, and global ones.
func (m *model) tables() []tiles.Embeddings {
	all := []tiles.Embeddings{m.entities}
	for _, tables := range [][]formTable{m.relations, m.global} {
		for _, t := range tables {
			all = append(all, t.Embeddings)
		}
	}
	return all
}

// maxQueries returns the largest number of queries that are scored together.
func (m *model) maxQueries() int { return m.entities.MaxQueries() }

// columns returns the number of columns of a table without padding.
func (m *model) columns(table int) int {
	switch n := len(m.relations); {
	case table == 0:
		return m.dim
	case table <= n:
		return m.relations[table-1].columns
	default:
		return m.global[table-1-n].columns
	}
}

// prepare computes what ranking and scoring need in addition to the tables.
func (m *model) prepare(threads int) {
	if m.cores != nil {
		m.cores.deriveAll(threads)
	}
}

// unpadded returns tables without padding. They have the shapes of the model's tables.
func (m *model) unpadded(all []tiles.Embeddings, u unpad) kge.Tables {
	tables := make([][]float32, len(all))
	for i, table := range all {
		tables[i] = u(table, m.columns(i))
	}
	return kge.TablesOf(tables)
}

// stream returns tables without padding, to read and write in parts.
func (m *model) stream(all []tiles.Embeddings) (tables []checkpoint.Table) {
	for i, table := range all {
		tables = append(tables, table.Stream(m.columns(i)))
	}
	return tables
}

// fill fills padded tables; it inverts unpadded.
func (m *model) fill(all []tiles.Embeddings, from kge.Tables) {
	for i, table := range from.All() {
		all[i].Fill(table, m.columns(i))
	}
}

// relationRow returns the number of a path's relation in the tables, and whether it is walked
// through the transpose.
func (m *model) relationRow(relation int32) (number int, transposed bool) {
	return rules.RelationRow(relation, m.count, m.reciprocal)
}
