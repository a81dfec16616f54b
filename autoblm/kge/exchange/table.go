package exchange

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Table is a table of embeddings with a label for each row.
type Table struct {
	// Name is "entities", "relations", or the name of a further table of the form.
	Name    string
	Labels  []string
	Columns int
	Numbers []float32 // row-major
}

// reverseSuffix ends the label of the reverse of a relation.
const reverseSuffix = "_reverse"

// Tables returns the tables of a model. The reverse of a relation has its label and "_reverse".
func Tables(m *kge.Model) ([]Table, error) {
	relations := m.RelationLabels
	if m.Reciprocal {
		isThere := map[string]bool{}
		for _, label := range relations {
			isThere[label] = true
		}
		for _, label := range m.RelationLabels {
			reverse := label + reverseSuffix
			if isThere[reverse] {
				return nil, fmt.Errorf("the relation %q has the name that the reverse of %q would get: "+
					"rename it in relations.txt", reverse, label)
			}
			relations = append(relations[:len(relations):len(relations)], reverse)
		}
	}
	tables := []Table{{"entities", m.EntityLabels, m.Dim, m.Entities}}
	for i, spec := range m.Specs() {
		numbers := m.All()[1+i]
		tables = append(tables, Table{spec.Name, relations, spec.Rows * spec.Columns, numbers})
	}
	return tables, nil
}

// Row returns the embedding of a row.
func (t Table) Row(i int) []float32 { return t.Numbers[i*t.Columns:][:t.Columns] }
