package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// plan is small, in a folder of its own.
func plan(t *testing.T, stage Stage) Plan {
	t.Helper()
	final, err := recipe.Named("small", "umls")
	if err != nil {
		t.Fatal(err)
	}
	final.Training.Dim, final.Training.Epochs, final.Training.Batch, final.Training.ValidateEvery = 16, 12, 32, 3
	how := final
	how.Training.Dim, how.Training.Epochs, how.Training.ValidateEvery = 8, 4, 0
	dir := t.TempDir()
	p := Plan{
		Graph: enginetest.Graph(), Engine: cpu.New(1), Stage: stage, Final: final, Seed: 7, Folder: filepath.Join(dir, "out"), Study: filepath.Join(dir, "study.db"),
		Search: searchSettings(how, 10, 3), SearchRecipe: "how",
	}
	p.Search.N, p.Search.P = 16, 4
	return p
}

func run1(t *testing.T, p Plan) *Result {
	t.Helper()
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same compares results but for the time that things took.
func same(t *testing.T, what string, got, want *Result) {
	t.Helper()
	untimed := cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Seconds" || p.Last().String() == ".Overhead"
	}, cmp.Ignore())
	if difference := cmp.Diff(want, got, untimed, cmp.AllowUnexported(structure.Structure{}), cmpopts.EquateComparable(form.Form{})); difference != "" {
		t.Errorf("%s (-want +got):\n%s", what, difference)
	}
}

// stored is a result as it comes back from its file.
func stored(t *testing.T, r *Result) *Result {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return &back
}

func TestStages(t *testing.T) {
	all := plan(t, All)
	r := run1(t, all)
	if !r.Complete || r.Dataset != "enginetest" || r.Engine != "cpu" || r.Seed != 7 {
		t.Errorf("%+v", r)
	}
	s, f := r.Search, r.Final
	if !s.Complete || s.Trained != 10 || s.Budget != 10 || s.Recipe != "how" || len(s.Best) != 8 || len(s.Named) != 5 || s.Stopped != search.BudgetSpent {
		t.Errorf("search: %+v", s)
	}
	if !f.Complete || f.Epochs != 12 || len(f.Loss) != 12 || len(f.Validations) != 4 || f.Valid == nil || f.Test == nil || f.Recipe != "small" || f.Published.Model != "ConvE" {
		t.Errorf("final: %+v", f)
	}
	if got := f.Training.Member; got.Structure != s.Best[0].Structure || got.Seed != 7 || got.N3 != all.Final.N3 || f.Training.Settings != all.Final.Training {
		t.Errorf("the final training is %+v, want one of %s by the recipe", f.Training, s.Best[0].Structure)
	}
	m, err := kge.Load(all.ModelFolder())
	if err != nil {
		t.Fatal(err)
	}
	var noted completion.Evaluation
	if err := json.Unmarshal(m.Test, &noted); err != nil || m.Structure != s.Best[0].Structure || noted != *f.Test {
		t.Errorf("the model: %v, %+v", err, m)
	}
	// What each stage does alone is what it does in all.
	alone := plan(t, Search)
	got := run1(t, alone)
	if !got.Complete || got.Final != nil {
		t.Errorf("the search alone: %+v", got)
	}
	alone.Stage = Final // which goes on with the study
	alone.Before = stored(t, got)
	got = run1(t, alone)
	got.Stage = All
	same(t, "one stage after the other", got, r)
	given := plan(t, Final)
	given.Structure = s.Best[0].Structure
	got = run1(t, given)
	if got.Search != nil {
		t.Errorf("the final training alone has searched: %+v", got.Search)
	}
	got.Stage, got.Search = All, s
	same(t, "the final training of a structure", got, r)
	usual := plan(t, Final)
	if got := run1(t, usual); got.Final.Training.Member.Structure != usual.Final.Structure {
		t.Errorf("without a structure and a study, %s is trained, want that of the recipe", got.Final.Training.Member.Structure)
	}
}

// TestInterrupted: whenever it is interrupted, it goes on, and comes to the same.
func TestInterrupted(t *testing.T) {
	whole := run1(t, plan(t, All))
	for _, every := range []int{1, 2, 5, 9} { // epochs of a piece
		p := plan(t, All)
		var r *Result
		pieces := 0
		for r == nil || !r.Complete {
			ctx, cancel := context.WithCancel(t.Context())
			steps := 0
			step := func() {
				if steps++; steps > every {
					cancel()
				}
			}
			p.OnSearch = func(search.Progress) { step() }
			p.OnEpoch = func(kge.Progress) { step() }
			var err error
			r, err = Run(ctx, p)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			p.Before = stored(t, r)
			if pieces++; pieces > 300 {
				t.Fatalf("it does not get on: %+v", r)
			}
		}
		same(t, "in pieces", r, whole)
		if every == 1 && pieces < 10 {
			t.Errorf("only %d pieces", pieces)
		}
		if err := p.clean(); err != nil {
			t.Fatal(err)
		}
		again := p
		again.OnSearch, again.OnEpoch = nil, func(kge.Progress) { t.Error("what is complete is trained again") }
		same(t, "complete", run1(t, again), whole)
		left, err := filepath.Glob(filepath.Join(p.Folder, "*.training*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// TestTimeIsUp: with too little time nothing is lost and nothing is claimed; with
// enough it is complete; in between it goes on.
func TestTimeIsUp(t *testing.T) {
	for _, stage := range []Stage{All, Final} {
		p := plan(t, stage)
		p.Until = time.Now().Add(-time.Second)
		r, err := Run(t.Context(), p)
		if !errors.Is(err, ErrTooShort) || r.Complete {
			t.Errorf("%s with no time at all: %v, complete %v", stage, err, r.Complete)
		}
		short, pieces := time.Millisecond, 0
		for ; err != nil || !r.Complete; pieces++ {
			p.Before = stored(t, r)
			p.Until = time.Now().Add(short)
			r, err = Run(t.Context(), p)
			switch {
			case errors.Is(err, ErrTooShort):
				short += short / 2
			case err != nil:
				t.Fatal(err)
			}
			if pieces > 2000 {
				t.Fatalf("%s does not get on: %+v", stage, r)
			}
		}
		t.Logf("%s in %d pieces of up to %v", stage, pieces, short)
		if stage == All {
			same(t, "in pieces by the clock", r, run1(t, plan(t, All)))
		}
	}
}

// TestForm: a recipe for a form trains it without a structure, whatever a study has found.
func TestForm(t *testing.T) {
	p := plan(t, Search)
	run1(t, p)
	p.Stage, p.Final.Form, p.Final.Structure = Final, form.GQE, structure.Structure{}
	r := run1(t, p)
	if m := r.Final.Training.Member; m.Form != form.GQE || m.Structure.K() != 0 || !r.Complete || r.Final.Test == nil {
		t.Errorf("%+v", r.Final)
	}
	m, err := kge.Load(p.ModelFolder())
	if err != nil || m.Form != form.GQE {
		t.Errorf("the model: %v, %+v", err, m)
	}
	p.Before = stored(t, r)
	same(t, "read back", run1(t, p), r)
}

func TestDivergence(t *testing.T) {
	p := plan(t, Final)
	p.Final.LearningRate = 1e30
	r, err := Run(t.Context(), p)
	if !errors.Is(err, ErrDiverged) || r == nil || !r.Complete || !strings.Contains(r.Final.Error, "learning rate") {
		t.Fatalf("%v, %+v", err, r)
	}
	p.Before = stored(t, r)
	if again, err := Run(t.Context(), p); !errors.Is(err, ErrDiverged) || !again.Complete {
		t.Errorf("again: %v, %+v", err, again)
	}
	p = plan(t, All)
	p.Search.LearningRate = 1e30
	if r, err = Run(t.Context(), p); !errors.Is(err, ErrDiverged) || r.Search.Failed != r.Search.Trained || r.Final != nil {
		t.Errorf("a search in which all diverge: %v, %+v", err, r)
	}
}

func TestRefusals(t *testing.T) {
	p := plan(t, Final)
	done := run1(t, p)
	for says, change := range map[string]func(p *Plan){
		"result of another training": func(p *Plan) { p.Before = stored(t, done); p.Final.Training.Epochs++ },
		"another training":           func(p *Plan) { p.Before = stored(t, done); p.Structure = structure.MustParse("simple") },
		"has a result on elsewhere":  func(p *Plan) { p.Before = stored(t, done); p.Before.Dataset = "elsewhere" },
		"epochs 12 there, 13 here":   func(p *Plan) { p.Final.Training.Epochs++ }, // the training on its way
		"without a structure":        func(p *Plan) { p.Final.Structure, p.Folder = structure.Structure{}, t.TempDir() },
		"make the folder":            func(p *Plan) { p.Folder = filepath.Join(p.Folder, "model", "model.json", "out") },
		"take --stage final":         func(p *Plan) { p.Stage, p.Final.Form, p.Final.Structure = All, form.GQE, structure.Structure{} },
		"validation triples":         func(p *Plan) { p.Stage = All; p.Graph = enginetest.Graph(); p.Graph.Valid = nil },
	} {
		other := p
		change(&other)
		if r, err := Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), says) || r != nil {
			t.Errorf("%q: error %v, result %+v", says, err, r)
		}
	}
	if _, err := os.Stat(p.Study); err == nil {
		t.Error("a search that was refused left a study behind")
	}
}
