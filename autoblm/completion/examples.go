package completion

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// maxQuestions is the number of examples.
const maxQuestions = 8

// Examples answers a few queries from the test split, without the known answers of train and valid.
func (t *Task) Examples(a task.Artifact) (e task.Examples, err error) {
	g := t.Graph
	p, err := PredictorOf(a)
	if len(g.Test) == 0 || p == nil || err != nil {
		return e, err
	}
	e.Note = "best first, without the facts of train and valid; ✓ is in test"
	withoutTest := &datasets.Graph{
		Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: g.Train, Valid: g.Valid,
		Types: g.Types,
	}
	for _, t := range questions(g) {
		q := Query{Head: g.Entities[t.Head], Relation: g.Relations[t.Relation]}
		answers, err := p.Predict(withoutTest, q, PredictOptions{})
		if err != nil {
			return task.Examples{}, err
		}
		correct := map[string]bool{}
		for _, x := range g.Test {
			if x.Head == t.Head && x.Relation == t.Relation {
				correct[g.Entities[x.Tail]] = true
			}
		}
		names := make([]string, len(answers))
		for i, a := range answers {
			names[i] = a.Entity
		}
		question := fmt.Sprintf("(%s, %s, ?)", q.Head, q.Relation)
		isCorrect := func(name string) bool { return correct[name] }
		e.Queries = append(e.Queries, task.NewExample(question, names, isCorrect))
	}
	return e, nil
}

// SampleTriple returns a triple to ask the tail of, from test if it has any; false for an empty
// graph.
func SampleTriple(g *datasets.Graph) (t datasets.Triple, found bool) {
	if questions := questions(g); len(questions) > 0 {
		return questions[0], true
	}
	if len(g.Train) == 0 {
		return t, false
	}
	return g.Train[0], true
}

// questions picks a test triple for each of the most frequent relations, with the head of the
// highest degree.
func questions(g *datasets.Graph) []datasets.Triple {
	degree := make([]int, len(g.Entities))
	frequency := make([]int, len(g.Relations))
	for _, t := range g.Train {
		degree[t.Head]++
		degree[t.Tail]++
		frequency[t.Relation]++
	}
	picked := map[int32]datasets.Triple{}
	for _, t := range g.Test {
		if best, ok := picked[t.Relation]; !ok || degree[t.Head] > degree[best.Head] {
			picked[t.Relation] = t
		}
	}
	all := slices.SortedFunc(maps.Values(picked), func(a, b datasets.Triple) int {
		return cmp.Or(frequency[b.Relation]-frequency[a.Relation], int(a.Relation-b.Relation))
	})
	return all[:min(len(all), maxQuestions)]
}
