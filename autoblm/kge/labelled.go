package kge

import "fmt"

// LabelledTable is a table of embeddings with a label for each row.
type LabelledTable struct {
	// Name is "entities", "relations", or the name of a further table of the form. A global table
	// has its name as the only label.
	Name    string
	Labels  []string
	Columns int
	Numbers []float32 // row-major
	// Words is true if the labels are words of word2vec, which have "_" in place of spaces.
	Words bool
}

// check returns an error if the numbers are not those of the rows, or not finite.
func (t LabelledTable) check() error {
	if len(t.Numbers) != len(t.Labels)*t.Columns {
		return fmt.Errorf("table %q has %d numbers, but %d labels times %d columns",
			t.Name, len(t.Numbers), len(t.Labels), t.Columns)
	}
	for i, x := range t.Numbers {
		if x-x != 0 { // NaN or infinite
			return fmt.Errorf("table %q has the number %v in the row of %q: it must be finite",
				t.Name, x, t.Labels[i/t.Columns])
		}
	}
	return nil
}

// Row returns the embedding of a row.
func (t LabelledTable) Row(i int) []float32 { return t.Numbers[i*t.Columns:][:t.Columns] }

// reverseSuffix ends the label of the reverse of a relation in a [LabelledTable], before "_" if
// another relation has that label.
const reverseSuffix = "_reverse"

// LabelledTables returns the tables of the model with a label for each row. The rows of a relation
// in a table with several are one.
func (m *Model) LabelledTables() (tables []LabelledTable) {
	for i, t := range m.layout() {
		tables = append(tables, LabelledTable{
			Name: t.name, Labels: t.allLabels(), Columns: t.rows * t.columns, Numbers: m.All()[i],
		})
	}
	return tables
}

// allLabels returns the labels of all directions, each of them once.
func (t labelledTable) allLabels() []string {
	all := t.labels[:len(t.labels):len(t.labels)]
	if t.directions == 1 {
		return all
	}
	isTaken := make(map[string]bool, 2*len(all))
	for _, label := range t.labels {
		isTaken[label] = true
	}
	for _, label := range t.labels {
		reverse := label + reverseSuffix
		for isTaken[reverse] {
			reverse += "_"
		}
		isTaken[reverse] = true
		all = append(all, reverse)
	}
	return all
}
