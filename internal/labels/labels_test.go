package labels

import (
	"slices"
	"strings"
	"testing"
)

func TestListsAreShort(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = "relation"
	}
	if got := Listed(many); !strings.HasSuffix(got, "and 988 more") || strings.Count(got, "relation") != 12 {
		t.Errorf("%q", got)
	}
	if got := DidYouMean(Near(many, "relations")); strings.Count(got, "relation") != 3 {
		t.Errorf("%q", got)
	}
}

func TestNear(t *testing.T) {
	labels := []string{"East Germany", "Germany", "Niger", "Nigeria", "Oman", "Romania"}
	for label, want := range map[string][]string{
		"german":            {"Germany", "East Germany"},
		"Nigeria (country)": {"Niger", "Nigeria"},
		"omania":            {"Oman", "Romania"},
		"Xanadu":            nil,
		"":                  nil,
	} {
		if got := Near(labels, label); !slices.Equal(got, want) {
			t.Errorf("near %q: %v, want %v", label, got, want)
		}
	}
	if got := DidYouMean(nil); got != "" {
		t.Errorf("nothing is suggested as %q", got)
	}
}

func TestEntity(t *testing.T) {
	labels := []string{"Chad", "Niger"}
	if id, err := Entity(labels, "Niger"); err != nil || id != 1 {
		t.Errorf("%d, %v", id, err)
	}
	if _, err := Entity(labels, "niger"); err == nil || err.Error() != `the model has no entity "niger"; did you mean Niger?` {
		t.Error(err)
	}
}
