package completion_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestVerdictsOfEval checks that the verdicts of predictions are those that ClassifyTriples counts.
func TestVerdictsOfEval(t *testing.T) {
	p, g := calibrated(t, 1)
	e, err := completion.ClassifyTriples(t.Context(), p, cpu.New(1), g, "test", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := completion.NewAnswerer(p, g, cpu.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	queries := make([]completion.Query, len(g.Test))
	for i, x := range g.Test {
		queries[i] = completion.Query{
			Head: g.Entities[x.Head], Relation: g.Relations[x.Relation], Tail: g.Entities[x.Tail],
		}
	}
	mark := completion.PredictOptions{Known: eval.MarkKnown, Shares: true}
	predictions, err := a.Predict(t.Context(), queries, mark)
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for _, p := range predictions {
		if *p.Answers[0].Verdict {
			hits++
		}
	}
	if want := e.Recall * float64(e.True); float64(hits) != math.Round(want) {
		t.Errorf("predict calls %d of %d test triples true, eval %v", hits, len(queries), want)
	}
}

// TestClassifyTriples checks the metrics of given negatives, whose files are swapped for a check: true
// triples as negatives give the accuracy of chance.
func TestClassifyTriples(t *testing.T) {
	m, g := planted()
	dir := t.TempDir()
	write := func(name string, triples []datasets.Triple) {
		t.Helper()
		text := ""
		for _, x := range triples {
			text += g.Entities[x.Head] + "\t" + g.Relations[x.Relation] + "\t" + g.Entities[x.Tail] + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("train.txt", g.Train)
	write("valid.txt", g.Valid)
	write("test.txt", g.Test)
	classify := func(seed uint64) *completion.TruthEvaluation {
		t.Helper()
		read, err := datasets.ReadFolder(dir) // with other ids than the model
		if err != nil {
			t.Fatal(err)
		}
		p := completion.Predictor(completion.Single{Model: m})
		c, err := completion.Calibrate(t.Context(), p, cpu.New(1), read)
		if err != nil {
			t.Fatal(err)
		}
		p = completion.WithCalibration(p, c)
		e, err := completion.ClassifyTriples(t.Context(), p, cpu.New(1), read, "test", 0, seed)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	drawn := classify(1)
	if drawn.Given || drawn.True != len(g.Test) || drawn.False != len(g.Test) || drawn.Accuracy < 0.7 ||
		drawn.AUC < drawn.Accuracy || drawn.AveragePrecision < 0.7 {
		t.Errorf("drawn: %+v", drawn)
	}
	if f1 := 2 / (1/drawn.Precision + 1/drawn.Recall); math.Abs(drawn.F1-f1) > 1e-12 {
		t.Errorf("F1 is %v, want %v", drawn.F1, f1)
	}
	if again := classify(1); *again != *drawn {
		t.Errorf("the same seed gives %+v and %+v", again, drawn)
	}
	if other := classify(2); other.AUC == drawn.AUC {
		t.Error("another seed draws the same triples")
	}

	write("valid_neg.txt", g.Valid)
	write("test_negatives.txt", g.Test)
	if e := classify(1); !e.Given || math.Abs(e.Accuracy-0.5) > 1e-9 || math.Abs(e.AUC-0.5) > 1e-9 {
		t.Errorf("true triples as negatives: %+v", e)
	}
}

// TestThresholdsOfNeuralModels compares those from an engine's scores with those from the definition.
func TestThresholdsOfNeuralModels(t *testing.T) {
	_, g := planted()
	random := rand.New(rand.NewPCG(3, 4))
	numbers := func(n int, draw func(i int) float64) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(draw(i))
		}
		return all
	}
	normal := func(int) float64 { return random.NormFloat64() }
	const dim = 8
	m := &kge.Model{EntityLabels: g.Entities, RelationLabels: g.Relations, Parameters: kge.Parameters{
		Form: form.ConvE{Height: 2, Filters: 2, Size: 2}.Form(), Dim: dim, Reciprocal: true,
	}}
	m.Entities = numbers(len(g.Entities)*dim, normal)
	m.Relations = numbers(2*len(g.Relations)*dim, normal)
	for _, table := range m.Specs()[1:] {
		m.More = append(m.More, numbers(table.Rows*table.Columns, func(i int) float64 {
			return table.Draw(random, i/table.Columns, 1)
		}))
	}
	calibrate := func(engine kge.Engine) *completion.Calibration {
		c, err := completion.Calibrate(t.Context(), completion.Single{Model: m}, engine, g)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	got, want := calibrate(cpu.New(1)), calibrate(nil)
	check := func(name string, got, want *float64) {
		t.Helper()
		if got == nil || want == nil {
			t.Errorf("%s has no threshold", name)
		} else if math.Abs(*got-*want) > 1e-4 {
			t.Errorf("threshold of %s: %v, want %v", name, *got, *want)
		}
	}
	check("all relations", &got.Threshold, &want.Threshold)
	for _, relation := range []string{"likes", "sees"} {
		check(relation, got.Relations[relation].Threshold, want.Relations[relation].Threshold)
	}
}
