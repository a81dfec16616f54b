package completion_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// measured trains a model on the task's graph and measures it.
func measured(t *testing.T, on *completion.Task) (*kge.Model, *task.Measures) {
	t.Helper()
	return measuredMember(t, on, kge.DefaultMember(structure.MustParse("complex")))
}

func measuredMember(
	t *testing.T, on *completion.Task, member kge.Member,
) (*kge.Model, *task.Measures) {
	t.Helper()
	settings := kge.DefaultSettings()
	settings.Dim, settings.Epochs = 8, 3
	report, err := kge.Train(t.Context(), on.Engine, kge.Job{
		Data: completion.Data(on.Graph), Settings: settings,
		Members: []kge.Member{member},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := report.Results[0].Model
	measures, err := on.Measure(t.Context(),
		task.Best{Dataset: "them", Trial: task.LabeledTrial{Label: "Found 1",
			Trial: task.Trial{Structure: m.Structure}}, Artifact: m})
	if err != nil {
		t.Fatal(err)
	}
	return m, measures
}

// number reads a cell.
func number(t *testing.T, c page.Cell) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.ReplaceAll(c.Text, ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The metrics by relation are parts of those of the whole split.
func TestMeasureAgreesWithTheWhole(t *testing.T) {
	g := enginetest.Graph()
	engine := newEngine(t)
	m, measures := measured(t, &completion.Task{Graph: g, Engine: engine})
	whole, err := completion.Evaluate(t.Context(), engine, m, g, "test", eval.Pessimistic)
	if err != nil {
		t.Fatal(err)
	}
	var triples, sum, train float64
	for _, row := range measures.Best[1].Table.Rows { // relation, pattern, in train, triples, MRR …
		n := number(t, row.Cells[3])
		triples += n
		sum += n * number(t, row.Cells[4])
		train += number(t, row.Cells[2])
	}
	if int(triples) != len(g.Test) || int(train) != len(g.Train) ||
		math.Abs(sum/triples-whole.Both.MRR) > 0.0005 {
		t.Errorf(
			"relations have %v training triples and %v test triples with the mean MRR %v, the whole has "+
				"%d, %d and %v",
			train, triples, sum/triples, len(g.Train), len(g.Test), whole.Both.MRR)
	}
	if text := measures.Data[0].Text; text != "The graph them has 37 entities and 3 relations." {
		t.Errorf("of the data it says %q", text)
	}
}

func TestMeasureWithoutTestTriples(t *testing.T) {
	g := *enginetest.Graph()
	g.Test = nil
	_, measures := measured(t, &completion.Task{Graph: &g, Engine: newEngine(t)})
	if head := measures.Best[1].Table.Columns[3].Title; head != "valid triples" {
		t.Errorf("the metrics are over %s", head)
	}
}

// TestMeasureWithoutStructure: the text about a model of dense blocks says nothing about a structure.
func TestMeasureWithoutStructure(t *testing.T) {
	on := &completion.Task{Graph: enginetest.Graph(), Engine: newEngine(t)}
	_, bilinear := measured(t, on)
	_, dense := measuredMember(t, on, kge.Member{Form: form.GQE, Seed: 1, LearningRate: .1})
	const about = "Its structure models"
	if !strings.Contains(bilinear.Best[0].Text, about) || strings.Contains(dense.Best[0].Text, "structure") {
		t.Errorf("%q and %q", bilinear.Best[0].Text, dense.Best[0].Text)
	}
}
