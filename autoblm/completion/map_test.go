package completion_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// TestMapOf checks that a map has every entity, and that the group of an entity is an end of a
// relation at which no other end is more frequent.
func TestMapOf(t *testing.T) {
	on, _ := variedTask(t)
	m := variedModels(t)[0]
	placed := completion.MapOf([]*kge.Model{m}, on.Graph, 2000)
	if len(placed.Places) != len(m.EntityLabels) || !strings.Contains(placed.Note, "% of the variance") {
		t.Fatalf("%d places for %d entities; %s", len(placed.Places), len(m.EntityLabels), placed.Note)
	}
	grouped := 0
	for i, p := range placed.Places {
		if p.Name != m.EntityLabels[i] {
			t.Fatalf("place %d is that of %s, want %s", i, p.Name, m.EntityLabels[i])
		}
		counts := map[string]int{}
		for _, x := range on.Graph.Train {
			relation := on.Graph.Relations[x.Relation]
			if on.Graph.Entities[x.Head] == p.Name {
				counts["head of "+relation]++
			}
			if on.Graph.Entities[x.Tail] == p.Name {
				counts["tail of "+relation]++
			}
		}
		if p.Group == "" {
			continue
		}
		grouped++
		for end, n := range counts {
			if n > counts[p.Group] {
				t.Errorf("%s is %s %d times, but its group is %s", p.Name, end, n, p.Group)
			}
		}
	}
	if grouped == 0 {
		t.Error("no entity has a group")
	}
}
