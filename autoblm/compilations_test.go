package autoblm_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	classifytest "github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	classifygomlx "github.com/autoblm/autoblm-go/autoblm/classify/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/xlatest"
)

// TestSearchesDoNotCompileForStructures: what the first rounds of a search have compiled does
// for all others, and for another search, whatever their structures are.
func TestSearchesDoNotCompileForStructures(t *testing.T) {
	for name, backend := range map[string]func(*testing.T) string{
		"go":  func(*testing.T) string { return backend.Go },
		"xla": func(t *testing.T) string { return xlatest.Backend(t) },
	} {
		t.Run(name+"/completion", func(t *testing.T) {
			engine, err := gomlx.New(gomlx.Settings{Backend: backend(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(engine.Close)
			settings := search.BasicSettings()
			settings.Training.Dim, settings.Training.Epochs, settings.Training.Batch = 8, 2, 32
			once(t, &completion.Task{Graph: enginetest.Graph(), Engine: engine}, settings, engine.Compilations)
		})
		t.Run(name+"/queries", func(t *testing.T) {
			engine, err := gomlx.New(gomlx.Settings{Backend: backend(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(engine.Close)
			settings := search.BasicSettings()
			settings.Training.Dim, settings.Training.Epochs, settings.Training.Batch = 8, 2, 32
			own := query.TaskSettings{Paths: query.Paths{Hops: []int{2}, With: []int{1}}}
			queries := &query.Task{Data: enginetest.Paths(t, 40, 3, 200), Settings: own, Engine: engine}
			once(t, queries, settings, engine.Compilations)
		})
		t.Run(name+"/classes", func(t *testing.T) {
			engine, err := classifygomlx.New(backend(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(engine.Close)
			own := classify.TaskSettings{Convolution: classify.Defaults(classify.BLM), Member: classify.DefaultMember()}
			own.Convolution.Dim, own.Convolution.Epochs, own.Convolution.Layers = 8, 2, 1
			classes := &classify.Task{Graph: classifytest.KindsGraph(24), Settings: own, Engine: engine}
			t.Cleanup(classes.Close)
			once(t, classes, search.BasicSettings(), engine.Compilations)
		})
	}
}

// once searches twice, with rounds of four, and counts what is compiled.
func once(t *testing.T, on task.Task, settings search.Settings, compilations func() int64) {
	t.Helper()
	trained := map[string]bool{}
	run := func(seed uint64, budget int) {
		settings.Seed, settings.Budget, settings.Candidates, settings.RoundSize, settings.Parents = seed, budget, 32, 4, 4
		result, err := stage.Run(t.Context(), search.Problem{Task: on, Strategy: strategy.Evolutionary{}, Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range result.Trials {
			if trial.State != task.Complete {
				t.Fatalf("%s: %s", trial.Structure, trial.Error) // the rounds after it would be smaller
			}
			trained[trial.Structure.String()] = true
		}
	}
	run(1, 4)
	first := compilations()
	if first == 0 {
		t.Fatal("nothing was compiled, or it was not counted")
	}
	run(2, 12)
	if got := compilations(); got != first {
		t.Errorf("%d compilations after two searches, want the %d of the first round", got, first)
	}
	if len(trained) < 15 {
		t.Errorf("only %d structures were trained", len(trained))
	}
}
