package ablation_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

func plan(t *testing.T) ablation.Plan {
	t.Helper()
	engine := cpu.New(2)
	t.Cleanup(engine.Close)
	s := search.BasicSettings()
	s.Budget, s.Candidates, s.RoundSize, s.Parents = 12, 16, 4, 4
	s.Predictor.Steps = 5
	s.Training.Dim, s.Training.Epochs, s.Training.Batch = 60, 2, 64
	return ablation.Plan{
		Graph: enginetest.Graph(), Engine: engine, Settings: s, Seeds: 2, Folder: t.TempDir(),
	}
}

// TestEveryAblation runs all ablations with small settings and checks their outcomes.
func TestEveryAblation(t *testing.T) {
	for _, a := range ablation.Ablations() {
		t.Run(a.Name, func(t *testing.T) {
			p := plan(t)
			outcomes, err := ablation.Compare(t.Context(), p, a)
			if err != nil {
				t.Fatal(err)
			}
			if len(outcomes) != len(a.Variants) {
				t.Fatalf("%d outcomes for %d variants", len(outcomes), len(a.Variants))
			}
			for i, o := range outcomes {
				if o.Variant != a.Variants[i].Name || len(o.Runs) != p.Seeds {
					t.Fatalf("%s has %d runs", o.Variant, len(o.Runs))
				}
				for n, run := range o.Runs {
					if seed := p.Settings.Seed + uint64(n); run.Seed != seed {
						t.Errorf("%s has seed %d, want %d", o.Variant, run.Seed, seed)
					}
					checkRun(t, o.Variant, run, p.Settings.Budget)
				}
				mean, deviation := o.Mean(func(r ablation.Run) float64 { return r.BestMRR })
				x, y := o.Runs[0].BestMRR, o.Runs[1].BestMRR
				if math.Abs(mean-(x+y)/2) > 1e-12 || math.Abs(deviation-math.Abs(x-y)/math.Sqrt2) > 1e-12 {
					t.Errorf("mean %v ± %v of %v and %v", mean, deviation, x, y)
				}
			}
			if n := len(ablation.ByStructures(a.Name, outcomes).Series); n != len(outcomes) {
				t.Errorf("%d lines for %d variants", n, len(outcomes))
			}
		})
	}
}

func checkRun(t *testing.T, variant string, run ablation.Run, budget int) {
	t.Helper()
	last := run.Trace[len(run.Trace)-1]
	if run.Trained > budget || last.Trained != run.Trained || last.TopMRR != run.TopMRR {
		t.Errorf("%s: %+v", variant, run)
	}
	if !(run.TopMRR > 0) || run.TopMRR > run.BestMRR || run.BestMRR > 1 || !(run.TestMRR > 0) {
		t.Errorf("%s: MRR %v of the best, %v of the %d best, test %v",
			variant, run.BestMRR, run.TopMRR, ablation.Top, run.TestMRR)
	}
	for m := range run.Trace[1:] {
		a, b := run.Trace[m], run.Trace[m+1]
		if b.Trained <= a.Trained || b.Seconds <= a.Seconds {
			t.Errorf("%s: mark %+v is followed by %+v", variant, a, b)
		}
	}
}

func TestUnknownAblation(t *testing.T) {
	if _, err := ablation.ByName("colour"); err == nil {
		t.Error("colour is an ablation")
	}
	if a, err := ablation.ByName("filter"); err != nil || a.Name != "filter" {
		t.Errorf("%v, %v", a, err)
	}
}

// TestResume compares an interrupted comparison with one that runs through.
func TestResume(t *testing.T) {
	a, err := ablation.ByName("predictor")
	if err != nil {
		t.Fatal(err)
	}
	want, err := ablation.Compare(t.Context(), plan(t), a)
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t)
	for calls := 40; ; calls += 40 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		p.OnProgress = func(string, search.Progress) {
			if n++; n == calls {
				cancel()
			}
		}
		got, err := ablation.Compare(ctx, p, a)
		cancel()
		if errors.Is(err, context.Canceled) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(untimed(got), untimed(want)) {
			t.Errorf("with interruptions %+v, without %+v", got, want)
		}
		return
	}
}

// untimed sets all times to 0.
func untimed(outcomes []ablation.Outcome) []ablation.Outcome {
	for _, o := range outcomes {
		for i := range o.Runs {
			o.Runs[i].Seconds = 0
			for m := range o.Runs[i].Trace {
				o.Runs[i].Trace[m].Seconds = 0
			}
		}
	}
	return outcomes
}

func TestSharing(t *testing.T) {
	p := plan(t)
	p.Settings.Training.ValidateEvery = 1 // of the searches
	correlated, err := ablation.Sharing(t.Context(), p, 4)
	if err != nil {
		t.Fatal(err)
	}
	checkCorrelated(t, correlated)
}

func TestDimensions(t *testing.T) {
	p := plan(t)
	same, err := ablation.Dimensions(t.Context(), p, p.Settings.Training.Dim+4)
	if err != nil {
		t.Fatal(err)
	}
	checkCorrelated(t, same)
}

func checkCorrelated(t *testing.T, correlated []ablation.Correlated) {
	t.Helper()
	if len(correlated) != 2 {
		t.Fatalf("%d results for 2 seeds", len(correlated))
	}
	for n, c := range correlated {
		if c.Seed != uint64(n+1) || len(c.Structures) != 12 || c.Spearman == nil ||
			!(math.Abs(*c.Spearman) <= 1) {
			t.Errorf("seed %d: %d structures, ρ %v", c.Seed, len(c.Structures), c.Spearman)
		}
		for _, j := range c.Structures {
			if !(j.X > 0 && j.X <= 1 && j.Y > 0 && j.Y <= 1) {
				t.Errorf("%s has MRRs %v and %v", j.Structure, j.X, j.Y)
			}
		}
	}
}

// TestTransfer checks that a structure has the same test MRR in a search and when it is trained
// again on the same graph with the same seed.
func TestTransfer(t *testing.T) {
	p := plan(t)
	p.Seeds = 1
	other := enginetest.Graph()
	other.Name = "other"
	other.Train = other.Train[:len(other.Train)/2]
	transferred, err := ablation.Transfer(t.Context(), p, []*datasets.Graph{p.Graph, other})
	if err != nil {
		t.Fatal(err)
	}
	if len(transferred.Structures) != 2 || len(transferred.TestMRR) != 2 ||
		transferred.Graphs[1] != "other" {
		t.Fatalf("%+v", transferred)
	}
	variants := []ablation.Variant{{Name: "autoblm+", Algorithm: "autoblm+"}}
	a := ablation.Ablation{Name: "plain", Variants: variants}
	outcome, err := ablation.Compare(t.Context(), p, a)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := transferred.TestMRR[0][0], outcome[0].Runs[0].TestMRR; got != want {
		t.Errorf("test MRR %v, in the search %v", got, want)
	}
	studies, err := filepath.Glob(filepath.Join(p.Folder, "*.db"))
	if err != nil || len(studies) != 5 {
		t.Errorf("studies %v, %v; want 2 searches, 2 lists and the plain search", studies, err)
	}
	if info, err := os.Stat(studies[0]); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestVariantsAreChecked: settings that do not fit a variant are refused before the first search, and
// those of a variant do not depend on the given ones.
func TestVariantsAreChecked(t *testing.T) {
	p := plan(t)
	p.Settings.Filter, p.Settings.InitialNonzeros = strategy.NoFilter, 4
	k, err := ablation.ByName("k")
	if err != nil {
		t.Fatal(err)
	}
	p.Settings.RoundSize, p.Settings.Candidates = 200, 16
	if _, err := ablation.Compare(t.Context(), p, k); err == nil || !strings.HasPrefix(err.Error(), "k=3: ") {
		t.Errorf("the error is %v", err)
	}
	if studies, err := os.ReadDir(p.Folder); err == nil && len(studies) > 0 {
		t.Errorf("%v", studies)
	}
	filters, err := ablation.ByName("filter")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range filters.Variants {
		s := p.Settings
		v.Change(&s)
		if wants := strings.HasSuffix(v.Name, "exact"); wants != (s.Filter == strategy.Exact) {
			t.Errorf("%s has the filter %v", v.Name, s.Filter)
		}
		if strings.HasSuffix(v.Name, "b0=k") && s.InitialNonzeros != 0 {
			t.Errorf("%s begins with %d nonzeros", v.Name, s.InitialNonzeros)
		}
	}
}

// TestNothingToSelectBy refuses a comparison by validation triples that a graph lacks.
func TestNothingToSelectBy(t *testing.T) {
	p := plan(t)
	p.Graph = enginetest.Graph()
	p.Graph.Valid = nil
	filters, err := ablation.ByName("filter")
	require.NoError(t, err)
	_, err = ablation.Compare(t.Context(), p, filters)
	require.Error(t, err, "no validation triples")
}

// TestOneStructure checks that a comparison without a rank correlation is saved.
func TestOneStructure(t *testing.T) {
	p := plan(t)
	p.Settings.Budget = 1
	r, err := ablation.RunByName(t.Context(), p, "dimension", ablation.Options{OtherDim: 64})
	if err != nil {
		t.Fatal(err)
	}
	if r.Correlated[0].Spearman != nil {
		t.Errorf("one structure has the rank correlation %v", *r.Correlated[0].Spearman)
	}
	r.Out = t.TempDir()
	if err := r.Save(); err != nil {
		t.Error(err)
	}
}

// TestTransferNeedsTests checks that a graph without test triples is refused before the first search.
func TestTransferNeedsTests(t *testing.T) {
	p := plan(t)
	untested := enginetest.Graph()
	untested.Test = nil
	_, err := ablation.Transfer(t.Context(), p, []*datasets.Graph{p.Graph, untested})
	if err == nil || !strings.Contains(err.Error(), "no test triples") {
		t.Error(err)
	}
	namesake := enginetest.Graph()
	namesake.Train = namesake.Train[1:]
	_, err = ablation.Transfer(t.Context(), p, []*datasets.Graph{p.Graph, namesake})
	if err == nil || !strings.Contains(err.Error(), "two graphs have the name") {
		t.Error(err)
	}
	if studies, err := os.ReadDir(p.Folder); err != nil || len(studies) > 0 {
		t.Errorf("%v, %v", studies, err)
	}
}

// TestPlanRefuses: a plan without seeds, or whose searches prune structures, compares nothing and leaves no
// study. The variants of the predictor need none in the plan.
func TestPlanRefuses(t *testing.T) {
	for want, change := range map[string]func(*ablation.Plan){
		"seeds is 0":   func(p *ablation.Plan) { p.Seeds = 0 },
		"halving is 1": func(p *ablation.Plan) { p.Settings.Halving, p.Settings.Training.Epochs = 1, 6 },
	} {
		p := plan(t)
		change(&p)
		filters, err := ablation.ByName("filter")
		require.NoError(t, err)
		_, err = ablation.Compare(t.Context(), p, filters)
		require.Error(t, err, want)
		for _, name := range []string{"sharing", "dimension", "transfer"} {
			_, err = ablation.RunByName(t.Context(), p, name, ablation.Options{
				SharedEpochs: 1, OtherDim: 64, OtherGraphs: []*datasets.Graph{p.Graph},
			})
			require.Error(t, err, want)
		}
		if studies, err := os.ReadDir(p.Folder); err != nil || len(studies) > 0 {
			t.Errorf("%s: %v, %v", want, studies, err)
		}
	}
	p := plan(t)
	p.Settings.Predictor = nil
	predictors, err := ablation.ByName("predictor")
	require.NoError(t, err)
	require.NoError(t, predictors.Check(p.Settings))
	for _, v := range predictors.Variants {
		s := p.Settings
		v.Change(&s)
		if wants := !strings.HasSuffix(v.Name, "none"); wants != (s.Predictor != nil) {
			t.Errorf("%s has the predictor %+v", v.Name, s.Predictor)
		}
	}
}
