package stage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// fakeTask is a task without a graph, whose trials have scores by a function; NaN for a trial that
// diverges.
type fakeTask struct {
	task.Base
	score func(task.Trial) float64
	// lost, if set, says which trials are lost.
	lost func(task.Trial) bool
	// before, if set, is called before each training, which fails with its error.
	before    func(ctx context.Context, trials []task.Trial) error
	artifacts bool // the artifact of a trial is its number
	size      task.Size
	refusal   error
	// hasDefault is true if the task has a default model, of dimension 64.
	hasDefault bool
	// cooldown is that of the default model.
	cooldown float64
	// fitDim, if set, chooses the dimension of the default model, and fitEpochs the epochs of each.
	fitDim    func(seconds float64) int
	fitEpochs func(name string, seconds float64) int
	// forms is true if the task trains models without a structure.
	forms bool
}

func (f fakeTask) Supports() task.Capabilities { return task.Capabilities{Forms: f.forms} }

func (f fakeTask) FitTime(
	_ context.Context, t task.Trial, seconds float64, fit kge.Fit,
) (kge.Settings, error) {
	training := t.Recipe.Training
	if f.fitDim != nil && fit.Dim {
		training.Dim = f.fitDim(seconds)
	}
	if f.fitEpochs != nil && fit.Epochs {
		training.Epochs = f.fitEpochs(t.Name, seconds)
	}
	return training, nil
}

func (f fakeTask) Default(of form.Form) (task.Trial, bool) {
	r := search.TimedSettings().TrialRecipe()
	r.Training.Dim, r.LearningRate, r.Training.Cooldown = 64, .123, f.cooldown
	if of != form.Bilinear {
		return task.Trial{Form: of, Recipe: r}, f.hasDefault
	}
	return task.Trial{Name: "complex", Structure: structure.MustParse("complex"), Recipe: r}, f.hasDefault
}

func (fakeTask) Presentation() task.Presentation { return task.Presentation{Metric: "entries"} }

func (f fakeTask) Check() error { return f.refusal }

func (fakeTask) Identity() (task.Identity, error) { return task.Identity{Task: "fake"}, nil }

func (f fakeTask) Size() task.Size { return f.size }

func (f fakeTask) Train(
	ctx context.Context, trials []task.Trial, onProgress func(float64),
) (artifacts []task.Artifact, err error) {
	if f.before != nil {
		if err := f.before(ctx, trials); err != nil {
			return nil, err
		}
	}
	for i := range trials {
		t := &trials[i]
		switch score := f.score(*t); {
		case f.lost != nil && f.lost(*t):
			t.State, t.Error = task.Lost, "3 workers were lost or failed while they trained it"
		case math.IsNaN(score):
			t.State, t.Error = task.Diverged, "diverged"
		default:
			t.State, t.Score = task.Complete, &score
		}
		if f.artifacts {
			artifacts = append(artifacts, task.Files{"number": fmt.Append(nil, t.Number)})
		}
	}
	onProgress(1)
	return artifacts, ctx.Err()
}

// nonzeros returns the number of nonzeros as score.
func nonzeros(t task.Trial) float64 { return float64(t.Structure.Nonzeros()) }

// problem returns a search with a store in memory.
func problem(on task.Task, by strategy.Strategy, s search.Settings) search.Problem {
	return search.Problem{Task: on, Strategy: by, Settings: s, Store: &search.Memory{}}
}

func run(t *testing.T, p search.Problem) *search.Result {
	t.Helper()
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withoutSeconds returns trials without the times, which differ between runs.
func withoutSeconds(trials []task.Trial) []task.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		trials[i].Seconds = 0
	}
	return trials
}

// checkKept checks that the stored artifact belongs to the trial that is marked as kept.
func checkKept(t *testing.T, r *search.Result) string {
	t.Helper()
	want := fmt.Sprint(r.Kept.Number)
	if r.Kept.Ensemble != nil {
		want = ""
		for _, member := range r.Members() {
			want += fmt.Sprint(" ", member.Number)
		}
	}
	if got := string(r.Artifact.(task.Files)["number"]); got != want {
		t.Errorf("the artifact is %q, want that of trial %d, %q", got, r.Kept.Number, want)
	}
	return want
}

// TestAnotherTask: the score of a task guides the search, which needs no graph, engine or models.
func TestAnotherTask(t *testing.T) {
	settings := search.BasicSettings()
	settings.Budget = 40
	p := problem(fakeTask{score: nonzeros}, strategy.Evolutionary{}, settings)
	result := run(t, p)
	if result.Trained != 40 || result.Complete != 40 || result.Artifact != nil {
		t.Errorf("%d trained, %d complete, artifact %v", result.Trained, result.Complete,
			result.Artifact)
	}
	best := result.Best[0]
	for _, trial := range result.Trials {
		if trial.Round > 0 && trial.ScoreOrZero() > best.ScoreOrZero() {
			t.Errorf("%s scores %v, the best only %v", trial.Structure, trial.ScoreOrZero(),
				best.ScoreOrZero())
		}
	}
	if most := best.Structure.Nonzeros(); most < settings.InitialNonzeros+3 {
		t.Errorf("the best has %d entries: the score did not guide the search", most)
	}
	refusal := errors.New("nothing to search on")
	p.Task = fakeTask{refusal: refusal}
	if _, err := Run(t.Context(), p); !errors.Is(err, refusal) {
		t.Errorf("a task that is not ready: error %v", err)
	}
}

// engineTask is a task on a named engine and backend, with a unit for bfloat16.
type engineTask struct {
	fakeTask
	engine, backend, unit string
}

func (engineTask) Precision(s kge.Settings, _ form.Form) (kge.Precision, error) {
	return s.Precision, nil
}

func (e engineTask) Arithmetic(precision kge.Precision) (engine, backend string) {
	if precision == kge.Bfloat16 {
		return e.engine, e.backend + e.unit
	}
	return e.engine, e.backend
}

// onEngine returns a task that notes its engine in each trial.
func onEngine(engine, backend, unit string) task.Task {
	e := engineTask{fakeTask{score: nonzeros}, engine, backend, unit}
	e.before = func(_ context.Context, trials []task.Trial) error {
		for i, t := range trials {
			trials[i].Engine, trials[i].Backend = e.Arithmetic(t.Recipe.Training.Precision)
		}
		return nil
	}
	return e
}

// TestEnginesAreNotMixed: a search does not resume on another engine, as far as its trials record
// it.
func TestEnginesAreNotMixed(t *testing.T) {
	avx2, avx512, gomlx := onEngine("cpu", "avx2", ""), onEngine("cpu", "avx512", ""),
		onEngine("gomlx", "go", "")
	unknown, noInstructions := fakeTask{score: nonzeros}, onEngine("cpu", "", "")
	amx, bf16 := onEngine("cpu", "avx512", "+amx"), onEngine("cpu", "avx512", "+avx512-bf16")
	for name, c := range map[string]struct {
		began, goes task.Task
		mix         bool
		precision   kge.Precision
		says        string // "" if the search resumes
	}{
		"the same":                  {avx2, avx2, false, kge.Float32, ""},
		"another instruction set":   {avx2, avx512, false, kge.Float32, "cpu (avx2), cpu (avx512)"},
		"another engine":            {avx2, gomlx, false, kge.Float32, "cpu (avx2), gomlx (go)"},
		"mixed":                     {avx2, gomlx, true, kge.Float32, ""},
		"no instructions":           {noInstructions, avx512, false, kge.Float32, ""},
		"no instructions, another":  {noInstructions, gomlx, false, kge.Float32, "cpu, gomlx (go)"},
		"trials without an engine":  {unknown, avx2, false, kge.Float32, ""},
		"a task without an engine":  {avx2, unknown, false, kge.Float32, ""},
		"the same unit":             {amx, amx, false, kge.Bfloat16, ""},
		"another unit":              {amx, bf16, false, kge.Bfloat16, "cpu (avx512+amx), cpu (avx512+avx512-bf16)"},
		"another unit with float32": {amx, bf16, false, kge.Float32, ""},
	} {
		s := search.BasicSettings()
		s.Budget, s.Training.Precision = 20, c.precision
		p := problem(c.began, strategy.Evolutionary{}, s)
		before := len(run(t, p).Trials)
		p.Task, p.MixEngines = c.goes, c.mix
		if r := run(t, p); r.Trained != 20 {
			t.Errorf("%s, with nothing left to train: %d trained", name, r.Trained)
		}
		p.Settings.Budget = 30
		r, err := Run(t.Context(), p)
		if c.says == "" {
			if err != nil || r.Trained != 30 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		first, second, _ := strings.Cut(c.says, ", ")
		says := fmt.Sprintf("engine %s trained its trials, and the results of %s", first, second)
		if !errors.Is(err, kge.ErrOtherEngine) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", name, err, says)
		}
		if trials, err := p.Store.Trials(); err != nil || len(trials) != before {
			t.Errorf("%s: %d trials, %d before, %v", name, len(trials), before, err)
		}
	}
}

// bfloat16Task is a task that supports bfloat16, by default from a dimension on.
type bfloat16Task struct{ fakeTask }

func (bfloat16Task) Precision(s kge.Settings, _ form.Form) (kge.Precision, error) {
	switch p := s.RequestedPrecision(true); {
	case p != kge.AutoPrecision:
		return p, nil
	case s.Dim >= 64:
		return kge.Bfloat16, nil
	}
	return kge.Float32, nil
}

// TestResolve: the resolved precision is in the recipe of all trials, also of stages with another
// dimension. A task without precisions uses float32.
func TestResolve(t *testing.T) {
	s := search.BasicSettings()
	s.Training.Precision, s.Budget = kge.AutoPrecision, 8
	s.Tune, s.Final = search.DefaultTune(), search.DefaultFinal()
	s.Tune.Trials, s.Final.Trials, s.Final.Ranges.Dims = 2, 2, []int{8}
	for dim, want := range map[int]kge.Precision{64: kge.Bfloat16, 8: kge.Float32} {
		s.Training.Dim = dim
		result := run(t, problem(bfloat16Task{fakeTask{score: nonzeros}}, strategy.Evolutionary{}, s))
		if result.Recipe.Training.Precision != want {
			t.Errorf("d %d: the recipe has %v", dim, result.Recipe.Training.Precision)
		}
		for _, trial := range result.Trials {
			if trial.Recipe.Training.Precision != want {
				t.Errorf("d %d: trial %d of stage %s has %v", dim, trial.Number, trial.Stage,
					trial.Recipe.Training.Precision)
			}
		}
	}
	for requested, possible := range map[kge.Precision]bool{
		kge.Float32: true, kge.AutoPrecision: true, kge.Bfloat16: false,
	} {
		s.Training.Precision = requested
		resolved, err := search.Resolve(fakeTask{}, s)
		if possible != (err == nil) || possible && resolved.Training.Precision != kge.Float32 {
			t.Errorf("%v in float32 only: %v, %v", requested, resolved.Training.Precision, err)
		}
	}
}

// TestPrecisionOfLosses: the precision depends on the loss function.
func TestPrecisionOfLosses(t *testing.T) {
	on := bfloat16Task{fakeTask{score: nonzeros}}
	s := search.DefaultSettings()
	s.Training.Dim, s.Training.Precision = 64, kge.AutoPrecision
	for loss, want := range map[kge.Loss]kge.Precision{
		kge.LogLoss: kge.Bfloat16, kge.BCE: kge.Float32,
	} {
		s.Training.Loss = loss
		if r, err := search.Resolve(on, s); err != nil || r.Training.Precision != want {
			t.Errorf("%v: %v, %v", loss, r.Training.Precision, err)
		}
		state := &search.State{Problem: search.Problem{Task: withDefault{on, loss}, Settings: s}}
		trial, found, err := defaultTrial(t.Context(), state, true)
		if p := trial.Recipe.Training.Precision; err != nil || !found || p != want {
			t.Errorf("the default model with %v: %v, %v", loss, p, err)
		}
	}
}

// withDefault is a task whose default model trains with a loss function.
type withDefault struct {
	bfloat16Task
	loss kge.Loss
}

func (w withDefault) Default(f form.Form) (task.Trial, bool) {
	t := task.Trial{Form: f}
	t.Recipe.Training.Dim, t.Recipe.Training.Precision = 64, kge.AutoPrecision
	t.Recipe.Training.Loss = w.loss
	return t, true
}

// TestDrawnRecipesOfBCE: drawn recipes have no penalty that binary cross entropy refuses, and
// otherwise those of log-loss.
func TestDrawnRecipesOfBCE(t *testing.T) {
	base := search.BasicSettings().TrialRecipe()
	draw := func(loss kge.Loss) task.Recipe {
		base.Training.Loss, base.Training.Reciprocal = loss, true
		return drawRecipe(search.PaperRanges(), base, rand.New(rand.NewPCG(1, 1)))
	}
	bce, want := draw(kge.BCE), draw(kge.LogLoss)
	m := task.Trial{Structure: simple(4), Recipe: bce}.Member()
	if err := bce.Training.ValidateFor(m); err != nil {
		t.Error(err)
	}
	if want.N3 == 0 {
		t.Error("log-loss has no N3")
	}
	if want.Training.Loss, want.N3 = kge.BCE, 0; bce != want {
		t.Errorf("%s, want %s", bce.Terms(), want.Terms())
	}
}

// TestBestIsKept: the artifact of the best trial is stored, of a found structure or a baseline.
func TestBestIsKept(t *testing.T) {
	s := search.BasicSettings()
	s.Budget = 24
	for what, score := range map[string]func(task.Trial) float64{
		"found":    func(t task.Trial) float64 { return float64(t.Number) },
		"baseline": func(t task.Trial) float64 { return 1 / float64(t.Number) },
		"middle":   func(t task.Trial) float64 { return -float64((t.Number-11)*(t.Number-11)) + 100 },
	} {
		r := run(t, problem(fakeTask{score: score, artifacts: true}, strategy.Random{}, s))
		want := task.BestFirst(r.Trials)[0]
		if checkKept(t, r); r.Kept.Number != want.Number {
			t.Errorf("%s: kept %+v, want trial %d", what, r.Kept, want.Number)
		}
		if (what == "baseline") != (want.Name != "") {
			t.Errorf("%s: the best is trial %d, %q: the test is wrong", what, want.Number, want.Name)
		}
	}
}

// TestResolveOneMeaning: two values of a setting that mean the same make one recipe.
func TestResolveOneMeaning(t *testing.T) {
	s := search.BasicSettings()
	s.N3Block, s.IVRPower = 1, 2
	resolved, err := search.Resolve(fakeTask{}, s)
	s.N3Block, s.IVRPower = 0, 0
	if err != nil || resolved.TrialRecipe() != s.TrialRecipe() {
		t.Errorf("%v, %s", err, resolved.TrialRecipe().Terms())
	}
}
