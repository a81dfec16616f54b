package kge

import "fmt"

// LabelledTable is a table of embeddings with a label for each row.
type LabelledTable struct {
	// Name is "entities", "relations", or the name of a further table of the form.
	Name    string
	Labels  []string
	Columns int
	Numbers []float32 // row-major
	// Words is true if the labels are words of word2vec, which have "_" in place of spaces.
	Words bool
}

// Row returns the embedding of a row.
func (t LabelledTable) Row(i int) []float32 { return t.Numbers[i*t.Columns:][:t.Columns] }

// ReverseSuffix ends the label of the reverse of a relation in a [LabelledTable].
const ReverseSuffix = "_reverse"

// LabelledTables returns the tables of the model with a label for each row. The rows of a relation
// in a table with several are one. A relation whose label is that of another's reverse is an error.
func (m *Model) LabelledTables() ([]LabelledTable, error) {
	var tables []LabelledTable
	for i, t := range m.layout() {
		all := t.allLabels()
		if t.directions == 2 {
			isThere := make(map[string]bool, len(all))
			for _, label := range all {
				if isThere[label] {
					return nil, fmt.Errorf("the relation %q has the name of the reverse of another: "+
						"rename it in %s", label, relationLabelsFile)
				}
				isThere[label] = true
			}
		}
		tables = append(tables, LabelledTable{
			Name: t.name, Labels: all, Columns: t.rows * t.columns, Numbers: m.All()[i],
		})
	}
	return tables, nil
}

// allLabels returns the labels of all directions.
func (t labelledTable) allLabels() []string {
	all := t.labels[:len(t.labels):len(t.labels)]
	if t.directions == 2 {
		for _, label := range t.labels {
			all = append(all, label+ReverseSuffix)
		}
	}
	return all
}
