package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// model is the numbers of one model, and what they mean.
type model struct {
	kernels    *kernel.Set
	form       form.Form
	structure  structure.Structure
	dim        int // d; the columns after it are 0
	reciprocal bool
	stateRows  int // of each path
	hop        hop
	measure    tiles.Measure
	entities   tiles.Embeddings
	relations  []relationTable
	shared     bool // rows of relations can be there once for neighbours
	count      int  // of relations without reverses
}

// relationTable has rows of each direction of a relation, one after the other.
type relationTable struct {
	tiles.Embeddings
	rows, columns int // of a direction; of a row
}

// newModel places parameters, for products in bfloat16 where there is a unit.
func newModel(k *kernel.Set, unit *kernel.BF16Set, p kge.Parameters) *model {
	m := &model{
		kernels: k, form: p.Form, dim: p.Dim, reciprocal: p.Reciprocal,
		measure: arithmetics[p.Form].newMeasure(p.Dim), entities: tiles.NewEmbeddings(p.Entities, p.Dim),
	}
	m.stateRows = m.measure.RowsPerQuery()
	for i, t := range p.Specs() {
		m.relations = append(m.relations, relationTable{tiles.NewEmbeddings(p.OfRelations()[i], t.Columns), t.Rows, t.Columns})
		m.shared = m.shared || t.Shared
	}
	m.count = m.relations[0].Count / m.relations[0].rows
	if m.reciprocal {
		m.count /= 2
	}
	m.setStructure(p.Structure)
	if unit != nil && p.Form.Capabilities().Products {
		m.entities.EnableBF16(unit)
		m.relations[0].EnableBF16(unit)
	}
	return m
}

func (m *model) setStructure(s structure.Structure) {
	m.structure, m.hop = s, arithmetics[m.form].newHop(m.kernels, s, m.dim)
}

// parameters are the numbers without padding, made by one of the two ways.
func (m *model) parameters(made withoutPadding) kge.Parameters {
	return kge.Parameters{Form: m.form, Structure: m.structure, Dim: m.dim, Reciprocal: m.reciprocal, Tables: m.dense(m.tables(), made)}
}

// withoutPadding is copied or shown.
type withoutPadding func(e tiles.Embeddings, columns int) []float32

var copied, shown withoutPadding = tiles.Embeddings.Dense, tiles.Embeddings.View

// tables are those of the entities and of the relations.
func (m *model) tables() []tiles.Embeddings {
	all := []tiles.Embeddings{m.entities}
	for _, t := range m.relations {
		all = append(all, t.Embeddings)
	}
	return all
}

// mostQueries is how many queries are asked of the entities at a time at most.
func (m *model) mostQueries() int { return m.entities.MaxQueries() }

// columns is how many columns each of the tables has without padding.
func (m *model) columns(table int) int {
	if table == 0 {
		return m.dim
	}
	return m.relations[table-1].columns
}

// dense are tables like those of the model, without padding.
func (m *model) dense(all []tiles.Embeddings, made withoutPadding) (t kge.Tables) {
	for i, table := range all {
		numbers := made(table, m.columns(i))
		switch i {
		case 0:
			t.Entities = numbers
		case 1:
			t.Relations = numbers
		default:
			t.More = append(t.More, numbers)
		}
	}
	return t
}

// fill is the other way of dense.
func (m *model) fill(all []tiles.Embeddings, from kge.Tables) {
	all[0].Fill(from.Entities, m.dim)
	for i, table := range from.OfRelations() {
		all[i+1].Fill(table, m.columns(i+1))
	}
}

// place is the number of a relation in the tables, and whether it is walked through
// the transpose.
func (m *model) place(relation int32) (number int, transposed bool) {
	return rules.RelationRow(relation, m.count, m.reciprocal)
}
