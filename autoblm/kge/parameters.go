package kge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"gonum.org/v1/gonum/floats"
)

// Tables holds the embeddings of a model, row-major.
type Tables struct {
	// Entities is [entities, d]. Chunk i of a row is row[i*d/K : (i+1)*d/K].
	Entities []float32
	// Relations is the form's first table of relations, mostly [relations, d]. The rows of
	// each relation come first, then, with reciprocal relations, those of each reverse.
	Relations []float32
	// More has the form's other tables in order, also global ones; most forms have none.
	More [][]float32
}

// All returns the tables in order: that of entities, and those of the form.
func (t Tables) All() [][]float32 {
	return append([][]float32{t.Entities, t.Relations}, t.More...)
}

// TablesOf inverts All.
func TablesOf(all [][]float32) Tables {
	return Tables{all[0], all[1], append([][]float32(nil), all[2:]...)}
}

// Finite reports whether all numbers are finite.
func (t Tables) Finite() bool {
	return !slices.ContainsFunc(t.All(), func(table []float32) bool {
		return firstNotFinite(table) >= 0
	})
}

func firstNotFinite(table []float32) int {
	var sums [4]float32 // NaN if a number is not finite; a processor adds to all at a time
	for part := range mapped.Parts(table) {
		for ; len(part) >= 4; part = part[4:] {
			sums[0] += part[0] - part[0]
			sums[1] += part[1] - part[1]
			sums[2] += part[2] - part[2]
			sums[3] += part[3] - part[3]
		}
		for _, x := range part {
			sums[0] += x - x
		}
	}
	if sums == [4]float32{} {
		return -1
	}
	return slices.IndexFunc(table, func(x float32) bool {
		return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
	})
}

// sizes returns the sizes of all tables.
func (t Tables) sizes() (all []int) {
	for _, table := range t.All() {
		all = append(all, len(table))
	}
	return all
}

// Parameters holds a model without labels.
type Parameters struct {
	Form      form.Form
	Structure structure.Structure
	Dim       int
	// Reciprocal is true if relations have reverses, see [Settings].
	Reciprocal bool
	Tables
}

// Compare orders models by form, structure and sizes, and then by their numbers. It returns 0
// if they are equal.
func (p Parameters) Compare(other Parameters) int {
	order := cmp.Or(
		cmp.Compare(p.Form.String(), other.Form.String()),
		cmp.Compare(p.Structure.String(), other.Structure.String()),
		cmp.Compare(p.Dim, other.Dim),
		cmp.Compare(p.directions(), other.directions()),
	)
	for i, table := range p.All() {
		if order == 0 {
			order = slices.Compare(table, other.All()[i])
		}
	}
	return order
}

// directions returns the number of directions in which each relation has rows.
func (p Parameters) directions() int {
	if p.Reciprocal {
		return 2
	}
	return 1
}

// Specs describes the tables of the form.
func (p Parameters) Specs() []form.Table { return p.Form.Spec().Tables(p.Dim) }

// Entity returns the row of an entity.
func (p Parameters) Entity(id int32) []float32 { return p.Entities[int(id)*p.Dim:][:p.Dim] }

// Scorer returns a function that scores answers to a question with the definition of the form
// in float64. relations is the number of relations without reverses. The function is not safe
// for concurrent use. The first answer takes most of the time, for the question.
func (p Parameters) Scorer(q Question, relations int) func(answer int32) float64 {
	return p.ScorerWith(nil, q, relations)
}

// ScorerWith returns the function of Scorer, which keeps the matrices of relations in kept.
func (p Parameters) ScorerWith(
	kept *CoreMatrices, q Question, relations int,
) func(answer int32) float64 {
	spec := p.Form.Spec()
	var state, row []float64
	return func(answer int32) float64 {
		if state == nil { // many callers need no exact score
			state, row = p.walk(kept, q, relations), make([]float64, p.Dim)
		}
		return spec.DefineScore(state, widenTo(row, p.Entity(answer)))
	}
}

// walk returns the state after the path of a question.
func (p Parameters) walk(kept *CoreMatrices, q Question, relations int) []float64 {
	spec := p.Form.Spec()
	state := make([]float64, p.Dim*spec.Capabilities().StateRows)
	copy(state, widen(p.Entity(q.Anchor)))
	for _, r := range q.Path {
		rows, transposed := p.relationRows(r, relations)
		if n, ok := p.Form.Neural(); ok {
			state = n.Hops([][]float64{state}, rows[:1], transposed, p.More)[0]
		} else if p.Form.Partitions() > 0 {
			state = p.coreHop(state, kept.of(p, r, relations, rows[0]), transposed)
		} else {
			state = spec.DefineHop(p.Structure, state, rows, transposed)
		}
	}
	return state
}

// relationRows returns the rows of a path's relation in each table that is not global, and whether
// the relation is walked through the transpose.
func (p Parameters) relationRows(
	relation int32, relations int,
) (rows [][]float64, transposed bool) {
	number, transposed := rules.RelationRow(relation, relations, p.Reciprocal)
	for i, table := range p.Specs() {
		if table.Global {
			continue
		}
		size := table.Rows * table.Columns
		rows = append(rows, widen(p.All()[1+i][number*size:][:size]))
	}
	return rows, transposed
}

// TripleScorer returns a function that scores the tails of a head and a relation for the
// structure, in float64 (paper, Equation 7), or the heads of a relation and a tail if given is the
// tail. relation is a row of its table, which may be that of a reverse. With translations, the tail
// cannot be given. The function is not safe for concurrent use.
func (p Parameters) TripleScorer(given, relation int32, givenIsTail bool) func(int32) float64 {
	known, row := widen(p.Entity(given)), widen(p.Relations[int(relation)*p.Dim:][:p.Dim])
	if p.Form == form.Translated {
		floats.Add(known, widen(p.More[0][int(relation)*p.Dim:][:p.Dim]))
	}
	other := make([]float64, p.Dim)
	return func(answer int32) float64 {
		head, tail := known, widenTo(other, p.Entity(answer))
		if givenIsTail {
			head, tail = tail, head
		}
		return p.Structure.Score(head, row, tail)
	}
}

func widen(x []float32) []float64 {
	return widenTo(make([]float64, len(x)), x)
}

// widenTo converts x into y, which has the same length.
func widenTo(y []float64, x []float32) []float64 {
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// CheckSameShape returns an error if a [Ranker] cannot hold all models at once.
func CheckSameShape(models []Parameters) error {
	if len(models) == 0 {
		return errors.New("there is no model to rank with")
	}
	for i, p := range models {
		if !p.hasShapeOf(models[0]) {
			return fmt.Errorf("model %d differs from model 0 in its form, K, dim, reciprocal "+
				"relations or the number of entities or relations: rank them separately", i)
		}
	}
	return nil
}

func (p Parameters) hasShapeOf(other Parameters) bool {
	return p.Form == other.Form && p.Structure.K() == other.Structure.K() &&
		p.Dim == other.Dim && p.Reciprocal == other.Reciprocal && slices.Equal(p.sizes(), other.sizes())
}
