package completion_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// planted returns a model and a graph whose facts were drawn by the softmax of the model's scores,
// a random number for each head and relation. One in ten is in valid, and one in test.
func planted() (*kge.Model, *datasets.Graph) {
	const entities, dim, mostFacts = 150, 8, 40
	random := rand.New(rand.NewPCG(1, 2))
	m := &kge.Model{Parameters: kge.Parameters{Structure: structure.MustParse("distmult"), Dim: dim}}
	for i := range entities {
		m.EntityLabels = append(m.EntityLabels, "e"+string(rune('a'+i/26))+string(rune('a'+i%26)))
		for range dim {
			m.Entities = append(m.Entities, float32(random.NormFloat64()))
		}
	}
	m.RelationLabels = []string{"likes", "sees", "rare"}
	for range 3 * dim {
		m.Relations = append(m.Relations, float32(random.NormFloat64()))
	}
	g := &datasets.Graph{Name: "planted", Entities: m.EntityLabels, Relations: m.RelationLabels}
	for relation := range int32(2) {
		for head := range int32(entities) {
			score := completion.TailScores(m, head, relation)
			taken := map[int32]bool{head: true}
			for range 1 + random.IntN(mostFacts) {
				tail, best := int32(0), math.Inf(-1)
				for id := range int32(entities) { // Gumbel's trick
					s := score(id) - math.Log(-math.Log(random.Float64()))
					if s > best && !taken[id] {
						tail, best = id, s
					}
				}
				taken[tail] = true
				t := datasets.Triple{Head: head, Relation: relation, Tail: tail}
				switch random.IntN(10) {
				case 0:
					g.Valid = append(g.Valid, t)
				case 1:
					g.Test = append(g.Test, t)
				default:
					g.Train = append(g.Train, t)
				}
			}
		}
	}
	g.Train = append(g.Train, datasets.Triple{Head: 0, Relation: 2, Tail: 1})
	g.Valid = append(g.Valid, datasets.Triple{Head: 1, Relation: 2, Tail: 1})
	return m, g
}

func calibrated(t *testing.T, threads int) (completion.Predictor, *datasets.Graph) {
	t.Helper()
	m, g := planted()
	p := completion.Predictor(completion.Single{Model: m})
	c, err := completion.Calibrate(t.Context(), p, cpu.New(threads), g)
	if err != nil {
		t.Fatal(err)
	}
	return completion.WithCalibration(p, c), g
}

// TestProbabilitiesOfPlantedFacts checks that probabilities are right about test facts that the
// model itself has drawn.
func TestProbabilitiesOfPlantedFacts(t *testing.T) {
	p, g := calibrated(t, 1)
	e, err := completion.MeasureCalibration(t.Context(), p, cpu.New(1), g)
	if err != nil {
		t.Fatal(err)
	}
	if e.ECE > 0.04 || e.Brier > 0.95*e.Constant || e.Facts < 200 || e.Answers <= 3*e.Facts {
		t.Errorf("errors %+v", e)
	}
	c := completion.CalibrationOf(p)
	if c.Facts < len(g.Valid) || c.Relations["likes"].Tails == nil {
		t.Errorf("%d facts of %d; maps of %v", c.Facts, len(g.Valid), c.Relations)
	}
	if r := c.Relations["rare"]; r.Tails != nil || r.Heads != nil || r.Threshold != nil {
		t.Errorf("a relation with one fact has a map or threshold of its own: %+v", r)
	}
	if again, _ := calibrated(t, 3); !reflect.DeepEqual(c, completion.CalibrationOf(again)) {
		t.Error("another number of threads changes the probabilities")
	}
}

// TestProbabilityOfAnswers compares the probabilities that predict lists with those of the map, from
// scores in float64.
func TestProbabilityOfAnswers(t *testing.T) {
	p, g := calibrated(t, 1)
	tails := completion.CalibrationOf(p).Relations["likes"].Tails
	at := func(x float64) float64 {
		if tails.Logistic != nil {
			return 1 / (1 + math.Exp(-tails.Logistic.Slope*x-tails.Logistic.Intercept))
		}
		return tails.Isotonic.At(x)
	}
	q := completion.Query{Head: g.Entities[7], Relation: "likes"}
	mark := completion.PredictOptions{Known: eval.MarkKnown, Shares: true}
	answers, err := p.Predict(g, q, mark)
	if err != nil {
		t.Fatal(err)
	}
	known, last := 0, 1.0
	for _, a := range answers {
		if a.Known == eval.Yes {
			known++
		}
	}
	for _, a := range answers {
		if a.Known == eval.Yes {
			if a.Probability != nil {
				t.Errorf("the known answer %s has a probability", a.Entity)
			}
			continue
		}
		want := at(math.Log(a.Share * float64(known+1)))
		if a.Probability == nil || math.Abs(*a.Probability-want) > 1e-9 || *a.Probability > last {
			t.Fatalf("%s: %v, want %v, at most %v", a.Entity, a.Probability, want, last)
		}
		last = *a.Probability
	}
	for what, o := range map[string]completion.PredictOptions{
		"any":   {Known: eval.MarkKnown, Shares: true, AnyKind: true},
		"among": {Known: eval.MarkKnown, Shares: true, Among: g.Entities[:9]},
		"none":  {Known: eval.MarkKnown},
	} {
		answers, err := p.Predict(g, q, o)
		if err != nil || answers[0].Probability != nil {
			t.Errorf("%s: %+v (%v)", what, answers[0], err)
		}
	}
	kept, err := p.Predict(g, q, completion.PredictOptions{Known: eval.KeepKnown, Shares: true})
	for i, a := range answers {
		if err != nil || !reflect.DeepEqual(kept[i].Probability, a.Probability) {
			t.Errorf("without marks: %+v, with: %+v (%v)", kept[i], a, err)
		}
	}
}

// TestCalibrationFile checks that a calibration belongs to its model only, and that a damaged one is
// an error.
func TestCalibrationFile(t *testing.T) {
	p, _ := calibrated(t, 1)
	dir := t.TempDir()
	load := func() (*completion.Calibration, error) {
		back, err := completion.Load(dir)
		if err != nil {
			return nil, err
		}
		return completion.CalibrationOf(back), nil
	}
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	back, err := load()
	if err != nil || !reflect.DeepEqual(back, completion.CalibrationOf(p)) {
		t.Errorf("back: %+v (%v)", back, err)
	}
	file := filepath.Join(dir, "calibration.json")
	content, _ := os.ReadFile(file)
	m, _ := planted()
	m.Entities[0]++ // another model in its place
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	if back, err := load(); err != nil || back != nil {
		t.Errorf("another model has the probabilities: %+v (%v)", back, err)
	}
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cut":      string(content[:len(content)/2]),
		"no map":   strings.Replace(string(content), `"all"`, `"none"`, 1),
		"unsorted": strings.Replace(string(content), `"x": [`, `"x": [9,`, 1),
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if back, err := load(); err == nil || !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("%s: %+v (%v)", name, back, err)
		}
	}
	version := strings.Replace(string(content), `"version": 2`, `"version": 3`, 1)
	if err := os.WriteFile(file, []byte(version), 0o666); err != nil {
		t.Fatal(err)
	}
	if back, err := load(); err != nil || back != nil {
		t.Errorf("another version is read: %+v (%v)", back, err)
	}
}

// TestCalibratedEnsemble checks that an ensemble has probabilities too, also from its folder.
func TestCalibratedEnsemble(t *testing.T) {
	m, g := planted()
	other, _ := planted()
	for i := range other.Entities {
		other.Entities[i] *= 0.9
	}
	e, err := completion.NewEnsemble([]*kge.Model{m, other})
	if err != nil {
		t.Fatal(err)
	}
	c, err := completion.Calibrate(t.Context(), e, cpu.New(1), g)
	if err != nil {
		t.Fatal(err)
	}
	p := completion.WithCalibration(e, c)
	measured, err := completion.MeasureCalibration(t.Context(), p, cpu.New(1), g)
	if err != nil || measured.ECE > 0.06 {
		t.Errorf("errors %+v (%v)", measured, err)
	}
	dir := t.TempDir()
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	back, err := completion.Load(dir)
	if err != nil || !reflect.DeepEqual(completion.CalibrationOf(back), c) {
		t.Errorf("another calibration (%v)", err)
	}
}

// TestCalibrateHugeScores checks scores beyond float32.
func TestCalibrateHugeScores(t *testing.T) {
	m, g := planted()
	for i := range m.Entities {
		m.Entities[i] *= 1e20
	}
	p := completion.Predictor(completion.Single{Model: m})
	c, err := completion.Calibrate(t.Context(), p, cpu.New(1), g)
	if err != nil {
		t.Fatal(err)
	}
	p = completion.WithCalibration(p, c)
	e, err := completion.MeasureCalibration(t.Context(), p, cpu.New(1), g)
	if err != nil || !(e.Brier <= 1) || !(e.ECE <= 1) {
		t.Errorf("errors %+v (%v)", e, err)
	}
}

// TestSaveCalibration checks that the calibration of a loaded model is not written next to another
// one that has since replaced it.
func TestSaveCalibration(t *testing.T) {
	p, _ := calibrated(t, 1)
	dir := t.TempDir()
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	loaded, err := completion.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := completion.SaveCalibration(loaded, dir); err != nil {
		t.Fatal(err)
	}
	m, _ := planted()
	m.Entities[0]++
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := completion.SaveCalibration(loaded, dir); err == nil ||
		!strings.Contains(err.Error(), "changed") {
		t.Errorf("the calibration is saved next to another model (%v)", err)
	}
	require.Error(t, completion.SaveCalibration(completion.Single{Model: m}, dir), "has none")
}

// TestSaveWithoutCalibration checks that a model or an ensemble without probabilities is read as it was
// saved, also over the same one with probabilities.
func TestSaveWithoutCalibration(t *testing.T) {
	p, _ := calibrated(t, 1)
	m, _ := planted()
	e, err := completion.NewEnsemble([]*kge.Model{m})
	require.NoError(t, err)
	for _, without := range []completion.Predictor{completion.Single{Model: m}, e} {
		dir := t.TempDir()
		require.NoError(t, completion.WithCalibration(without, completion.CalibrationOf(p)).Save(dir))
		require.NoError(t, without.Save(dir))
		back, err := completion.Load(dir)
		require.NoError(t, err)
		if c := completion.CalibrationOf(back); c != nil {
			t.Errorf("%T has the probabilities %+v", without, c)
		}
		require.NoError(t, without.Save(dir))
	}
}

// TestFewestQueries checks that large graphs are calibrated with some hundreds of queries.
func TestFewestQueries(t *testing.T) {
	m, g := planted()
	for work, want := range map[float64]int{0: 300, 350 * 150 * 108: 350} { // candidates, d + 100
		n, err := completion.QueriesWithin(completion.Single{Model: m}, cpu.New(1), g, work)
		if err != nil || n < want || n > want+10 {
			t.Errorf("work %v: %d queries, want %d (%v)", work, n, want, err)
		}
	}
}

// TestCalibrationLooksFirst checks that a calibration after its deadline does no work.
func TestCalibrationLooksFirst(t *testing.T) {
	m, g := planted()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	unusable := struct{ kge.Engine }{} // which panics
	if _, err := completion.Calibrate(ctx, completion.Single{Model: m}, unusable, g); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
