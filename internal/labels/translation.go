package labels

import (
	"cmp"
	"fmt"
	"slices"
)

// Translation maps the ids of entities and relations to those of other lists with the same
// labels.
type Translation struct{ entities, relations *ids }

// NewTranslation returns the translation from the ids of a source to those of a model, or the
// other way round.
func NewTranslation(
	source string, entities, relations, toEntities, toRelations []string,
) Translation {
	return Translation{
		newIDs(source, "entity", entities, toEntities),
		newIDs(source, "relation", relations, toRelations),
	}
}

// ids maps ids to other ids, or -1 if the other list lacks the label.
type ids struct {
	source, kind string
	labels       []string
	other        []int32 // nil if the ids are equal
	missing      error   // for the first label that was looked up and not found
}

func newIDs(source, kind string, from, to []string) *ids {
	t := &ids{source: source, kind: kind, labels: from}
	if slices.Equal(from, to) {
		return t
	}
	indices := Index(to)
	t.other = make([]int32, len(from))
	for i, label := range from {
		t.other[i] = -1
		if id, found := indices[label]; found {
			t.other[i] = id
		}
	}
	return t
}

func (t *ids) of(id int32) int32 {
	if t.other == nil {
		return id
	}
	if t.other[id] < 0 && t.missing == nil {
		t.missing = fmt.Errorf("the model has no %s %q, which %s mentions",
			t.kind, t.labels[id], t.source)
	}
	return t.other[id]
}

// Entity returns the other id of an entity, -1 if there is none.
func (t Translation) Entity(id int32) int32 { return t.entities.of(id) }

// Relation returns the other id of a relation, -1 if there is none.
func (t Translation) Relation(id int32) int32 { return t.relations.of(id) }

// Entities returns the other ids of entities, ascending; nil for none.
func (t Translation) Entities(ids []int32) (other []int32) {
	for _, id := range ids {
		other = append(other, t.Entity(id))
	}
	slices.Sort(other)
	return other
}

// Path returns the path with other ids. A path has 2k for relation k and 2k+1 for its reverse.
func (t Translation) Path(relations []int32) (other []int32) {
	for _, r := range relations {
		other = append(other, 2*t.Relation(r/2)+r%2)
	}
	return other
}

// Missing returns an error for the first lookup without a result, or nil.
func (t Translation) Missing() error { return cmp.Or(t.entities.missing, t.relations.missing) }
