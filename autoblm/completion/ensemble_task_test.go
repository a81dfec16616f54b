package completion_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// variedTask returns a task on the graph of the varied models, and their artifacts, in memory and
// as files.
func variedTask(t *testing.T) (*completion.Task, []task.Artifact) {
	t.Helper()
	g := enginetest.SmallGraph()
	g.Valid = g.Train // enough to cut
	var left []task.Artifact
	for i, m := range variedModels(t) {
		files, err := m.Files()
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, []task.Artifact{m, task.Files(files)}[i%2])
	}
	return &completion.Task{Graph: g, Engine: newEngine(t)}, left
}

// TestEnsembleOfTask checks that a task returns the choice of ChooseEnsemble, as indices of
// candidates.
func TestEnsembleOfTask(t *testing.T) {
	on, left := variedTask(t)
	read := func(place int) (task.Artifact, error) { return left[place], nil }
	sizes := map[int]bool{}
	for _, size := range []int{1, 3, 5} {
		ensemble, err := on.Ensemble(t.Context(), len(left), size, read)
		if err != nil {
			t.Fatal(err)
		}
		s := completion.DefaultEnsemble()
		s.Size = size
		want, err := completion.ChooseEnsemble(t.Context(), on.Engine, variedModels(t), on.Graph, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(ensemble.Members) != len(want.Members) || ensemble.Score != *want.Choice.Unseen() ||
			ensemble.BestCandidate != want.Choice.HeldOut[0] {
			t.Errorf("%+v, want %+v", ensemble, want.Choice)
		}
		for i, place := range ensemble.Members {
			m := want.Members[want.Choice.Order[i]]
			candidate, err := variedModels(t)[place].Reorder(m.EntityLabels, m.RelationLabels)
			if err != nil || m.Compare(candidate.Parameters) != 0 {
				t.Errorf("member %d is candidate %d, which is another, %v", i, place, err)
			}
		}
		sizes[len(ensemble.Members)] = true
		if len(ensemble.Members) == 1 {
			if ensemble.Artifact != nil || ensemble.TestScore != nil {
				t.Errorf("one member: %+v", ensemble)
			}
			continue
		}
		test := ensembleMRR(t, want, on.Graph, "test")
		var details completion.Evaluations
		if err := json.Unmarshal(ensemble.Details, &details); err != nil ||
			math.Abs(*ensemble.TestScore-test) > 1e-12 || details.Valid != nil ||
			details.Test.Both.MRR != *ensemble.TestScore {
			t.Errorf("test %v, want %v; details %s", *ensemble.TestScore, test, ensemble.Details)
		}
		got, err := ensemble.Artifact.Files()
		if err != nil || !isSameEnsemble(t, got, want) {
			t.Errorf("the artifact is another ensemble, %v", err)
		}
	}
	if !sizes[1] || len(sizes) < 2 {
		t.Errorf("sizes are %v: the test is wrong", sizes)
	}

	on.Graph.Valid = on.Graph.Valid[:1] // which cannot be cut
	ensemble, err := on.Ensemble(t.Context(), len(left), 5, read)
	if err != nil || len(ensemble.Members) != 1 || ensemble.Score != ensemble.BestCandidate {
		t.Errorf("by one triple: %+v, %v", ensemble, err)
	}
}

// isSameEnsemble reports whether files are those of an ensemble.
func isSameEnsemble(t *testing.T, files map[string][]byte, want *completion.Ensemble) bool {
	t.Helper()
	got, err := completion.LoadEnsembleFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return slices.EqualFunc(got.Members, want.Members, func(a, b *kge.Model) bool {
		return a.Compare(b.Parameters) == 0
	}) && reflect.DeepEqual(got.Choice, want.Choice)
}

// TestMeasureEnsemble checks that the artifact of an ensemble is measured like that of a model, in
// memory and as files.
func TestMeasureEnsemble(t *testing.T) {
	on, _ := variedTask(t)
	made := ensemble(t, variedModels(t)[:3]...)
	files, err := made.Files()
	if err != nil {
		t.Fatal(err)
	}
	var said []task.Examples
	var measured []*task.Measures
	for _, a := range []task.Artifact{made, task.Files(files)} {
		if got, err := completion.PredictorOf(a); err != nil || len(got.Models()) != 3 {
			t.Fatalf("%+v, %v", got, err)
		}
		examples, err := on.Examples(a)
		if err != nil || len(examples.Queries) == 0 {
			t.Fatalf("%+v, %v", examples, err)
		}
		trial := task.Trial{Ensemble: &task.Selection{Members: []int{1, 2, 3}}}
		measures, err := on.Measure(t.Context(),
			task.Best{Artifact: a, Trial: task.LabeledTrial{Trial: trial}})
		if err != nil || !strings.Contains(measures.Best[0].Text, "ensemble of 3 models") {
			t.Fatalf("%+v, %v", measures.Best, err)
		}
		said, measured = append(said, examples), append(measured, measures)
	}
	if !reflect.DeepEqual(said[0], said[1]) || !reflect.DeepEqual(measured[0], measured[1]) {
		t.Error("as files it says something else")
	}
	sum, triples := 0.0, 0.0
	for _, row := range measured[0].Best[1].Table.Rows {
		n := number(t, row.Cells[3])
		sum, triples = sum+n*number(t, row.Cells[4]), triples+n
	}
	if want := ensembleMRR(t, made, on.Graph, "test"); math.Abs(sum/triples-want) > 0.001 {
		t.Errorf("relations have a mean of %v, the ensemble %v", sum/triples, want)
	}
	classifier := task.Files{"model.json": []byte(`{"task":"classify","version":1}`)}
	if _, err := completion.PredictorOf(classifier); err == nil ||
		!strings.Contains(err.Error(), "the model classifies nodes") {
		t.Error(err)
	}
	if got, err := completion.PredictorOf(nil); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
