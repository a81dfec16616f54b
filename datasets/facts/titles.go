package facts

import (
	"slices"
	"strings"
)

// roles are the names of the columns of a fact.
var roles = []string{"head", "relation", "tail", "weight", "time"}

const head, relation, tail, weight, when = 0, 1, 2, 3, 4

// titles lists common titles of the columns in lower case, the clearest first.
var titles = [...][]string{
	head: {
		"head", "h", "subject", "subj", "sub", "s", "source", "src", "from", "head_entity",
		"entity1", "entity_1", "e1", "head_id", "subject_id", "start", ":start_id",
	},
	relation: {
		"relation", "r", "rel", "relationship", "relation_type", "predicate", "pred", "p",
		"property", "edge", "edge_type", "label", "type", "link", "relation_id", ":type",
	},
	tail: {
		"tail", "object", "obj", "o", "target", "dst", "to", "tail_entity",
		"entity2", "entity_2", "e2", "tail_id", "object_id", "end", ":end_id", "t",
	},
	weight: {"weight", "w"},
	when:   {"time", "timestamp", "date", "year", "t"}, // t is the tail if no other column is
}

// AreTitles reports whether labels are common titles of the columns of head, relation and tail.
func AreTitles(labels [3]string) bool {
	for role, label := range labels {
		if !slices.Contains(titles[role], plainTitle(label)) {
			return false
		}
	}
	return true
}

// plainTitle returns a title in lower case, without spaces and marks around it.
func plainTitle(title string) string {
	return strings.ToLower(strings.Trim(title, " \t\r\n\"'#<>\uFEFF"))
}

// titled returns the column of a role by its common titles, or -1.
func titled(columns []string, role int) int {
	for _, title := range titles[role] {
		i := slices.IndexFunc(columns, func(c string) bool { return plainTitle(c) == title })
		if i >= 0 {
			return i
		}
	}
	return -1
}
