package kge_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestResolve checks how a precision resolves, depending on form, sizes, processor and variable.
func TestResolve(t *testing.T) {
	lacks := errors.New("it lacks them")
	for _, c := range []struct {
		asked         kge.Precision
		form          form.Form
		entities, dim int
		lacking       error
		faster        bool
		variable      string
		want          kge.Precision
		err           string
	}{
		{asked: kge.Float32, entities: 1e5, dim: 512, faster: true, variable: "bfloat16",
			want: kge.Float32},
		{asked: kge.Bfloat16, entities: 7, dim: 4, want: kge.Bfloat16},
		{asked: kge.Bfloat16, entities: 7, dim: 4, variable: "float32", want: kge.Bfloat16},
		{asked: kge.Bfloat16, lacking: lacks, err: "it lacks them: use the precision float32 or auto"},
		{asked: kge.Bfloat16, form: form.TransE, faster: true, err: "transe scores by distances"},
		{asked: kge.AutoPrecision, entities: 2048, dim: 32, faster: true, want: kge.Bfloat16},
		{asked: kge.AutoPrecision, entities: 2048, dim: 32, faster: true, variable: "auto",
			want: kge.Bfloat16},
		{asked: kge.AutoPrecision, entities: 2047, dim: 32, faster: true, want: kge.Float32},
		{asked: kge.AutoPrecision, entities: 2048, dim: 31, faster: true, want: kge.Float32},
		{asked: kge.AutoPrecision, entities: 2048, dim: 32, faster: false, want: kge.Float32},
		{asked: kge.AutoPrecision, entities: 2048, dim: 32, faster: true, lacking: lacks,
			want: kge.Float32},
		{asked: kge.AutoPrecision, entities: 2048, dim: 32, faster: true, form: form.TransE,
			want: kge.Float32},
		{asked: kge.AutoPrecision, entities: 1e5, dim: 512, faster: true, variable: "float32",
			want: kge.Float32},
		{asked: kge.AutoPrecision, entities: 7, dim: 4, variable: "bfloat16", want: kge.Bfloat16},
		{asked: kge.AutoPrecision, entities: 7, dim: 4, variable: "bfloat16", form: form.TransE,
			want: kge.Float32},
		{asked: kge.AutoPrecision, lacking: lacks, variable: "bfloat16",
			err: "AUTOBLM_PRECISION: it lacks them"},
		{asked: kge.AutoPrecision, variable: "half", err: `AUTOBLM_PRECISION: unknown precision "half"`},
		{asked: 7, err: "precision(7)"},
		{asked: -1, err: "precision(-1)"},
	} {
		t.Setenv(kge.PrecisionVariable, c.variable)
		got, err := c.asked.Resolve(c.form, c.entities, c.dim, c.lacking, c.faster)
		switch {
		case c.err != "":
			require.Error(t, err, c.err)
		case err != nil || got != c.want:
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

// coming is an engine that resolves auto to a precision and supports all.
func coming(to kge.Precision) *enginetest.Scripted {
	return &enginetest.Scripted{ResolvePrecision: func(asked kge.Precision) (kge.Precision, error) {
		if asked == kge.AutoPrecision {
			return to, nil
		}
		return asked, nil
	}}
}

// TestTrainingHasItsPrecision checks that population, report and saved model have the resolved
// precision.
func TestTrainingHasItsPrecision(t *testing.T) {
	for _, came := range []kge.Precision{kge.Float32, kge.Bfloat16} {
		engine := coming(came)
		report := mustTrain(t, engine, job(2, func(s *kge.Settings) { s.Precision = kge.AutoPrecision }))
		if engine.Settings.Precision != came || report.Precision != came {
			t.Errorf("auto is %v: the population has %v, the report %v", came, engine.Settings.Precision,
				report.Precision)
		}
		for _, r := range report.Results {
			if p := r.Model.Training.Settings.Precision; p != came {
				t.Errorf("auto is %v: a model has %v", came, p)
			}
		}
		written, err := json.Marshal(report.Results[0].Model.Training)
		var back kge.Training
		if err != nil || json.Unmarshal(written, &back) != nil || back.Settings.Precision != came {
			t.Errorf("%v is read as %+v from %s, %v", came, back, written, err)
		}
	}
	engine := &enginetest.Scripted{ResolvePrecision: func(kge.Precision) (kge.Precision,
		error) {
		return 0, enginetest.ErrScripted
	}}
	if _, err := kge.Train(t.Context(), engine, job(1, func(*kge.Settings) {})); !errors.Is(err,
		enginetest.ErrScripted) || engine.Populations != 0 {
		t.Errorf("error %v after %d populations", err, engine.Populations)
	}
}

// TestPrecisionOfLosses checks that losses that are computed in float32 get it from auto, also if a
// training continues one in bfloat16, and refuse bfloat16.
func TestPrecisionOfLosses(t *testing.T) {
	bce := func(s *kge.Settings) { s.Reciprocal, s.Loss = true, kge.BCE }
	negatives := func(s *kge.Settings) { s.Negatives = 4 }
	for name, c := range map[string]struct {
		set     func(*kge.Settings)
		onPaths bool
		want    kge.Precision
	}{
		"log-loss":           {set: func(*kge.Settings) {}, want: kge.Bfloat16},
		"bce":                {set: bce, want: kge.Float32},
		"negatives":          {set: negatives, want: kge.Float32},
		"negatives of paths": {set: negatives, onPaths: true, want: kge.Bfloat16},
	} {
		first := job(1, func(s *kge.Settings) { s.Precision = kge.Bfloat16 })
		file := filepath.Join(t.TempDir(), "training")
		first.Checkpoint = &kge.Checkpoint{File: file}
		mustTrain(t, coming(kge.Bfloat16), first)

		j := job(1, c.set)
		j.Settings.Precision = kge.AutoPrecision
		j.Data.BothDirections = !c.onPaths
		for _, j.Checkpoint = range []*kge.Checkpoint{nil, {Continue: file}} {
			if s, err := j.Resolve(coming(kge.Bfloat16)); err != nil || s.Precision != c.want {
				t.Errorf("%s, checkpoint %v: %v, %v", name, j.Checkpoint, s.Precision, err)
			}
		}
		j.Settings.Precision = kge.Bfloat16
		_, err := j.Settings.ResolvePrecision(coming(kge.Bfloat16), form.Bilinear, 5, !c.onPaths)
		if c.want == kge.Bfloat16 {
			require.NoError(t, err)
		} else {
			require.Error(t, err, "leave the precision at float32 or auto")
		}
	}
}

// TestResumeInAPrecision checks that auto resumes in the precision of the checkpoint, and that
// another explicit precision is refused.
func TestResumeInAPrecision(t *testing.T) {
	for _, begun := range []kge.Precision{kge.Float32, kge.Bfloat16} {
		other := kge.Float32 + kge.Bfloat16 - begun
		j := job(1, func(s *kge.Settings) { s.Precision = kge.AutoPrecision })
		j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
		mustTrain(t, coming(begun), j)
		report := mustTrain(t, coming(other), j)
		if report.Precision != begun || report.Resumed != j.Settings.Epochs {
			t.Errorf("begun in %v and gone on with in %v, after %d epochs", begun, report.Precision,
				report.Resumed)
		}
		name := func(p kge.Precision) string {
			j := j
			j.Settings.Precision = p
			name, err := j.Name(coming(begun))
			require.NoError(t, err)
			return name
		}
		if name(begun) != name(other) || name(begun) != name(kge.AutoPrecision) {
			t.Error("one training has several names")
		}
		j.Settings.Precision = begun
		mustTrain(t, coming(other), j)
		j.Settings.Precision = other
		_, err := kge.Train(t.Context(), coming(begun), j)
		require.Error(t, err, "precision "+begun.String()+" there, "+other.String()+" here",
			"remove this one")
		if !errors.Is(err, kge.ErrOtherTraining) {
			t.Errorf("error %v", err)
		}
	}
}

// matrixUnit is an engine whose backend for bfloat16 has the name of a unit.
type matrixUnit struct {
	*enginetest.Scripted
	name string
}

func (u matrixUnit) Backend(p kge.Precision) string {
	if p == kge.Bfloat16 {
		return "none" + u.name
	}
	return "none"
}

// TestResumeOnAnotherUnit checks that a training in bfloat16 does not resume on a matrix unit
// that sums in another order, unless requested. In float32 the unit does not matter. The name
// of the file is the same in any case.
func TestResumeOnAnotherUnit(t *testing.T) {
	by := func(unit string) matrixUnit { return matrixUnit{&enginetest.Scripted{}, unit} }
	for _, precision := range []kge.Precision{kge.Float32, kge.Bfloat16} {
		j := job(1, func(s *kge.Settings) { s.Precision = precision })
		j.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
		if _, err := kge.Train(t.Context(), by("+one"), j); err != nil {
			t.Fatal(err)
		}
		name, err := j.Name(by("+one"))
		if other, failed := j.Name(by("+another")); err != nil || failed != nil || name != other {
			t.Errorf("in %v the names are %s and %s, %v, %v", precision, name, other, err, failed)
		}
		report, err := kge.Train(t.Context(), by("+another"), j)
		if precision == kge.Float32 {
			if err != nil || report.Resumed != j.Settings.Epochs {
				t.Errorf("in %v: %+v, %v", precision, report, err)
			}
			continue
		}
		require.Error(t, err, "has engine scripted none+one, not scripted none+another")
		if !errors.Is(err, kge.ErrOtherEngine) {
			t.Errorf("error %v, want ErrOtherEngine", err)
		}
		j.Checkpoint.AnyEngine = true
		report, err = kge.Train(t.Context(), by("+another"), j)
		if err != nil || report.Resumed != j.Settings.Epochs {
			t.Errorf("by any unit: %+v, %v", report, err)
		}
	}
}
