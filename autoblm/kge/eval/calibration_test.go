package eval_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

// sklearnCase has data and the results of scikit-learn, which testdata/sklearn.py wrote.
type sklearnCase struct {
	X, Y, Weight, Scores, At, Isotonic, Probabilities []float64
	Slope, Intercept, Brier, AUC                      float64
	AveragePrecision                                  float64 `json:"average_precision"`
}

func sklearnCases(t *testing.T) (cases []sklearnCase) {
	text, err := os.ReadFile("testdata/sklearn.json")
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil || len(cases) != 3 {
		t.Fatal(err, len(cases))
	}
	return cases
}

// decisions joins scores with the truth.
func decisions(scores, y []float64) []eval.Decision {
	all := make([]eval.Decision, len(y))
	for i := range y {
		all[i] = eval.Decision{Score: scores[i], IsTrue: y[i] == 1}
	}
	return all
}

// TestAgainstScikitLearn compares maps and metrics with those of scikit-learn.
func TestAgainstScikitLearn(t *testing.T) {
	for i, c := range sklearnCases(t) {
		check := func(what string, got, want, most float64) {
			t.Helper()
			if !(math.Abs(got-want) <= most) {
				t.Errorf("case %d: %s is %v, want %v", i, what, got, want)
			}
		}
		isotonic := eval.FitIsotonic(c.X, c.Y, c.Weight)
		for n, x := range c.At {
			check("isotonic", isotonic.At(x), c.Isotonic[n], 1e-12)
		}
		logistic := eval.FitLogistic(c.X, c.Y, c.Weight)
		check("slope", logistic.Slope, c.Slope, 1e-4)
		check("intercept", logistic.Intercept, c.Intercept, 1e-4)
		for n, x := range c.X {
			check("logistic", logistic.At(x), c.Probabilities[n], 1e-5)
		}
		check("Brier", eval.Brier(decisions(c.Probabilities, c.Y)), c.Brier, 1e-12)
		check("AP", eval.AveragePrecision(decisions(c.Scores, c.Y)), c.AveragePrecision, 1e-12)
		check("AUC", eval.AreaUnderROC(decisions(c.Scores, c.Y)), c.AUC, 1e-12)
	}
}

// TestMapsOfExtremes checks data that one step of Newton would overshoot, and constant maps.
func TestMapsOfExtremes(t *testing.T) {
	x := []float64{-16, -15, 5, 6}
	separated := eval.FitLogistic(x, []float64{0, 0, 1, 1}, []float64{1e7, 1, 1, 1})
	if p := separated.At(-16); !(p < 1e-6) || !(separated.At(6) > 0.99) {
		t.Errorf("separable: %+v", separated)
	}
	rare := eval.FitLogistic(x, []float64{0, 1e-4, 0, 1}, []float64{1e7, 1e4, 1, 1})
	if !(rare.Slope > 0) || math.IsNaN(rare.Intercept) {
		t.Errorf("rare: %+v", rare)
	}
	falling := eval.FitIsotonic(x, []float64{1, 1, 0, 0}, []float64{1, 1, 1, 1})
	if falling.At(-20) != 0.5 || falling.At(20) != 0.5 {
		t.Errorf("a falling map: %+v", falling)
	}
}

// TestCalibrationError checks the error of probabilities that are too high by a known amount, in
// any order of the equal ones.
func TestCalibrationError(t *testing.T) {
	var all []eval.Decision
	for i := range 3000 {
		p := 0.1 + 0.2*float64(i%3)                                                 // 0.1, 0.3, 0.5
		all = append(all, eval.Decision{Score: p + 0.05, IsTrue: i/3%10 < i%3*2+1}) // true at the rate p
	}
	if e := eval.CalibrationError(all); math.Abs(e-0.05) > 1e-9 {
		t.Errorf("the error is %v, want 0.05", e)
	}
	for i := range all {
		all[i].Score -= 0.05
	}
	if e := eval.CalibrationError(all); e > 1e-9 {
		t.Errorf("the error of right probabilities is %v", e)
	}
	slices.Reverse(all)
	if e := eval.CalibrationError(all); e > 1e-9 {
		t.Errorf("the error of right probabilities is %v", e)
	}
}

// TestNaNIsLowest ranks scores that are not numbers below all others.
func TestNaNIsLowest(t *testing.T) {
	nan := math.NaN()
	all := []eval.Decision{{Score: nan}, {Score: 1, IsTrue: true}, {Score: nan}, {Score: 0, IsTrue: true}}
	if got := eval.AreaUnderROC(all); got != 1 {
		t.Errorf("the area is %v, want 1", got)
	}
	if got := eval.AveragePrecision(all); got != 1 {
		t.Errorf("the average precision is %v, want 1", got)
	}
}
