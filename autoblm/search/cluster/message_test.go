package cluster

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestKeyHasTheModelAndRecipe: trials that differ in an axis of the search have different keys, and a
// worker reads the same trial.
func TestKeyHasTheModelAndRecipe(t *testing.T) {
	keys := map[string]int{}
	for i, change := range []func(*work){
		func(*work) {},
		func(w *work) { w.Structure = structure.MustParse("1,2;-2,1") },
		func(w *work) { w.Structure, w.Form = structure.Structure{}, form.Block(2) },
		func(w *work) { w.Structure, w.Form = structure.Structure{}, form.Block(4) },
		func(w *work) { w.Recipe.Training.Translate = true },
		func(w *work) { w.Recipe.N3 = .1 },
		func(w *work) { w.Recipe.N3Block = 2 },
		func(w *work) { w.Recipe.EntityN3 = .1 },
		func(w *work) { w.Recipe.RelationN3 = .1 },
		func(w *work) { w.Recipe.EntityL2 = .1 },
		func(w *work) { w.Recipe.Products = .1 },
		func(w *work) { w.Recipe.IVR = .1 },
		func(w *work) { w.Recipe.IVRProducts = .1 },
		func(w *work) { w.Recipe.IVRPower = 3 },
		func(w *work) { w.Recipe.PenaltyFrequency = .5 },
		func(w *work) { w.Recipe.RelationPrediction = .1 },
	} {
		w := work{Version: version, Structure: structure.MustParse("complex")}
		change(&w)
		key, err := w.key()
		if err != nil {
			t.Fatal(err)
		}
		if before, known := keys[key]; known {
			t.Errorf("changes %d and %d have the same key", before, i)
		}
		keys[key] = i
		content, err := encode(w)
		if err != nil {
			t.Fatal(err)
		}
		read, err := decode[work](content)
		if err != nil || read.trial().Member() != w.trial().Member() || read.Recipe != w.Recipe {
			t.Errorf("change %d: %v, a worker trains %+v", i, err, read)
		}
	}
}
