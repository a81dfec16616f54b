package autodiff

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/tensors"
)

// model says which graphs a model has, apart from the sizes of its tables. It is comparable.
type model struct {
	form       form.Form
	dim        int
	reciprocal bool
	bfloat16   bool // factors of products of scores
}

func modelOf(p kge.Parameters) model {
	return model{form: p.Form, dim: p.Dim, reciprocal: p.Reciprocal}
}

// graphs returns the graphs of a form that is supported.
func (m model) graphs() graphForm {
	graphs, _ := graphOf(m.form)
	return graphs
}

// specs describes the tables after that of entities.
func (m model) specs() []form.Table { return m.form.Spec().Tables(m.dim) }

// relationSpecs describes the tables of relations.
func (m model) relationSpecs() []form.Table {
	return slices.DeleteFunc(m.specs(), func(t form.Table) bool { return t.Global })
}

func (m model) stateRows() int { return m.form.Capabilities().StateRows }

// ways returns the directions in which questions walk relations.
func (m model) ways() ways {
	if m.reciprocal {
		return headToTail
	}
	return both
}

// firstAverage returns the first row of the last table that has no gradient, -1 if all have one.
func (m model) firstAverage() int {
	if a, ok := m.graphs().(averaging); ok {
		return a.averages()
	}
	return -1
}

// stored holds the numbers of a model on the device.
type stored struct {
	kge.Parameters // without tables
	tables         []*tensors.Tensor
	operators      *tensors.Tensor
}

// store copies a model.
func store(p kge.Parameters) *stored { return storeAs(p, columnsOf(p.Dim, p.Specs())) }

// storeAs copies a model whose tables have numbers of columns.
func storeAs(p kge.Parameters, columns []int) *stored {
	s := &stored{Parameters: p, tables: tensorsOf(p.Tables, columns)}
	s.Parameters.Tables = kge.Tables{}
	s.setStructure(p.Structure)
	return s
}

// columnsOf returns the numbers of columns of the table of entities and of others.
func columnsOf(dim int, others []form.Table) []int {
	columns := []int{dim}
	for _, table := range others {
		columns = append(columns, table.Columns)
	}
	return columns
}

// tensorsOf copies tables that have numbers of columns.
func tensorsOf(t kge.Tables, columns []int) (all []*tensors.Tensor) {
	for i, numbers := range t.All() {
		all = append(all, tensors.FromFlatDataAndDimensions(
			slices.Clone(numbers), len(numbers)/columns[i], columns[i]))
	}
	return all
}

// copied copies tables from the device.
func copied(all []*tensors.Tensor) (kge.Tables, error) {
	var numbers [][]float32
	for _, t := range all {
		table, err := tensors.CopyFlatData[float32](t)
		if err != nil {
			return kge.Tables{}, err
		}
		numbers = append(numbers, table)
	}
	return kge.TablesOf(numbers), nil
}

// parameters copies the model from the device.
func (s *stored) parameters() (p kge.Parameters, err error) {
	p = s.Parameters
	p.Tables, err = copied(s.tables)
	return p, err
}

// shape returns the shape of the model without a copy from the device.
func (s *stored) shape() kge.MemberShape {
	shape := kge.MemberShape{Structure: s.Structure}
	for _, t := range s.tables {
		shape.Sizes = append(shape.Sizes, t.Shape().Size())
	}
	return shape
}

func (s *stored) setStructure(a structure.Structure) {
	finalize(s.operators)
	s.Structure, s.operators = a, operatorsOf(a)
}

// operatorsOf arranges the sign tensor T[i,k,j] of a structure as [2, K·K, K]: row (i,k) and column
// j for hops from heads, row (j,k) and column i for hops from tails. A form without structure has
// zeros.
func operatorsOf(a structure.Structure) *tensors.Tensor {
	k := max(1, a.K())
	cube := k * k * k
	all := make([]float32, 2*cube)
	if a.K() > 0 {
		for at, sign := range a.SignTensor() {
			i, r, j := at/(k*k), at/k%k, at%k
			all[at], all[cube+(j*k+r)*k+i] = float32(sign), float32(sign)
		}
	}
	return tensors.FromFlatDataAndDimensions(all, 2, k*k, k)
}

func (s *stored) close() {
	finalize(s.tables...)
	finalize(s.operators)
}

// finalize frees tensors. It ignores errors: a tensor donated to a failed step is already freed.
func finalize(all ...*tensors.Tensor) {
	for _, t := range all {
		if t != nil {
			_ = t.FinalizeAll()
		}
	}
}
