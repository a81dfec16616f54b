package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Types holds the declared types of the entities of a graph. An entity may have several, or none.
type Types struct {
	// Labels are the labels of the types by id.
	Labels []string
	types  []int32 // of the entities in order, ascending
	starts []int   // of each entity, and the end of the last
}

// EntityType declares that an entity has a type. Both are ids.
type EntityType struct{ Entity, Type int32 }

// NewTypes returns the types of a number of entities. Repeated declarations count once. It panics if
// an id is out of range.
func NewTypes(entities int, labels []string, declared []EntityType) *Types {
	for _, d := range declared {
		if d.Entity < 0 || int(d.Entity) >= entities || d.Type < 0 || int(d.Type) >= len(labels) {
			panic(fmt.Sprintf("datasets: entity %d of %d has type %d of %d", d.Entity, entities, d.Type, len(labels)))
		}
	}
	sorted, starts := groupBy(len(declared), entities, func(i int) (int32, int32) {
		return declared[i].Entity, declared[i].Type
	})
	t := &Types{Labels: labels, types: sorted[:0], starts: make([]int, entities+1)}
	for e := range entities {
		types := sorted[starts[e]:starts[e+1]]
		slices.Sort(types)
		t.types = append(t.types, slices.Compact(types)...)
		t.starts[e+1] = len(t.types)
	}
	return t
}

// Of returns the types of an entity, ascending. A nil Types has none.
func (t *Types) Of(entity int32) []int32 {
	if t == nil || int(entity)+1 >= len(t.starts) {
		return nil
	}
	return t.types[t.starts[entity]:t.starts[entity+1]]
}

// Alike returns the given entities, which are ascending, together with all entities that have a type
// of one of them. hasTypes is false if none of them has a type.
func (t *Types) Alike(entities []int32) (alike []int32, hasTypes bool) {
	if t == nil {
		return entities, false
	}
	isWanted := make([]bool, len(t.Labels))
	for _, e := range entities {
		for _, of := range t.Of(e) {
			isWanted[of], hasTypes = true, true
		}
	}
	if !hasTypes {
		return entities, false
	}
	given := entities
	for e := range int32(len(t.starts) - 1) {
		isGiven := len(given) > 0 && given[0] == e
		if isGiven {
			given = given[1:]
		}
		if isGiven || slices.ContainsFunc(t.Of(e), func(of int32) bool { return isWanted[of] }) {
			alike = append(alike, e)
		}
	}
	return append(alike, given...), true // the rest is newer than the types
}

// Renumber returns the types of a number of entities with other ids. id returns the new id of an
// entity, or a negative number if it is left out.
func (t *Types) Renumber(entities int, id func(entity int32) int32) *Types {
	if t == nil {
		return nil
	}
	var declared []EntityType
	for e := range int32(len(t.starts) - 1) {
		if to := id(e); to >= 0 {
			for _, of := range t.Of(e) {
				declared = append(declared, EntityType{to, of})
			}
		}
	}
	return NewTypes(entities, t.Labels, declared)
}

// typeLabels are the labels of the relation from an entity to its type.
var typeLabels = []string{"http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "rdf:type"}

// IsTypeRelation reports whether facts of a relation declare types.
func IsTypeRelation(label string) bool { return slices.Contains(typeLabels, label) }

// declareTypes sets the types that the facts of the graph, and lines of entity<TAB>type in a file,
// declare. Lines about other entities are skipped.
func (g *Graph) declareTypes(open opener) error {
	var types labelIDs
	var declared []EntityType
	isType := make([]bool, len(g.Relations))
	for r, label := range g.Relations {
		isType[r] = IsTypeRelation(label)
	}
	for _, triples := range g.splits() {
		for _, t := range triples {
			if isType[t.Relation] {
				declared = append(declared, EntityType{t.Head, types.id(g.Entities[t.Tail])})
			}
		}
	}
	path, lines, err := open.types(g.Entities, &types, &declared)
	if err != nil {
		return err
	}
	if lines > 0 && len(declared) == 0 {
		g.warnings = append(g.warnings, fmt.Sprintf("%s is about none of the entities of the "+
			"triples, so it has no effect: use the same labels", path))
	}
	if len(declared) > 0 {
		g.Types = NewTypes(len(g.Entities), types.labels, declared)
	}
	return nil
}

// types adds the types that a file declares. It returns the path of the file and its number of
// lines, 0 without a file.
func (open opener) types(
	entities []string, types *labelIDs, declared *[]EntityType,
) (path string, lines int, err error) {
	text, err := open.first(TypesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	ids := labels.Index(entities)
	err = visitLines(text, func(line []byte) error {
		cells := strings.Split(string(line), "\t")
		facts.Unquote(cells)
		if len(cells) != 2 || cells[0] == "" || cells[1] == "" {
			return fmt.Errorf("expected entity<TAB>type, not %q", clip(line))
		}
		lines++
		if id, found := ids[cells[0]]; found {
			*declared = append(*declared, EntityType{id, types.id(cells[1])})
		}
		return nil
	})
	return text.Path, lines, err
}

// ReadTypes returns the types of entities that a file [TypesFile] in a folder declares; nil if there
// are none.
func ReadTypes(dir string, entities []string) (*Types, error) {
	var types labelIDs
	var declared []EntityType
	if _, _, err := inFolder(dir).types(entities, &types, &declared); err != nil || declared == nil {
		return nil, err
	}
	return NewTypes(len(entities), types.labels, declared), nil
}

// Write writes entity<TAB>type for each declared type of the entities, for a file [TypesFile].
func (t *Types) Write(w io.Writer, entities []string) error {
	for e, label := range entities {
		for _, of := range t.Of(int32(e)) {
			_, err := fmt.Fprintf(w, "%s\t%s\n", facts.Quote(label), facts.Quote(t.Labels[of]))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
