package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// nextPrediction returns a command that asks a model about the data of a task, "" for other tasks.
func nextPrediction(model string, t task.Task) string {
	switch t := t.(type) {
	case *completion.Task:
		return nextTail(model, t.Graph)
	case *query.Task:
		return nextPath(model, t.Data, t.Settings.Hops...)
	case *classify.Task:
		return nextNode(model, t.Graph)
	}
	return ""
}

// nextTail returns the command that predicts the tails of a triple of the graph, with more arguments.
func nextTail(model string, g *datasets.Graph, more ...string) string {
	t, found := completion.SampleTriple(g)
	if !found {
		return ""
	}
	return shellCommand(append([]string{"predict", "--model", model, "--head", g.Entities[t.Head],
		"--relation", g.Relations[t.Relation]}, more...))
}

// pathFlags returns the flags of a path: one, or one for each relation if a name has a comma.
func pathFlags(names []string) (flags []string) {
	hasComma := func(name string) bool { return strings.Contains(name, ",") }
	if !slices.ContainsFunc(names, hasComma) {
		return []string{"--path", strings.Join(names, ",")}
	}
	for _, name := range names {
		flags = append(flags, "--path", name)
	}
	return flags
}

// nextPath returns the command that predicts the answers of a query of the data, with one of the
// numbers of hops if there is such a query.
func nextPath(model string, d *query.Data, preferred ...int) string {
	for _, split := range []query.Split{query.InTest, query.InValid, query.InTrain} {
		for _, hops := range append(preferred, d.Hops(split)...) {
			queries := d.Queries(split, hops)
			if len(queries) == 0 {
				continue
			}
			var names []string
			for _, r := range queries[0].Relations {
				names = append(names, d.RelationName(r))
			}
			line := []string{"query", "predict", "--model", model, "--anchor", d.Entities[queries[0].Anchor]}
			return shellCommand(append(line, pathFlags(names)...))
		}
	}
	return ""
}

// nextNode returns the command that classifies a labelled node of the graph.
func nextNode(model string, g *rdf.Graph) string {
	for _, nodes := range [][]rdf.Label{g.Test, g.Train} {
		if len(nodes) > 0 {
			node := g.Nodes[nodes[0].Node]
			return shellCommand([]string{"classify", "predict", "--model", model, "--node", node})
		}
	}
	return ""
}

// studyPlace returns the shortest name of a study that commands understand: its folder, if it has
// the usual name.
func studyPlace(file string) string {
	if filepath.Base(file) == studyName {
		return filepath.Dir(file)
	}
	return file
}

// nextReport returns the command that reports on a study; none without structures or validation.
func nextReport(place string, model form.Form, r *search.Result) []string {
	if model != form.Bilinear || r.Stopped == search.CannotSelect {
		return nil
	}
	return []string{shellCommand([]string{"report", "--study", place})}
}

// resumption returns the arguments that resume a study, with more time or more structures if its
// search has ended. It returns nil if the search can do nothing more.
func resumption(place string, r *search.Result) []string {
	resume := []string{"study", "resume", place}
	switch {
	case r.Stopped == search.SpaceExhausted, r.Stopped == search.CannotSelect:
		return nil
	case r.Stopped == search.BudgetSpent && r.Plan == nil:
		return append(resume, "--budget", fmt.Sprint(2*r.Settings.Budget))
	case r.Stopped == search.BudgetSpent, r.Stopped == search.TimeLimitReached:
		limit := r.Settings.TimeLimit
		if r.Plan != nil {
			limit = r.Plan.Limit
		}
		if limit > 0 {
			resume = append(resume, "--minutes", fmt.Sprintf("%.3g", 2*limit.Minutes()))
		}
	}
	return resume
}
