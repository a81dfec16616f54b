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

// plan returns a small plan in a temporary folder.
func plan(t *testing.T, stage Stage) Plan {
	t.Helper()
	final, err := recipe.Named("small", "umls")
	if err != nil {
		t.Fatal(err)
	}
	settings := &final.Training
	settings.Dim, settings.Epochs, settings.Batch, settings.ValidateEvery = 16, 12, 32, 3
	searched := final
	searched.Training.Dim, searched.Training.Epochs, searched.Training.ValidateEvery = 8, 4, 0
	dir := t.TempDir()
	p := Plan{
		Graph:        enginetest.Graph(),
		Engine:       cpu.New(1),
		Stage:        stage,
		Search:       searchSettings(searched, 10, 3),
		SearchRecipe: "searched",
		Final:        final,
		Seed:         7,
		Folder:       filepath.Join(dir, "out"),
		Study:        filepath.Join(dir, "study.db"),
	}
	p.Search.Candidates, p.Search.RoundSize = 16, 4
	return p
}

func mustRun(t *testing.T, p Plan) *Result {
	t.Helper()
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkSame compares results without their times.
func checkSame(t *testing.T, what string, got, want *Result) {
	t.Helper()
	options := cmp.Options{
		cmp.AllowUnexported(structure.Structure{}),
		cmpopts.EquateComparable(form.Form{}),
	}
	untimed := cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Seconds" || p.Last().String() == ".Overhead"
	}, cmp.Ignore())
	if difference := cmp.Diff(want, got, untimed, options); difference != "" {
		t.Errorf("%s (-want +got):\n%s", what, difference)
	}
}

// stored returns a result as read back from its file.
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
	r := mustRun(t, all)
	if !r.Complete || r.Dataset != "enginetest" || r.Engine != "cpu" || r.Seed != 7 {
		t.Errorf("%+v", r)
	}
	s, f := r.Search, r.Final
	if !s.Complete || s.Stopped != search.BudgetSpent || s.Trained != 10 || s.Budget != 10 ||
		s.Recipe != "searched" || len(s.Best) != 8 || len(s.Baselines) != 5 {
		t.Errorf("search: %+v", s)
	}
	if !f.Complete || f.Epochs != 12 || len(f.Loss) != 12 || len(f.Validations) != 4 ||
		f.Valid == nil || f.Test == nil || f.Recipe != "small" || f.Published.Model != "ConvE" {
		t.Errorf("final: %+v", f)
	}
	best := s.Best[0].Structure
	m1 := f.Training.Member
	if m1.Structure != best || m1.Seed != 7 || m1.N3 != all.Final.N3 ||
		f.Training.Settings != all.Final.Training {
		t.Errorf("the final training is %+v, want one of %s with the recipe", f.Training, best)
	}
	m, err := kge.Load(all.modelFolder())
	if err != nil {
		t.Fatal(err)
	}
	var noted completion.Evaluation
	if err := json.Unmarshal(m.Test, &noted); err != nil || m.Structure != best || noted != *f.Test {
		t.Errorf("the model: %v, %+v", err, m)
	}
	// A stage alone does the same as in stage All.
	alone := plan(t, Search)
	got := mustRun(t, alone)
	if !got.Complete || got.Final != nil {
		t.Errorf("the search alone: %+v", got)
	}
	alone.Stage = Final // resumes the study
	alone.Before = stored(t, got)
	got = mustRun(t, alone)
	got.Stage = All
	checkSame(t, "one stage after another", got, r)
	given := plan(t, Final)
	given.Structure = best
	got = mustRun(t, given)
	if got.Search != nil {
		t.Errorf("the final training alone has searched: %+v", got.Search)
	}
	got.Stage, got.Search = All, s
	checkSame(t, "the final training of a structure", got, r)
	byRecipe := plan(t, Final)
	got = mustRun(t, byRecipe)
	if s := got.Final.Training.Member.Structure; s != byRecipe.Final.Structure {
		t.Errorf("without a structure and a study: trained %s, want that of the recipe", s)
	}
}

// TestInterrupted interrupts a reproduction after every few epochs and expects the same result.
func TestInterrupted(t *testing.T) {
	whole := mustRun(t, plan(t, All))
	for _, every := range []int{1, 2, 5, 9} { // epochs per call
		p := plan(t, All)
		var r *Result
		calls := 0
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
			if calls++; calls > 300 {
				t.Fatalf("no progress: %+v", r)
			}
		}
		checkSame(t, "in several calls", r, whole)
		if every == 1 && calls < 10 {
			t.Errorf("only %d calls", calls)
		}
		if err := p.removeCheckpoints(); err != nil {
			t.Fatal(err)
		}
		again := p
		again.OnSearch = nil
		again.OnEpoch = func(kge.Progress) { t.Error("a complete result is trained again") }
		checkSame(t, "complete", mustRun(t, again), whole)
		left, err := filepath.Glob(filepath.Join(p.Folder, "*.training*"))
		if err != nil || len(left) > 0 {
			t.Errorf("checkpoints are left: %v, %v", left, err)
		}
	}
}

// TestDeadline runs with deadlines that are too short and then long enough to progress.
func TestDeadline(t *testing.T) {
	for _, stage := range []Stage{All, Final} {
		p := plan(t, stage)
		p.Until = time.Now().Add(-time.Second)
		r, err := Run(t.Context(), p)
		if !errors.Is(err, ErrTooShort) || r.Complete {
			t.Errorf("%s after the deadline: %v, complete %v", stage, err, r.Complete)
		}
		short, calls := time.Millisecond, 0
		for ; err != nil || !r.Complete; calls++ {
			p.Before = stored(t, r)
			p.Until = time.Now().Add(short)
			r, err = Run(t.Context(), p)
			switch {
			case errors.Is(err, ErrTooShort):
				short += short / 2
			case err != nil:
				t.Fatal(err)
			}
			if calls > 2000 {
				t.Fatalf("%s makes no progress: %+v", stage, r)
			}
		}
		t.Logf("%s in %d calls of up to %v", stage, calls, short)
		if stage == All {
			checkSame(t, "with deadlines", r, mustRun(t, plan(t, All)))
		}
	}
}

// TestForm trains a form without a structure, although the study has found one.
func TestForm(t *testing.T) {
	p := plan(t, Search)
	mustRun(t, p)
	p.Stage, p.Final.Form, p.Final.Structure = Final, form.GQE, structure.Structure{}
	r := mustRun(t, p)
	member := r.Final.Training.Member
	if member.Form != form.GQE || member.Structure.K() != 0 || !r.Complete || r.Final.Test == nil {
		t.Errorf("%+v", r.Final)
	}
	m, err := kge.Load(p.modelFolder())
	if err != nil || m.Form != form.GQE {
		t.Errorf("the model: %v, %+v", err, m)
	}
	p.Before = stored(t, r)
	checkSame(t, "read back", mustRun(t, p), r)
}

func TestDivergence(t *testing.T) {
	p := plan(t, Final)
	p.Final.LearningRate = 1e30
	r, err := Run(t.Context(), p)
	if !errors.Is(err, ErrDiverged) || r == nil || !r.Complete ||
		!strings.Contains(r.Final.Error, "learning rate") {
		t.Fatalf("%v, %+v", err, r)
	}
	p.Before = stored(t, r)
	if again, err := Run(t.Context(), p); !errors.Is(err, ErrDiverged) || !again.Complete {
		t.Errorf("again: %v, %+v", err, again)
	}
	p = plan(t, All)
	p.Search.LearningRate = 1e30
	r, err = Run(t.Context(), p)
	if !errors.Is(err, ErrDiverged) || r.Search.Failed != r.Search.Trained || r.Final != nil {
		t.Errorf("a search in which all diverge: %v, %+v", err, r)
	}
}

func TestRefusals(t *testing.T) {
	p := plan(t, Final)
	done := mustRun(t, p)
	for says, change := range map[string]func(p *Plan){
		"result of another training": func(p *Plan) {
			p.Before = stored(t, done)
			p.Final.Training.Epochs++
		},
		"another training": func(p *Plan) {
			p.Before = stored(t, done)
			p.Structure = structure.MustParse("simple")
		},
		"has a result on elsewhere": func(p *Plan) {
			p.Before = stored(t, done)
			p.Before.Dataset = "elsewhere"
		},
		"epochs 12 there, 13 here": func(p *Plan) { p.Final.Training.Epochs++ }, // in the checkpoint
		"has no structure": func(p *Plan) {
			p.Final.Structure, p.Folder = structure.Structure{}, t.TempDir()
		},
		"make the folder": func(p *Plan) {
			p.Folder = filepath.Join(p.Folder, "model", "model.json", "out")
		},
		"set stage to final": func(p *Plan) {
			p.Stage, p.Final.Form, p.Final.Structure = All, form.GQE, structure.Structure{}
		},
		"validation triples": func(p *Plan) {
			p.Stage, p.Graph = All, enginetest.Graph()
			p.Graph.Valid = nil
		},
	} {
		other := p
		change(&other)
		r, err := Run(t.Context(), other)
		if err == nil || !strings.Contains(err.Error(), says) || r != nil {
			t.Errorf("%q: error %v, result %+v", says, err, r)
		}
	}
	if _, err := os.Stat(p.Study); err == nil {
		t.Error("a refused search left a study")
	}
}
