package gomlx

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/xlatest"
)

// newEngine opens a backend for a test.
func newEngine(t *testing.T, backend string) *Engine {
	t.Helper()
	engine, err := New(backend)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	return engine
}

// onAllBackends runs a test on GoMLX's own backend, and on XLA if a plugin is installed.
func onAllBackends(t *testing.T, test func(t *testing.T, engine *Engine)) {
	t.Run("own", func(t *testing.T) { test(t, newEngine(t, "go")) })
	t.Run("XLA", func(t *testing.T) { test(t, newEngine(t, xlatest.Backend(t))) })
}

func TestConformance(t *testing.T) {
	onAllBackends(t, func(t *testing.T, engine *Engine) {
		steps, populations := enginetest.Settings(), enginetest.Settings()
		if engine.Backend() != "go" && os.Getenv(everythingVariable) == "" {
			steps = oneOfEach(steps)
			populations = steps[:2]
		}
		enginetest.Run(t, engine, enginetest.Tolerance{Reference: 1e-4, Members: 1e-4}, steps, populations)
	})
}

// everythingVariable asks for all settings on XLA, too, which takes eleven compilations for
// each of them: some ten minutes.
const everythingVariable = "AUTOBLM_XLA_EVERYTHING"

// oneOfEach returns one of the settings of each encoder; together they have all norms.
func oneOfEach(all []classify.Settings) (some []classify.Settings) {
	for i, e := range classify.Encoders() {
		own := slices.DeleteFunc(slices.Clone(all), func(s classify.Settings) bool {
			return s.Encoder != e
		})
		some = append(some, own[i%len(own)])
	}
	return some
}

// TestStructuresShareGraphs checks that structures with the same number of chunks, in populations
// of the same size, share compiled graphs.
func TestStructuresShareGraphs(t *testing.T) {
	onAllBackends(t, func(t *testing.T, engine *Engine) {
		s := classify.Defaults(classify.BLM)
		s.Dim, s.Epochs, s.Runs = 8, 2, 1
		trainer, err := classify.NewTrainer(enginetest.KindsGraph(24), s,
			classify.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		defer trainer.Close()
		train := func(names ...string) {
			var members []classify.Member
			for i, name := range names {
				m := classify.DefaultMember()
				m.Structure, m.Seed, m.LearningRate = structure.MustParse(name), uint64(i), 0.01*float64(i+1)
				members = append(members, m)
			}
			if _, err := trainer.Train(t.Context(), members); err != nil {
				t.Fatal(err)
			}
		}
		train("distmult", "complex")
		first := engine.Compilations()
		if first < 2 {
			t.Fatalf("%d compilations: a step and logits had to be compiled", first)
		}
		train("simple", "analogy")
		train("quate", "distmult")
		if got := engine.Compilations(); got != first {
			t.Errorf("%d compilations after other structures, want the %d of the first", got, first)
		}
		train("1,0;0,2", "2,1;0,1") // of two chunks
		if engine.Compilations() == first {
			t.Error("a new shape was not counted as a compilation, so the counter is of no use")
		}
	})
}

func TestUnknownBackend(t *testing.T) {
	for name, want := range map[string]string{
		"xla:cpu,devices=2":       "runs on one device; remove devices=2 from",
		"xla:cpu,devices=2,shard": "remove devices=2 and shard from",
	} {
		if _, err := New(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New with two devices: %v, want %s", err, want)
		}
	}
	if _, err := New("gpu"); err == nil || !strings.Contains(err.Error(), "unknown backend") {
		t.Error(err)
	}
}
