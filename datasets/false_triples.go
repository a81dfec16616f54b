package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// FalseTriples returns the false triples of "valid" or "test" that the folder of the graph has, in
// valid_neg.txt or valid_negatives.txt (as CoDEx names them): head<TAB>relation<TAB>tail, with
// labels of the graph. It returns nil without a file.
func (g *Graph) FalseTriples(split string) (triples []Triple, err error) {
	if g.Folder == "" {
		return nil, nil
	}
	text, err := inFolder(g.Folder).first(split+"_neg.txt", split+"_negatives.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer text.Source.Close()
	entities, relations := idsOf(g.Entities), idsOf(g.Relations)
	for line := range linesOf(text) {
		parts := strings.Split(string(line), "\t")
		if len(parts) != 3 {
			return nil, fmt.Errorf("%s:%d: found %d tab-separated fields; "+
				"expected head<TAB>relation<TAB>tail", text.Path, text.Line, len(parts))
		}
		head, hasHead := entities[parts[0]]
		relation, hasRelation := relations[parts[1]]
		tail, hasTail := entities[parts[2]]
		if !hasHead || !hasRelation || !hasTail {
			return nil, fmt.Errorf("%s:%d: a label is not in the graph; remove the line",
				text.Path, text.Line)
		}
		triples = append(triples, Triple{head, relation, tail})
	}
	return triples, text.Err
}

// idsOf returns the ids of labels.
func idsOf(labels []string) map[string]int32 {
	ids := make(map[string]int32, len(labels))
	for id, label := range labels {
		ids[label] = int32(id)
	}
	return ids
}
