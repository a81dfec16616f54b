package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

func settings(k, budget int) search.Settings {
	s := search.PaperSettings()
	s.K, s.Budget, s.Candidates, s.RoundSize, s.Parents = k, budget, 24, 4, 5
	s.Predictor.Steps = 5
	return s
}

func problem(t *testing.T, algorithm strategy.Strategy, budget int) search.Problem {
	t.Helper()
	engine := cpu.New(0) // which gives the same bits twice
	s := settings(4, budget)
	s.Training.Dim, s.Training.Epochs, s.Training.Batch = 8, 2, 64
	return search.Problem{
		Task:     &completion.Task{Graph: enginetest.Graph(), Engine: engine},
		Strategy: algorithm,
		Settings: s,
		Store:    &search.Memory{},
	}
}

// onTriples returns the task of a problem.
func onTriples(p search.Problem) *completion.Task { return p.Task.(*completion.Task) }

// bestModel returns the model that a search kept.
func bestModel(t *testing.T, r *search.Result) *kge.Model {
	t.Helper()
	p, err := completion.PredictorOf(r.Artifact)
	if p == nil || err != nil {
		t.Fatal(err)
	}
	return p.Models()[0]
}

func noted(t *testing.T, m *kge.Model) completion.Evaluations {
	t.Helper()
	var e completion.Evaluations
	err := errors.Join(json.Unmarshal(m.Valid, &e.Valid), json.Unmarshal(m.Test, &e.Test))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func run(t *testing.T, p search.Problem) *search.Result {
	t.Helper()
	result, err := stage.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// ignoreSeconds ignores the times of trials and rounds, which differ between runs.
var ignoreSeconds = cmp.Options{
	cmpopts.IgnoreFields(task.Trial{}, "Seconds"), cmpopts.IgnoreFields(search.Round{}, "Seconds"),
	cmp.Exporter(func(reflect.Type) bool { return true }),
}

func TestRunSpendsItsBudget(t *testing.T) {
	for _, algorithm := range strategy.All() {
		p := problem(t, algorithm, 13)
		result := run(t, p)
		if result.Trained != 13 || result.Stopped != search.BudgetSpent || result.Resumed != 0 {
			t.Errorf("%s: trained %d, resumed %d, stopped by %s", algorithm.Name(),
				result.Trained, result.Resumed, result.Stopped)
		}
		if len(result.Baselines) != 5 || len(result.Best) != p.Settings.Parents ||
			len(result.Trials) != 18 {
			t.Fatalf("%s: %d named, %d best, %d trials in all", algorithm.Name(),
				len(result.Baselines), len(result.Best), len(result.Trials))
		}
		for i, best := range result.Best {
			if best.Score == nil || best.TestScore == nil ||
				i > 0 && best.ScoreOrZero() > result.Best[i-1].ScoreOrZero() {
				t.Errorf("%s: best number %d is out of order or has no metrics: %+v",
					algorithm.Name(), i, best)
			}
		}
		best := result.Best[0]
		for _, named := range result.Baselines {
			if named.ScoreOrZero() >= best.ScoreOrZero() { // which was trained before
				best = named
			}
		}
		m := bestModel(t, result)
		if m.Structure != best.Structure || result.Kept.Number != best.Number ||
			noted(t, m).Valid.Both.MRR != best.ScoreOrZero() {
			t.Errorf("%s: the model is not that of the best structure", algorithm.Name())
		}
	}
}

// recording is an engine that records its populations.
type recording struct {
	kge.Engine
	populations [][]kge.Member
}

func (r *recording) NewPopulation(
	d *kge.Data, s kge.Settings, members []kge.Member,
) (kge.Population, error) {
	r.populations = append(r.populations, slices.Clone(members))
	return r.Engine.NewPopulation(d, s, members)
}

func TestRoundIsOnePopulation(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 13)
	p.Settings.LearningRate, p.Settings.L2, p.Settings.N3, p.Settings.Seed = 0.2, 0.01, 0.02, 9
	engine := &recording{Engine: onTriples(p).Engine}
	onTriples(p).Engine = engine
	result := run(t, p)
	rounds := map[int][]task.Trial{}
	for _, trial := range result.Trials {
		rounds[trial.Round] = append(rounds[trial.Round], trial)
	}
	if len(engine.populations) != len(rounds) {
		t.Fatalf("%d populations for %d rounds", len(engine.populations), len(rounds))
	}
	for round, members := range engine.populations {
		if len(members) != len(rounds[round]) {
			t.Errorf("round %d: a population of %d for %d trials", round, len(members),
				len(rounds[round]))
			continue
		}
		for i, m := range members {
			want := kge.Member{
				Structure: rounds[round][i].Structure, Seed: 9, LearningRate: 0.2,
				Weights: kge.Weights{L2: 0.01, N3: 0.02},
			}
			if m != want {
				t.Errorf("round %d: member %+v, want %+v", round, m, want)
			}
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	structures := func(seed uint64) (all []structure.Structure) {
		p := problem(t, strategy.Evolutionary{}, 13)
		p.Settings.Seed = seed
		for _, trial := range run(t, p).Trials {
			all = append(all, trial.Structure)
		}
		return all
	}
	if slices.Equal(structures(1), structures(2)) {
		t.Error("two seeds propose the same structures")
	}
}

// TestTiesCountAgainstTheModel: with embeddings near 0 all scores are equal, and only the pessimistic
// rank is the last.
func TestTiesCountAgainstTheModel(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 1)
	p.Settings.LearningRate, p.Settings.Training.InitScale = 1e-30, 1e-30
	result := run(t, p)
	for _, trial := range result.Trials {
		if valid := completion.EvaluationsOf(
			trial.Details).Valid; valid.Ties != eval.Pessimistic ||
			valid.Both.MeanRank < 30 {
			t.Errorf("mean rank %v by %v ties, where all 37 entities score the same",
				valid.Both.MeanRank, valid.Ties)
		}
	}
}

func TestLoweredBudgetTrainsNoMore(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 14)
	ctx, cancel := context.WithCancel(t.Context())
	p.OnProgress = func(progress search.Progress) {
		if progress.Trained >= 5 {
			cancel()
		}
	}
	if _, err := stage.Run(ctx, p); err != nil {
		t.Fatal(err)
	}
	p.OnProgress, p.Settings.Budget = nil, 6
	if result := run(t, p); result.Trained > 6 {
		t.Errorf("trained %d, with a budget of 6", result.Trained)
	}
}

func TestFinishedSearchTrainsNothing(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 9)
	first := run(t, p)
	onTriples(p).Engine = nil // is not needed
	p.OnProgress = func(search.Progress) { t.Error("something was trained") }
	second := run(t, p)
	if second.Resumed != 9 || second.Trained != 9 ||
		!reflect.DeepEqual(first.Trials, second.Trials) ||
		second.Seconds != first.Seconds {
		t.Errorf("the second run differs: resumed %d, trained %d", second.Resumed, second.Trained)
	}
	p.Settings.Budget = 4 // less than there is
	if third := run(t, p); third.Stopped != search.BudgetSpent || third.Trained != 9 ||
		!reflect.DeepEqual(first.Trials, third.Trials) {
		t.Errorf("with a lower budget it stopped by %v, with %d trained", third.Stopped,
			third.Trained)
	}
}

func TestInterruptedSearchResumes(t *testing.T) {
	asTheyAre := func(*search.Settings) {}
	for name, test := range map[string]struct {
		algorithm strategy.Strategy
		budget    int
		change    func(*search.Settings)
	}{
		"plain":       {strategy.Evolutionary{}, 14, asTheyAre},
		"repeats":     {strategy.Evolutionary{}, 14, func(s *search.Settings) { s.Filter, s.InitialNonzeros, s.MutationRate = strategy.NoFilter, 1, 0.01 }},
		"procedure":   {strategy.Evolutionary{}, 14, allStages},
		"rungs":       {strategy.Evolutionary{}, 20, onRungs},
		"ensemble":    {strategy.Evolutionary{}, 14, func(s *search.Settings) { s.RetrainSeeds, s.Ensemble = 2, 4 }},
		"seeds":       {strategy.Evolutionary{}, 14, func(s *search.Settings) { s.RetrainSeeds = 3 }},
		"progressive": {strategy.Progressive{}, 14, asTheyAre},
		"random":      {strategy.Random{}, 14, asTheyAre},
		"tpe":         {strategy.TPE{}, 28, asTheyAre}, // learns from 20 on
		"reinforce":   {strategy.Reinforce{}, 14, asTheyAre},
	} {
		t.Run(name, func(t *testing.T) {
			p := problem(t, test.algorithm, test.budget)
			test.change(&p.Settings)
			want := run(t, p)
			path := filepath.Join(t.TempDir(), "study.db")
			for calls := 2; ; calls += 7 { // interrupted at many places, each a little later
				about, err := study.Describe(p.Task, p.Strategy, p.Settings)
				if err != nil {
					t.Fatal(err)
				}
				kept, err := study.Open(path, about)
				if err != nil {
					t.Fatal(err)
				}
				p.Store = kept
				ctx, cancel := context.WithCancel(t.Context())
				left := calls
				p.OnProgress = func(search.Progress) {
					if left--; left == 0 {
						cancel()
					}
				}
				result, err := stage.Run(ctx, p)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				if err := kept.Close(); err != nil {
					t.Fatal(err)
				}
				if result.Stopped == search.Interrupted {
					continue
				}
				if diff := cmp.Diff(want.Trials, result.Trials, ignoreSeconds); diff != "" {
					t.Errorf("trials without and after interruptions:\n%s", diff)
				}
				if diff := cmp.Diff(want.Rounds, result.Rounds, ignoreSeconds); diff != "" {
					t.Errorf("rounds without and after interruptions:\n%s", diff)
				}
				return
			}
		})
	}
}

// onRungs sets a warm start and two rungs, after a tuning stage.
func onRungs(s *search.Settings) {
	allStages(s)
	s.Training.Epochs, s.Halving, s.WarmStart = 9, 2, true
}

// allStages sets the stages of the full procedure.
func allStages(s *search.Settings) {
	s.Tune, s.Final = search.DefaultTune(), search.DefaultFinal()
	s.Tune.Trials, s.Tune.Ranges.Batches = 5, []int{32, 64}
	s.Final.Trials, s.Final.Ranges.Batches, s.Final.Ranges.Dims = 6, []int{32, 64}, []int{8, 12}
	s.Final.Epochs, s.Final.ValidateEvery = 4, 2
}

// TestFullProcedure: the best recipe of the tuning stage trains the structures of the search, and the
// final stage trains some of them with other recipes.
func TestFullProcedure(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 12)
	allStages(&p.Settings)
	result := run(t, p)
	if len(result.Tuned) != 5 || len(result.Finals) != 6 || result.Trained != 12 ||
		len(result.Baselines) != 5 ||
		len(result.Trials) != 28 {
		t.Fatalf("%d tuned, %d final, %d trained, %d named, %d trials in all", len(result.Tuned),
			len(result.Finals), result.Trained, len(result.Baselines), len(result.Trials))
	}
	if result.Recipe != result.Tuned[0].Recipe {
		t.Errorf("the search used %+v, the best was %+v", result.Recipe, result.Tuned[0].Recipe)
	}
	best := map[structure.Structure]bool{}
	for _, trial := range result.Best {
		best[trial.Structure] = true
	}
	learningRates := map[float64]bool{}
	for i, trial := range result.Trials {
		if trial.Number != i+1 {
			t.Errorf("trial %d has number %d", i+1, trial.Number)
		}
		r := trial.Recipe
		switch trial.Stage {
		case task.Tuning:
			if trial.Structure.Name() != "simple" || r.Training.Dim != p.Settings.Training.Dim ||
				trial.ScoreOrZero() > result.Tuned[0].ScoreOrZero() {
				t.Errorf("tuning trial %+v", trial)
			}
		case task.Searching:
			if r != result.Recipe {
				t.Errorf("trial %d of the search has another recipe", trial.Number)
			}
			continue
		case task.Final:
			if !best[trial.Structure] || r.Training.Epochs != 4 || len(trial.Validations) != 2 ||
				!slices.Contains([]int{8, 12}, r.Training.Dim) {
				t.Errorf("final trial %+v", trial)
			}
		}
		if learningRates[r.LearningRate] || r.LearningRate <= 0 || r.LearningRate > 1 ||
			r.N3 < 1e-5 ||
			r.N3 > 1e-1 {
			t.Errorf("trial %d: learning rate %v, n3 %v", trial.Number, r.LearningRate, r.N3)
		}
		learningRates[r.LearningRate] = true
	}
	most := max(result.Finals[0].ScoreOrZero(), result.Best[0].ScoreOrZero())
	for _, named := range result.Baselines {
		most = max(most, named.ScoreOrZero())
	}
	if mrr := noted(t, bestModel(t, result)).Valid.Both.MRR; mrr != most {
		t.Errorf("the model has MRR %v, the best of all %v", mrr, most)
	}
}

// TestRepeatsAreNotTrainedAgain: without a filter, a strategy may propose trained structures, which
// count without another training.
func TestRepeatsAreNotTrainedAgain(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 30)
	p.Settings.Filter, p.Settings.MutationRate = strategy.NoFilter, 0.02
	engine := &recording{Engine: onTriples(p).Engine}
	onTriples(p).Engine = engine
	result := run(t, p)
	proposed, repeats := 0, 0
	for _, round := range result.Rounds {
		proposed, repeats = proposed+round.Proposed, repeats+round.Repeats
	}
	if repeats == 0 || proposed-repeats != 30 || result.Trained != 30 {
		t.Errorf("%d proposed, %d of them repeats, %d trained", proposed, repeats, result.Trained)
	}
	trained := map[structure.Structure]bool{}
	for _, members := range engine.populations {
		for _, m := range members {
			if trained[m.Structure] {
				t.Errorf("%s was trained twice", m.Structure)
			}
			trained[m.Structure] = true
		}
	}
}

// always is a strategy that proposes the same structures.
type always []structure.Structure

func (always) Name() string { return "always" }

func (a always) Propose(
	strategy.Options, int, []task.Trial, int, *rand.Rand,
) (strategy.Proposal, error) {
	return strategy.Proposal{Structures: a}, nil
}

// TestBaselinesMayBeProposed: the trial of a proposed baseline joins the round.
func TestBaselinesMayBeProposed(t *testing.T) {
	p := problem(t,
		always{structure.MustParse("complex"), structure.MustParse("simple").With(0, 0, 1)}, 9)
	result := run(t, p)
	if result.Stopped != search.SpaceExhausted || result.Note == "" {
		t.Errorf("stopped by %s (%s)", result.Stopped, result.Note)
	}
	if result.Trained != 2 || len(result.Best) != 2 || len(result.Trials) != 6 ||
		len(result.Baselines) != 5 {
		t.Errorf("%d trained, %d best, %d trials, %d named", result.Trained, len(result.Best),
			len(result.Trials), len(result.Baselines))
	}
	for _, trial := range result.Baselines {
		if (trial.Round == 1) != (trial.Name == "complex") {
			t.Errorf("%s is in round %d", trial.Name, trial.Round)
		}
	}
}

// TestLostPromotionKeepsItsRung: a structure whose promotion was lost has the result of its lower
// rung, and one whose promotion diverged has that.
func TestLostPromotionKeepsItsRung(t *testing.T) {
	score := .3
	rung := task.Trial{
		Number: 1, Round: 1, Stage: task.HalvingRung, State: task.Complete, Score: &score,
		Structure: structure.MustParse("complex"),
	}
	for state, want := range map[task.State]int{task.Running: 1, task.Lost: 1, task.Diverged: 2} {
		promoted := rung
		promoted.Number, promoted.Stage, promoted.State, promoted.Score = 2, task.Searching, state, nil
		got := search.Proposed([]task.Trial{rung, promoted})
		if len(got) != 1 || got[0].Number != want {
			t.Errorf("a promotion that is %s: %+v, want trial %d", state, got, want)
		}
	}
}

func TestRaisedBudgetResumes(t *testing.T) {
	p := problem(t, strategy.Progressive{}, 9)
	run(t, p)
	p.Settings.Budget = 12
	if result := run(t, p); result.Resumed != 9 || result.Trained != 12 {
		t.Errorf("resumed %d, trained %d, want 9 and 12", result.Resumed, result.Trained)
	}
}

func TestTwoChunksExhaustTheSpace(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 100)
	p.Settings.K = 2
	result := run(t, p)
	if result.Trained != 20 || result.Stopped != search.SpaceExhausted || result.Note == "" ||
		len(result.Baselines) != 3 {
		t.Errorf("trained %d, stopped by %s (%s), %d baselines", result.Trained, result.Stopped,
			result.Note, len(result.Baselines))
	}
}

func TestDivergedTrialsAreReported(t *testing.T) {
	p := problem(t, strategy.Evolutionary{}, 5)
	p.Settings.LearningRate = 1e30
	result := run(t, p)
	if len(result.Best) != 0 || result.Artifact != nil || result.Trained != 5 {
		t.Errorf("%d best, %d trained; want none and 5", len(result.Best), result.Trained)
	}
	for _, trial := range result.Trials {
		if trial.State != task.Diverged || !strings.Contains(trial.Error, "diverged") {
			t.Errorf("trial %d: %s, %q", trial.Number, trial.State, trial.Error)
		}
	}
}

func TestRunRefusesInvalidSettings(t *testing.T) {
	for name, spoil := range map[string]func(p *search.Problem){
		"d not divisible by K":     func(p *search.Problem) { p.Settings.Training.Dim = 9 },
		"no budget":                func(p *search.Problem) { p.Settings.Budget = 0 },
		"learning rate 0":          func(p *search.Problem) { p.Settings.LearningRate = 0 },
		"initial-nonzeros below K": func(p *search.Problem) { p.Settings.InitialNonzeros = 3 },
		"K too large":              func(p *search.Problem) { p.Settings.K = structure.MaxK + 1 },
		"mutation-rate above 1":    func(p *search.Problem) { p.Settings.MutationRate = 1.5 },
		"no tuning trials":         func(p *search.Problem) { allStages(&p.Settings); p.Settings.Tune.Trials = 0 },
		"no final dims":            func(p *search.Problem) { allStages(&p.Settings); p.Settings.Final.Ranges.Dims = nil },
		"odd final dims":           func(p *search.Problem) { allStages(&p.Settings); p.Settings.Final.Ranges.Dims = []int{10} },
		"no batch sizes":           func(p *search.Problem) { allStages(&p.Settings); p.Settings.Tune.Ranges.Batches = nil },
		"n3 from 0":                func(p *search.Problem) { allStages(&p.Settings); p.Settings.Final.Ranges.N3[0] = 0 },
		"seeds and last stage":     func(p *search.Problem) { allStages(&p.Settings); p.Settings.RetrainSeeds = 2 },
		"too few epochs":           func(p *search.Problem) { p.Settings.Halving = 1 },
		"chunks of no structure": func(p *search.Problem) {
			p.Settings.Model, p.Settings.FewerK = form.RotatE, []int{2}
		},
		"too many rungs": func(p *search.Problem) { p.Settings.Training.Epochs, p.Settings.Halving = 1000, 5 },
	} {
		p := problem(t, strategy.Evolutionary{}, 5)
		spoil(&p)
		if _, err := stage.Run(t.Context(), p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDefaultModelIsKeptWithoutSelection: if validation data say nothing about models, the search
// trains the default model, ends with the reason, and trains nothing when repeated.
func TestDefaultModelIsKeptWithoutSelection(t *testing.T) {
	for reason, spoil := range map[string]func(*datasets.Graph){
		"has no validation triples": func(g *datasets.Graph) { g.Valid = nil },
		"are also in train":         func(g *datasets.Graph) { g.Valid = g.Train[:5] },
		"that train lacks": func(g *datasets.Graph) {
			g.Entities = append(slices.Clone(g.Entities), "new")
			g.Valid = []datasets.Triple{{Tail: int32(len(g.Entities) - 1)}}
		},
		"of 2 validation triples, 1 are also in train": func(g *datasets.Graph) {
			g.Entities = append(slices.Clone(g.Entities), "new")
			g.Valid = []datasets.Triple{{Tail: int32(len(g.Entities) - 1)}, g.Train[0]}
		},
	} {
		p := problem(t, strategy.Evolutionary{}, 5)
		p.Default = &p.Settings.Recipe
		engine := &counting{Engine: cpu.New(1)}
		onTriples(p).Engine = engine
		spoil(onTriples(p).Graph)
		result := run(t, p)
		if result.Stopped != search.CannotSelect || !strings.Contains(result.Note, reason) ||
			result.Trained != 0 || result.Kept == nil || result.Kept.Stage != task.Default ||
			bestModel(t, result).Structure != structure.MustParse("complex") {
			t.Errorf("%s: stopped by %s, %s, kept %+v", reason, result.Stopped, result.Note, result.Kept)
		}
		epochs := engine.epochs
		if again := run(t, p); again.Stopped != search.CannotSelect || engine.epochs != epochs {
			t.Errorf("%s: repeated, it trained %d epochs", reason, engine.epochs-epochs)
		}
	}
}

func TestPaperSettings(t *testing.T) { // Section V-A
	s := search.PaperSettings()
	if s.Candidates != 128 || s.RoundSize != 8 || s.Parents != 8 || s.K != 4 || s.Budget != 256 ||
		s.Training.Dim != 64 {
		t.Errorf("%+v", s)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}
