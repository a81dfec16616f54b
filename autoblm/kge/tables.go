package kge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Tables are the numbers of a model, row-major.
type Tables struct {
	// Entities is [entities, d]; chunk i of a row is row[i*d/K : (i+1)*d/K].
	Entities []float32
	// Relations is the first table of relations of the form, for most [relations, d]: the
	// rows of each relation and, with reverses, then those of each reverse.
	Relations []float32
	// More are the other tables of the form, in its order; most forms have none.
	More [][]float32
}

// all are the tables one after the other.
func (t Tables) all() [][]float32 { return append([][]float32{t.Entities, t.Relations}, t.More...) }

// tablesOf is the other way of all.
func tablesOf(all [][]float32) Tables {
	return Tables{all[0], all[1], append([][]float32(nil), all[2:]...)}
}

// OfRelations are the tables of relations, in the order of the form.
func (t Tables) OfRelations() [][]float32 { return t.all()[1:] }

// Finite says whether all numbers are.
func (t Tables) Finite() bool {
	return !slices.ContainsFunc(t.all(), func(table []float32) bool { return firstNotFinite(table) >= 0 })
}

func firstNotFinite(table []float32) int {
	return slices.IndexFunc(table, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

// sameSizes says whether two models have the same numbers of numbers.
func (t Tables) sameSizes(other Tables) bool {
	return slices.EqualFunc(t.all(), other.all(), func(a, b []float32) bool { return len(a) == len(b) })
}

// Parameters are a model without names.
type Parameters struct {
	Form      form.Form
	Structure structure.Structure
	Dim       int
	// Reciprocal is whether relations have reverses; see [Settings].
	Reciprocal bool
	Tables
}

// Compare puts models into an order, by what they are and then by their numbers; it is 0
// where all is the same.
func (p Parameters) Compare(other Parameters) int {
	order := cmp.Or(
		cmp.Compare(p.Form.String(), other.Form.String()), cmp.Compare(p.Structure.String(), other.Structure.String()),
		cmp.Compare(p.Dim, other.Dim), cmp.Compare(p.directions(), other.directions()),
	)
	for i, table := range p.all() {
		if order == 0 {
			order = slices.Compare(table, other.all()[i])
		}
	}
	return order
}

// directions is how many times the tables of relations have each relation.
func (p Parameters) directions() int {
	if p.Reciprocal {
		return 2
	}
	return 1
}

// Specs describe the tables of relations.
func (p Parameters) Specs() []form.Table { return p.Form.Spec().Tables(p.Dim) }

// Entity is the row of an entity.
func (p Parameters) Entity(id int32) []float32 { return p.Entities[int(id)*p.Dim:][:p.Dim] }

// Scorer scores answers to a question by the definition of the form, in float64.
// relations is the number of relations without reverses.
func (p Parameters) Scorer(q Question, relations int) func(answer int32) float64 {
	spec := p.Form.Spec()
	state := make([]float64, p.Dim*spec.Capabilities().StateRows)
	copy(state, widen(p.Entity(q.Anchor)))
	for _, r := range q.Path {
		number, transposed := Place(r, relations, p.Reciprocal)
		var rows [][]float64
		for i, table := range p.Specs() {
			size := table.Rows * table.Columns
			rows = append(rows, widen(p.OfRelations()[i][number*size:][:size]))
		}
		state = spec.DefineHop(p.Structure, state, rows, transposed)
	}
	return func(answer int32) float64 { return spec.DefineScore(state, widen(p.Entity(answer))) }
}

// ScoreTriple is the score of a triple by the structure, in float64 (paper, Equation 7). The
// relation is a row of its table, which may be that of a reverse.
func (p Parameters) ScoreTriple(head, relation, tail int32) float64 {
	return p.Structure.Score(widen(p.Entity(head)), widen(p.Relations[int(relation)*p.Dim:][:p.Dim]), widen(p.Entity(tail)))
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// Place is where the tables have the rows of a relation of a path, and whether it is
// walked through the transpose: a reverse has rows of its own, after those of all
// relations, or is the transpose of its relation.
func Place(relation int32, relations int, reciprocal bool) (number int, transposed bool) {
	number, back := int(relation/2), relation%2 == 1
	if back && reciprocal {
		number += relations
	}
	return number, back && !reciprocal
}

// OneShape says which of several models cannot be ranked with the first.
func OneShape(parameters []Parameters) error {
	if len(parameters) == 0 {
		return errors.New("there is no model to rank with")
	}
	first := parameters[0]
	for i, p := range parameters {
		if p.Form != first.Form || p.Structure.K() != first.Structure.K() || p.Dim != first.Dim || p.Reciprocal != first.Reciprocal || !p.sameSizes(first.Tables) {
			return fmt.Errorf("model %d differs from model 0 in its form, K, dim, reciprocal relations or the number of entities or relations: rank them apart", i)
		}
	}
	return nil
}

// Replaceable says why one structure cannot take the place of another in a
// population: the embeddings are cut into as many chunks as the first one has.
func Replaceable(present, next structure.Structure) error {
	if next.K() != present.K() {
		return fmt.Errorf("a structure with K=%d cannot take the place of one with K=%d: the embeddings are cut into %d chunks", next.K(), present.K(), present.K())
	}
	return nil
}

// Initialize draws a member's numbers, entities first, so that a seed gives the same
// numbers on every engine. The member is valid.
func Initialize(d *Data, s Settings, m Member) Parameters {
	p := Parameters{Form: m.Form, Dim: s.Dim, Reciprocal: s.Reciprocal}
	p.Structure, _ = m.Form.Spec().Structure(m.Structure)
	rng := rand.New(rand.NewPCG(m.Seed, 0x656d626564)) // the second word keeps embeddings apart from other uses of the seed
	own := rand.New(rand.NewPCG(m.Seed, 0x72656c6174696f6e))
	draw := func(rows, columns int) []float32 {
		number := func() float64 { return rng.NormFloat64() * s.InitScale }
		if s.Initial == Xavier {
			bound := math.Sqrt(6 / float64(rows+columns))
			number = func() float64 { return (2*rng.Float64() - 1) * bound }
		}
		x := make([]float32, rows*columns)
		for i := range x {
			if d.isOver(i) {
				break
			}
			x[i] = float32(number())
		}
		return x
	}
	all := [][]float32{draw(len(d.Entities), s.Dim)}
	for _, table := range p.Specs() {
		rows := len(d.Relations) * p.directions() * table.Rows
		if table.Draw == nil {
			all = append(all, draw(rows, table.Columns))
			continue
		}
		x := make([]float32, rows*table.Columns)
		for i := range x {
			if d.isOver(i) {
				break
			}
			x[i] = float32(table.Draw(own, i/table.Columns%table.Rows, s.InitScale))
		}
		all = append(all, x)
	}
	p.Tables = tablesOf(all)
	return p
}
