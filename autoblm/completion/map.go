package completion

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/pca"
)

const (
	// mostPlaces is the number of entities of a map, and mostGroups that of their groups.
	mostPlaces = 2000
	mostGroups = 7
)

// MapOf places the embeddings of a model, or of the first member of an ensemble, on the plane in
// which they vary most. The group of an entity is the end of a relation at which it is most often
// in train.
func MapOf(p Predictor, g *datasets.Graph) *task.Map {
	m, note := p.Models()[0], ""
	if len(p.Models()) > 1 {
		note = " in the first member of the ensemble"
	}
	group := relationEnds(g)
	count := len(m.EntityLabels)
	shown := min(count, mostPlaces)
	var rows [][]float32
	result := &task.Map{}
	for i := range shown {
		id := i * count / shown // evenly spaced
		name := m.EntityLabels[id]
		rows = append(rows, m.Entities[id*m.Dim:][:m.Dim])
		result.Places = append(result.Places, task.Place{Name: name, Group: group[name]})
	}
	points, explained := pca.Plane(rows)
	for i, p := range points {
		result.Places[i].X, result.Places[i].Y = p[0], p[1]
	}
	keepLargestGroups(result.Places)
	result.Note = fmt.Sprintf("The embeddings of %s%s on their first two principal components, "+
		"which have %.0f %% of the variance. The colour is the end of a relation at which an entity "+
		"is most often.", format.Count(shown, "entity")+sampled(shown, count), note, 100*explained)
	return result
}

func sampled(shown, count int) string {
	if shown == count {
		return ""
	}
	return " of " + format.Int(count)
}

// relationEnds returns the end of a relation at which each entity is most often in train.
func relationEnds(g *datasets.Graph) map[string]string {
	counts := make([]map[int32]int, len(g.Entities)) // by 2*relation, plus 1 for the tail
	add := func(entity, end int32) {
		if counts[entity] == nil {
			counts[entity] = map[int32]int{}
		}
		counts[entity][end]++
	}
	for _, t := range g.Train {
		add(t.Head, 2*t.Relation)
		add(t.Tail, 2*t.Relation+1)
	}
	names := map[string]string{}
	for entity, ends := range counts {
		if len(ends) == 0 {
			continue
		}
		most := slices.MaxFunc(slices.Sorted(maps.Keys(ends)), func(a, b int32) int {
			return cmp.Compare(ends[a], ends[b])
		})
		side := [2]string{"head of ", "tail of "}[most%2]
		names[g.Entities[entity]] = side + g.Relations[most/2]
	}
	return names
}

// keepLargestGroups removes all groups but the largest.
func keepLargestGroups(places []task.Place) {
	sizes := map[string]int{}
	for _, p := range places {
		sizes[p.Group]++
	}
	delete(sizes, "")
	groups := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	groups = groups[:min(len(groups), mostGroups)]
	for i, p := range places {
		if !slices.Contains(groups, p.Group) {
			places[i].Group = ""
		}
	}
}
