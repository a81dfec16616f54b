package labels

import (
	"strings"
	"testing"
)

func TestListIsShort(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = "relation"
	}
	if got := List(many); !strings.HasSuffix(got, "and 988 more") ||
		strings.Count(got, "relation") != 12 {
		t.Errorf("%q", got)
	}
}

func TestEntity(t *testing.T) {
	labels := []string{"Chad", "Niger"}
	if id, err := Entity(labels, "Niger"); err != nil || id != 1 {
		t.Errorf("%d, %v", id, err)
	}
	if _, err := Entity(labels, "niger"); err == nil ||
		err.Error() != `the model has no entity "niger"; did you mean Niger?` {
		t.Error(err)
	}
}
