package completion

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/pca"
)

const (
	// mostPlaces is the number of entities of the map of a report, and mostGroups that of groups.
	mostPlaces = 2000
	mostGroups = 7
)

// MapOf places embeddings of a model, or of the first member of an ensemble, on the plane in which
// they vary most. Of more entities than most it places evenly spaced ones. The group of an entity is
// the end of a relation at which it is most often in train; without a graph there are no groups.
func MapOf(models []*kge.Model, g *datasets.Graph, most int) *task.Map {
	m, note := models[0], ""
	if len(models) > 1 {
		note = " in the first member of the ensemble"
	}
	count := len(m.EntityLabels)
	shown := max(0, min(count, most))
	var rows [][]float32
	var names []string
	for i := range shown {
		id := i * count / shown // evenly spaced
		names = append(names, m.EntityLabels[id])
		rows = append(rows, m.Entities[id*m.Dim:][:m.Dim])
	}
	var group map[string]string
	if g != nil {
		group = relationEnds(g, names)
	}
	points, explained := pca.Plane(rows)
	result := &task.Map{}
	for i, p := range points {
		place := task.Place{Name: names[i], Group: group[names[i]], X: p[0], Y: p[1]}
		result.Places = append(result.Places, place)
	}
	keepLargestGroups(result.Places)
	result.Note = fmt.Sprintf("The embeddings of %s%s on their first two principal components, "+
		"which have %.0f %% of the variance.", format.Count(shown, "entity")+sampled(shown, count),
		note, 100*explained)
	if len(group) > 0 {
		result.Note += " The colour is the end of a relation at which an entity is most often."
	}
	return result
}

func sampled(shown, count int) string {
	if shown == count {
		return ""
	}
	return " of " + format.Int(count)
}

// relationEnds returns the end of a relation at which each of some entities is most often in train.
func relationEnds(g *datasets.Graph, of []string) map[string]string {
	counts := map[string]map[int32]int{} // by 2*relation, plus 1 for the tail
	for _, name := range of {
		counts[name] = map[int32]int{}
	}
	add := func(entity, end int32) {
		if ends := counts[g.Entities[entity]]; ends != nil {
			ends[end]++
		}
	}
	for _, t := range g.Train {
		add(t.Head, 2*t.Relation)
		add(t.Tail, 2*t.Relation+1)
	}
	names := map[string]string{}
	for name, ends := range counts {
		if len(ends) == 0 {
			continue
		}
		most := slices.MaxFunc(slices.Sorted(maps.Keys(ends)), func(a, b int32) int {
			return cmp.Compare(ends[a], ends[b])
		})
		side := [2]string{"head of ", "tail of "}[most%2]
		names[name] = side + g.Relations[most/2]
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
