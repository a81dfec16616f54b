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
)

// Tables holds the embeddings of a model, row-major.
type Tables struct {
	// Entities is [entities, d]. Chunk i of a row is row[i*d/K : (i+1)*d/K].
	Entities []float32
	// Relations is the form's first table of relations, mostly [relations, d]. The rows of
	// each relation come first, then, with reciprocal relations, those of each reverse.
	Relations []float32
	// More has the form's other tables in order; most forms have none.
	More [][]float32
}

// All returns the tables in order: that of entities, and those of relations.
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
	return slices.IndexFunc(table, func(x float32) bool {
		return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
	})
}

// hasSizesOf reports whether two models have tables of the same sizes.
func (t Tables) hasSizesOf(other Tables) bool {
	return slices.EqualFunc(t.All(), other.All(), func(a, b []float32) bool {
		return len(a) == len(b)
	})
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

// Specs describes the tables of relations.
func (p Parameters) Specs() []form.Table { return p.Form.Spec().Tables(p.Dim) }

// Entity returns the row of an entity.
func (p Parameters) Entity(id int32) []float32 { return p.Entities[int(id)*p.Dim:][:p.Dim] }

// Scorer returns a function that scores answers to a question with the definition of the form
// in float64. relations is the number of relations without reverses.
func (p Parameters) Scorer(q Question, relations int) func(answer int32) float64 {
	spec := p.Form.Spec()
	state := make([]float64, p.Dim*spec.Capabilities().StateRows)
	copy(state, widen(p.Entity(q.Anchor)))
	for _, r := range q.Path {
		number, transposed := rules.RelationRow(r, relations, p.Reciprocal)
		var rows [][]float64
		for i, table := range p.Specs() {
			size := table.Rows * table.Columns
			rows = append(rows, widen(p.All()[1+i][number*size:][:size]))
		}
		state = spec.DefineHop(p.Structure, state, rows, transposed)
	}
	return func(answer int32) float64 { return spec.DefineScore(state, widen(p.Entity(answer))) }
}

// ScoreTriple returns the score of a triple for the structure, in float64 (paper, Equation 7).
// relation is a row of its table, which may be that of a reverse.
func (p Parameters) ScoreTriple(head, relation, tail int32) float64 {
	row := p.Relations[int(relation)*p.Dim:][:p.Dim]
	return p.Structure.Score(widen(p.Entity(head)), widen(row), widen(p.Entity(tail)))
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
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
		p.Dim == other.Dim && p.Reciprocal == other.Reciprocal && p.hasSizesOf(other.Tables)
}
