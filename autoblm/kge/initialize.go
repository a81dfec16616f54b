package kge

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// Streams keep the random numbers of embeddings apart from other uses of a seed.
const (
	embeddingStream     = 0x656d626564
	relationTableStream = 0x72656c6174696f6e // of tables with their own distribution
)

// Initialize draws the initial numbers of a valid member: its embeddings or, with an encoder, the
// tables of [Settings.LearnedTables]. A seed gives the same numbers on every engine.
func Initialize(d *Data, s Settings, m Member) Parameters {
	entities := make([]float32, len(d.Entities)*s.LearnedDim())
	p := InitializeInto(d, s, m, checkpoint.TableOf(entities))
	p.Entities = entities
	return p
}

// InitializeInto works like [Initialize], but writes the embeddings of entities into a table in
// parts, and returns the parameters without them.
func InitializeInto(d *Data, s Settings, m Member, entities StreamTable) Parameters {
	p := Parameters{Form: s.FormOf(m), Dim: s.Dim, Reciprocal: s.Reciprocal}
	p.Structure, _ = p.Form.Spec().Structure(m.Structure)
	i := initializer{
		settings: s,
		rng:      rand.New(rand.NewPCG(m.Seed, embeddingStream)),
		tableRNG: rand.New(rand.NewPCG(m.Seed, relationTableStream)),
	}
	i.drawInto(entities, len(d.Entities), s.LearnedDim()) // entities first
	all := [][]float32{nil}
	for _, table := range s.LearnedTables(m) {
		rows := table.Rows
		if !table.Global {
			rows *= len(d.Relations) * p.directions()
		}
		isMatrix := table.Shared && !table.Global
		if s.Initial == XavierAll && isMatrix {
			all = append(all, i.draw(rows/table.Rows, table.Rows*table.Columns))
		} else if table.Draw == nil && table.DrawAll == nil {
			all = append(all, i.draw(rows, table.Columns))
		} else {
			all = append(all, i.drawTable(rows, table))
		}
	}
	p.Tables = TablesOf(all)
	return p
}

type initializer struct {
	settings      Settings
	rng, tableRNG *rand.Rand
}

// draw draws a table from the distribution in the settings.
func (i initializer) draw(rows, columns int) []float32 {
	x := make([]float32, rows*columns)
	i.drawInto(checkpoint.TableOf(x), rows, columns)
	return x
}

// drawInto draws the numbers of a table.
func (i initializer) drawInto(t checkpoint.Table, rows, columns int) {
	number := func() float64 { return i.rng.NormFloat64() * i.settings.InitScale }
	if i.settings.Initial != Normal {
		bound := math.Sqrt(6 / float64(rows+columns))
		number = func() float64 { return (2*i.rng.Float64() - 1) * bound }
	}
	part := make([]float32, min(1<<16, t.Count))
	for from := 0; from < t.Count; from += len(part) {
		part = part[:min(len(part), t.Count-from)]
		for n := range part {
			part[n] = float32(number())
		}
		t.Set(from, part)
	}
}

// drawTable draws a table from its form's distribution.
func (i initializer) drawTable(rows int, table form.Table) []float32 {
	x := make([]float32, rows*table.Columns)
	if table.DrawAll != nil {
		for n, number := range table.DrawAll(i.tableRNG) {
			x[n] = float32(number)
		}
		return x
	}
	for n := range x {
		row := n / table.Columns % table.Rows
		x[n] = float32(table.Draw(i.tableRNG, row, i.settings.InitScale))
	}
	return x
}
