package autoblm_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// trained is a model of a form after two epochs on the embedded graph.
func trained(t *testing.T, f form.Form, s structure.Structure) autoblm.Predictor {
	t.Helper()
	g := datasets.World()
	settings := autoblm.DefaultTrain(g, s)
	settings.Dim, settings.Epochs, settings.Member.Form = 8, 2, f
	p, err := autoblm.Train(t.Context(), g, settings)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEvaluateByCompute: the engine that is asked for ranks, or says that it cannot; the
// two agree.
func TestEvaluateByCompute(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	complEx, transE := trained(t, form.Bilinear, structure.MustParse("complex")), trained(t, form.TransE, structure.Structure{})
	evaluate := func(p autoblm.Predictor, c autoblm.Compute) (completion.Evaluation, error) {
		return p.Evaluate(t.Context(), datasets.World(), "valid", c)
	}
	native, err := evaluate(complEx, autoblm.Compute{Engine: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	reference, err := evaluate(complEx, autoblm.Compute{Engine: "gomlx", Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if native.Triples != 243 || reference.Triples != 243 || math.Abs(native.Both.MRR-reference.Both.MRR) > 1e-3 {
		t.Errorf("%+v on cpu, %+v on gomlx", native, reference)
	}
	if e, err := evaluate(transE, autoblm.Compute{}); err != nil || e.Triples != 243 {
		t.Errorf("transe, chosen by itself: %+v, %v", e, err)
	}
	if e, err := evaluate(transE, autoblm.Compute{Engine: "gomlx", Backend: "go"}); err != nil || e.Triples != 243 {
		t.Errorf("transe on gomlx: %+v, %v", e, err)
	}
	if _, err := evaluate(complEx, autoblm.Compute{Engine: "abacus"}); err == nil || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("an unknown engine: %v", err)
	}
}

// TestDefaultTrainFitsEveryStructure: the default settings are valid for any number of chunks.
func TestDefaultTrainFitsEveryStructure(t *testing.T) {
	g := datasets.World()
	large := &datasets.Graph{Entities: make([]string, 20_000), Relations: make([]string, 200)}
	for k := 1; k <= structure.MaxK; k++ {
		for _, g := range []*datasets.Graph{g, large} {
			s := autoblm.DefaultTrain(g, structure.Zero(k).With(0, 0, 1))
			if err := s.ValidateFor(s.Member); err != nil {
				t.Errorf("%d chunks, %d entities: %v", k, len(g.Entities), err)
			}
		}
	}
}

// TestPredictListsWhatIsNotKnown: the best of all answers but those that the graph has.
func TestPredictListsWhatIsNotKnown(t *testing.T) {
	g := datasets.World()
	for _, p := range []autoblm.Predictor{trained(t, form.Bilinear, structure.MustParse("complex")), trained(t, form.TransE, structure.Structure{})} {
		q := autoblm.Query{Head: "Portugal", Relation: "borders"}
		marked, err := p.Predict(g, q, autoblm.PredictOptions{Known: eval.MarkKnown})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, a := range marked {
			if a.Known == eval.No {
				want = append(want, a.Entity)
			}
		}
		got, err := p.Predict(g, q, autoblm.PredictOptions{Top: 5})
		if err != nil || len(got) != 5 || len(want) == len(marked) {
			t.Fatalf("%v: %d answers, %v; %d of %d are not known", p.Models()[0].Form, len(got), err, len(want), len(marked))
		}
		for i, a := range got {
			if a.Entity != want[i] || a.Rank != i+1 {
				t.Errorf("%v: answer %d is %+v, want %s", p.Models()[0].Form, i+1, a, want[i])
			}
		}
	}
}

// TestGraphsAreValidated: each function of the front door returns an error for ids without labels.
func TestGraphsAreValidated(t *testing.T) {
	p := trained(t, form.Bilinear, structure.MustParse("complex"))
	g := datasets.World()
	g.Valid[0].Head = int32(len(g.Entities))
	_, evaluating := p.Evaluate(t.Context(), g, "valid", autoblm.Compute{})
	_, training := autoblm.Train(t.Context(), g, autoblm.DefaultTrain(g, structure.MustParse("complex")))
	_, searching := autoblm.Search(t.Context(), g, autoblm.DefaultSearch())
	for _, err := range []error{evaluating, training, searching} {
		if err == nil || !strings.Contains(err.Error(), "has no label: use ids from 0 to") {
			t.Error(err)
		}
	}
}

// TestPredictors checks a model and an ensemble that are saved and loaded from a folder, from the
// folder of a search, and from a file system.
func TestPredictors(t *testing.T) {
	g := datasets.World()
	complEx := trained(t, form.Bilinear, structure.MustParse("complex"))
	transE := trained(t, form.TransE, structure.Structure{})
	ensemble, err := completion.NewEnsemble([]*kge.Model{complEx.Models()[0], transE.Models()[0]})
	if err != nil {
		t.Fatal(err)
	}
	both, err := autoblm.PredictorOf(ensemble)
	if err != nil {
		t.Fatal(err)
	}
	for size, p := range map[int]autoblm.Predictor{1: complEx, 2: both} {
		want := predictions(t, p, g)
		folder := t.TempDir()
		inside := filepath.Join(folder, "model")
		if err := p.Save(inside); err != nil {
			t.Fatal(err)
		}
		for _, load := range []func() (autoblm.Predictor, error){
			func() (autoblm.Predictor, error) { return autoblm.LoadModel(folder) },
			func() (autoblm.Predictor, error) { return autoblm.LoadModel(inside) },
			func() (autoblm.Predictor, error) { return autoblm.LoadModelFS(os.DirFS(inside)) },
		} {
			loaded, err := load()
			if err != nil {
				t.Fatal(err)
			}
			if got := predictions(t, loaded, g); !reflect.DeepEqual(got, want) || len(loaded.Models()) != size {
				t.Errorf("%d models predict otherwise after loading", size)
			}
		}
		for _, a := range want[:3] {
			score, err := p.Score("Portugal", "borders", a.Entity)
			if err != nil || score != a.Score {
				t.Errorf("%d models: the score of %s is %v, %v, want %v", size, a.Entity, score, err, a.Score)
			}
		}
		e, err := p.Evaluate(t.Context(), g, "test", autoblm.Compute{})
		if err != nil || e.Triples != len(g.Test) {
			t.Errorf("%d models: %+v, %v", size, e, err)
		}
	}
	if _, err := complEx.Score("Portugal", "borders", "Spainn"); err == nil ||
		!strings.Contains(err.Error(), "did you mean Spain") {
		t.Errorf("an unknown tail: %v", err)
	}
	if p, err := autoblm.LoadModel(t.TempDir()); err == nil || p != nil {
		t.Errorf("an empty folder: %v, %v", p, err)
	}
	if p, err := autoblm.PredictorOf(nil); err != nil || p != nil {
		t.Errorf("no artifact: %v, %v", p, err)
	}
}

// predictions returns all answers to a query.
func predictions(t *testing.T, p autoblm.Predictor, g *datasets.Graph) []eval.Answer {
	t.Helper()
	q := autoblm.Query{Head: "Portugal", Relation: "borders"}
	answers, err := p.Predict(g, q, autoblm.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answers
}
