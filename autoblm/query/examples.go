package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// maxExamples is the number of example queries.
const maxExamples = 8

// Examples answers a few test queries, without their easy answers.
func (t *Task) Examples(a task.Artifact) (task.Examples, error) {
	e := task.Examples{Note: "best first, without those in train and valid; ✓ is in test"}
	p, err := completion.PredictorOf(a)
	queries := t.Data.queriesWith(InTest, t.Settings.Hops)
	if p == nil || err != nil || len(queries) == 0 {
		return task.Examples{}, err
	}
	withoutTest := *t.Data
	withoutTest.known = withoutTest.graphs[InValid]
	for i := range min(maxExamples, len(queries)) {
		q := queries[i*len(queries)/min(maxExamples, len(queries))] // evenly spaced
		path := Path{Anchor: t.Data.Entities[q.Anchor]}
		for _, r := range q.Relations {
			path.Relations = append(path.Relations, t.Data.RelationName(r))
		}
		answers, err := Predict(context.Background(), t.Engine, p.Models()[0], path, &withoutTest,
			completion.PredictOptions{Known: eval.KeepKnown})
		if err != nil {
			return task.Examples{}, err
		}
		easy, hard := t.Data.names(q.Easy), t.Data.names(q.Hard)
		var names []string
		for _, answer := range answers {
			if !slices.Contains(easy, answer.Entity) {
				names = append(names, answer.Entity)
			}
		}
		question := fmt.Sprintf("(%s, %s, ?)", path.Anchor, strings.Join(path.Relations, ", "))
		isCorrect := func(name string) bool { return slices.Contains(hard, name) }
		e.Queries = append(e.Queries, task.NewExample(question, names, isCorrect))
	}
	return e, nil
}

// RelationName returns the name of a relation of a query, as [RelationID] reads it.
func (d *Data) RelationName(relation int32) string {
	name := d.Relations[relation/2]
	if relation%2 == 1 {
		name += reverseSuffix
	}
	return name
}

// names returns the labels of entities.
func (d *Data) names(entities []int32) (names []string) {
	for _, id := range entities {
		names = append(names, d.Entities[id])
	}
	return names
}
