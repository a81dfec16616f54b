package main

import (
	"cmp"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// parse parses a command line.
func parse(arguments ...string) (*commands, *kong.Context, error) {
	c := newCommands()
	parser, err := newParser(c, kong.Vars{"version": ""})
	if err != nil {
		return nil, nil, err
	}
	line, err := parser.Parse(arguments)
	return c, line, err
}

// resolveTrain returns train with its settings for a graph, nil for an unknown one.
func resolveTrain(flags string, g *datasets.Graph) (*trainCommand, error) {
	c, line, err := parse(append([]string{"train"}, strings.Fields(flags)...)...)
	if err != nil {
		return nil, err
	}
	return &c.Train, c.Train.resolve(line, g)
}

// resolveSearch returns search with its settings for data of unknown size.
func resolveSearch(flags string) (*searchCommand, autoblm.SearchSettings, error) {
	c, line, err := parse(append([]string{"search"}, strings.Fields(flags)...)...)
	if err != nil {
		return nil, autoblm.SearchSettings{}, err
	}
	s, err := c.Search.settings(line, task.Size{})
	s.Compute.Note = nil // functions cannot be compared
	return &c.Search, s, err
}

// graphOf returns a graph with this many entities and some validation triples.
func graphOf(entities int) *datasets.Graph {
	return &datasets.Graph{
		Entities: make([]string, entities), Valid: make([]datasets.Triple, 1),
	}
}

func namedRecipe(t *testing.T, name, dataset string) recipe.Recipe {
	t.Helper()
	r, err := recipe.Named(name, dataset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryRecipe trains and searches with each recipe.
func TestEveryRecipe(t *testing.T) {
	for _, r := range recipe.All() {
		flags := "--dataset somewhere/" + cmp.Or(r.Dataset, "mine") + " --recipe " + r.Name
		want := withAutoPrecision(r.Recipe)
		train := flags
		if r.Searches() {
			train += " --structure simple"
			r.Structure = structure.MustParse("simple")
		}
		c, err := resolveTrain(train, nil)
		if err != nil {
			t.Errorf("%s: %v", train, err)
			continue
		}
		if c.Settings != want || c.Model != r.Form || c.Structure.Structure != r.Structure {
			t.Errorf("%s: %+v, %v, %v, want %+v", train, c.Settings, c.Model, c.Structure, want)
		}
		if r.Name == basicRecipe { // see TestBasicRecipe
			continue
		}
		if r.Form != form.Bilinear {
			flags += " --model " + r.Form.String()
		}
		if s, _, err := resolveSearch(flags); err != nil || s.Settings.Recipe != want {
			t.Errorf("search %s: %v, %+v, want %+v", flags, err, s.Settings.Recipe, want)
		}
	}
}

// TestFlagsOverrideRecipes also with default values and in any order. --dura overrides the recipe,
// but not the flags that it stands for.
func TestFlagsOverrideRecipes(t *testing.T) {
	defaults := largeGraphRecipe()
	for flags, change := range map[string]func(r *recipe.Recipe){
		"":          func(*recipe.Recipe) {},
		"--dim 512": func(r *recipe.Recipe) { r.Training.Dim = defaults.Training.Dim },
		"--epochs=60 --batch 128": func(r *recipe.Recipe) {
			r.Training.Epochs, r.Training.Batch = defaults.Training.Epochs, defaults.Training.Batch
		},
		"--reciprocal=false --lr 0.3": func(r *recipe.Recipe) {
			r.Training.Reciprocal, r.LearningRate = false, 0.3
		},
		"--init-scale 0.1":         func(r *recipe.Recipe) { r.Training.InitScale = 0.1 },
		"--n3 0.1":                 func(r *recipe.Recipe) { r.N3 = defaults.N3 },
		"--n3 0.5":                 func(r *recipe.Recipe) { r.N3 = 0.5 },
		"--validate-every 0":       func(r *recipe.Recipe) { r.Training.ValidateEvery = 0 },
		"--structure simple":       func(r *recipe.Recipe) { r.Structure = structure.MustParse("simple") },
		"--products 0":             func(r *recipe.Recipe) { r.Products = 0 },
		"--dura 0.7":               func(r *recipe.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
		"--dura 0.7 --entity-l2 0": func(r *recipe.Recipe) { r.EntityL2, r.Products = 0, 0.7 },
		"--max-norm 2 --optimizer adam": func(r *recipe.Recipe) {
			r.Training.MaxNorm, r.Training.Optimizer = 2, kge.Adam
		},
		"--dropout 0.1 --init xavier": func(r *recipe.Recipe) {
			r.Training.Dropout, r.Training.Initial = 0.1, kge.Xavier
		},
		"--precision bfloat16": func(r *recipe.Recipe) { r.Training.Precision = kge.Bfloat16 },
		"--relation-prediction 2 --l2 1": func(r *recipe.Recipe) {
			r.RelationPrediction, r.L2 = 2, 1
		},
	} {
		want := namedRecipe(t, "dura", "wn18rr")
		want.Recipe = withAutoPrecision(want.Recipe)
		change(&want)
		const named = "--recipe dura --dataset wn18rr"
		for _, line := range []string{flags + " " + named, named + " " + flags} {
			c, err := resolveTrain(line, nil)
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if c.Settings != want.Recipe || c.Structure.Structure != want.Structure || c.Seed != 1 {
				t.Errorf("%s: %+v, %v, want %+v", line, c.Settings, c.Structure, want)
			}
		}
	}
}

// TestRecipeOfAForm: a given model overrides the recipe's, and a form without a structure is not
// searched for one.
func TestRecipeOfAForm(t *testing.T) {
	const named = "--dataset wn18rr --recipe rescal "
	for flags, want := range map[string]string{
		"": "gqe", "--model diag": "diag", "--structure simple": "bilinear",
	} {
		c, err := resolveTrain(named+flags, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Model.String() != want || (c.Structure.K() > 0) != (want == "bilinear") ||
			c.Settings.Training.Dim != 256 {
			t.Errorf("%s: %v, %v, d %d", flags, c.Model, c.Structure, c.Settings.Training.Dim)
		}
	}
	for _, flags := range []string{"", "--model transe"} {
		_, _, err := resolveSearch(named + flags)
		if err == nil || !strings.Contains(err.Error(), "add --model gqe") {
			t.Errorf("search %s: %v", flags, err)
		}
	}
}

// TestDefaultsFollowTheGraph: without --recipe, train uses the recipe for the size of the graph
// below the flags, and leaves the precision to the machine.
func TestDefaultsFollowTheGraph(t *testing.T) {
	for entities, n3 := range map[int]float64{250: 0.02, 251: 0.1} {
		for flags, change := range map[string]func(r *kge.Recipe){
			"":                  func(*kge.Recipe) {},
			"--n3 0.1 --dim 64": func(r *kge.Recipe) { r.N3, r.Training.Dim = 0.1, 64 },
			"--dura 0.7":        func(r *kge.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
			"--no-reciprocal":   func(r *kge.Recipe) { r.Training.Reciprocal = false },
			"--plateau-patience 2": func(r *kge.Recipe) {
				r.Training.PlateauPatience, r.Training.PlateauFactor = 2, 0.5
			},
			"--precision bfloat16": func(r *kge.Recipe) { r.Training.Precision = kge.Bfloat16 },
			"--recipe basic": func(r *kge.Recipe) {
				*r = withAutoPrecision(kge.DefaultRecipe())
			},
		} {
			want := withAutoPrecision(largeGraphRecipe())
			want.N3 = n3
			change(&want)
			line := "--dataset mine --structure simple " + flags
			c, err := resolveTrain(line, graphOf(entities))
			if err != nil {
				t.Fatalf("%s: %v", flags, err)
			}
			if c.Settings != want {
				t.Errorf("%s: %+v, want %+v", flags, c.Settings, want)
			}
		}
	}
}

// TestBasicRecipe holds the smallest settings, and what help says of the defaults.
func TestBasicRecipe(t *testing.T) {
	training := kge.Settings{
		Dim: 64, Epochs: 60, Batch: 256, Decay: 1, InitScale: 0.1, DataSeed: 1,
		Precision: kge.AutoPrecision,
	}
	for _, dataset := range []string{"mine", "umls", "wn18rr"} {
		flags := "--dataset " + dataset + " --recipe basic"
		c, err := resolveTrain(flags+" --structure simple", nil)
		if want := (kge.Recipe{Training: training, LearningRate: 0.3}); err != nil || c.Settings != want {
			t.Errorf("train on %s: %v, %+v", dataset, err, c.Settings)
		}
		want := kge.Recipe{Training: training, LearningRate: 0.3, Weights: kge.Weights{N3: 0.03}}
		want.Training.Epochs = 20
		if s, _, err := resolveSearch(flags); err != nil || s.Settings.Recipe != want {
			t.Errorf("search on %s: %v, %+v", dataset, err, s.Settings.Recipe)
		}
	}
	large, small := largeGraphRecipe(), namedRecipe(t, "default-small", "").Recipe
	_, help, _ := invoke(t.Context(), "train", "--help")
	for _, want := range []string{"n3 up to 250 entities: 0.02", "--n3=0.1 "} {
		if !strings.Contains(help, want) {
			t.Errorf("the help of train lacks %q:\n%s", want, help)
		}
	}
	if large.N3 != 0.1 || small.N3 != 0.02 {
		t.Errorf("n3 is %v, or %v on small graphs", large.N3, small.N3)
	}
	if small.N3 = large.N3; small != large {
		t.Errorf("%+v differs from %+v in more than n3", small, large)
	}
}

// TestSearchFlags: every flag of a search changes its settings.
func TestSearchFlags(t *testing.T) {
	defaults := func(s search.Settings) autoblm.SearchSettings {
		s.Recipe = withAutoPrecision(s.Recipe)
		return autoblm.SearchSettings{
			Settings: s, Algorithm: autoblm.DefaultSearch().Algorithm,
			Compute: autoblm.Compute{Engine: "auto", Backend: "auto"},
		}
	}
	const limit = 90 * time.Second
	for flags, change := range map[string]func(s *autoblm.SearchSettings){
		"":                    func(*autoblm.SearchSettings) {},
		"--algorithm=autoblm": func(s *autoblm.SearchSettings) { s.Algorithm = "autoblm" },
		"--budget=7":          func(s *autoblm.SearchSettings) { s.Budget = 7 },
		"--recipe=basic":      func(s *autoblm.SearchSettings) { *s = defaults(search.BasicSettings()) },
		"--recipe=basic --minutes=1.5": func(s *autoblm.SearchSettings) {
			*s = defaults(search.BasicSettings())
			s.TimeLimit = limit
		},
		"--minutes=1.5 --epochs=9 --tune=5": func(s *autoblm.SearchSettings) {
			*s = defaults(search.TimedSettings())
			s.TimeLimit, s.Training.Epochs, s.Tune = limit, 9, search.GuidedTune(5)
			s.Planned.Epochs, s.Planned.Tune = false, false
		},
		"--k=3": func(s *autoblm.SearchSettings) {
			s.K, s.Training.Dim, s.RetrainDims = 3, 63, []int{255, 510}
		},
		"--k=3 --dim=12 --minutes=1.5": func(s *autoblm.SearchSettings) {
			*s = defaults(search.TimedSettings())
			s.TimeLimit, s.K, s.Training.Dim, s.Planned.Dim = limit, 3, 12, false
		},
		"--tune=5": func(s *autoblm.SearchSettings) { s.Tune = search.GuidedTune(5) },
		"--tune=5 --tune-by=random": func(s *autoblm.SearchSettings) {
			s.Tune = search.DefaultTune()
			s.Tune.Trials = 5
		},
		"--tune=0":          func(s *autoblm.SearchSettings) { s.Tune = nil },
		"--retrain-seeds=0": func(s *autoblm.SearchSettings) { s.RetrainSeeds = 0 },
		"--no-warm-start":   func(s *autoblm.SearchSettings) { s.WarmStart = false },
		"--dim=12":          func(s *autoblm.SearchSettings) { s.Training.Dim = 12 },
		"--epochs=3": func(s *autoblm.SearchSettings) {
			s.Training.Epochs, s.Halving = 3, 0 // too few epochs for rungs
		},
		"--batch=9":          func(s *autoblm.SearchSettings) { s.Training.Batch = 9 },
		"--lr=0.7":           func(s *autoblm.SearchSettings) { s.LearningRate = 0.7 },
		"--l2=0.2":           func(s *autoblm.SearchSettings) { s.L2 = 0.2 },
		"--n3=0.4":           func(s *autoblm.SearchSettings) { s.N3 = 0.4 },
		"--decay=0.5":        func(s *autoblm.SearchSettings) { s.Training.Decay = 0.5 },
		"--optimizer=adam":   func(s *autoblm.SearchSettings) { s.Training.Optimizer = kge.Adam },
		"--validate-every=2": func(s *autoblm.SearchSettings) { s.Training.ValidateEvery = 2 },
		"--validate-every=1 --plateau-patience=2": func(s *autoblm.SearchSettings) {
			s.Training.ValidateEvery = 1
			s.Training.PlateauPatience, s.Training.PlateauFactor = 2, 0.5
		},
		"--validate-every=1 --plateau-patience=2 --plateau-factor=0.1": func(s *autoblm.SearchSettings) {
			s.Training.ValidateEvery = 1
			s.Training.PlateauPatience, s.Training.PlateauFactor = 2, 0.1
		},
		"--init=xavier":             func(s *autoblm.SearchSettings) { s.Training.Initial = kge.Xavier },
		"--init-scale=0.01":         func(s *autoblm.SearchSettings) { s.Training.InitScale = 0.01 },
		"--reciprocal":              func(s *autoblm.SearchSettings) { s.Training.Reciprocal = true },
		"--max-norm=1.5":            func(s *autoblm.SearchSettings) { s.Training.MaxNorm = 1.5 },
		"--dropout=0.2":             func(s *autoblm.SearchSettings) { s.Training.Dropout = 0.2 },
		"--label-smoothing=0.1":     func(s *autoblm.SearchSettings) { s.Training.LabelSmoothing = 0.1 },
		"--entity-l2=0.3":           func(s *autoblm.SearchSettings) { s.EntityL2 = 0.3 },
		"--relation-l2=0.3":         func(s *autoblm.SearchSettings) { s.RelationL2 = 0.3 },
		"--products=0.3":            func(s *autoblm.SearchSettings) { s.Products = 0.3 },
		"--relation-prediction=0.3": func(s *autoblm.SearchSettings) { s.RelationPrediction = 0.3 },
		"--dura=0.3": func(s *autoblm.SearchSettings) {
			s.EntityL2, s.Products = 0.3,
				0.3
		},
		"--dura=0.3 --products=0.4": func(s *autoblm.SearchSettings) {
			s.EntityL2, s.Products = 0.3,
				0.4
		},
		"--products=0 --dura=0.3": func(s *autoblm.SearchSettings) { s.EntityL2 = 0.3 },
		"--dataset=mine --dura=0.3 --n3=0": func(s *autoblm.SearchSettings) {
			s.EntityL2, s.Products, s.N3 = 0.3, 0.3, 0
		},
		"--seed=5":             func(s *autoblm.SearchSettings) { s.Seed = 5 },
		"--candidates=6":       func(s *autoblm.SearchSettings) { s.Candidates = 6 },
		"--round-size=3":       func(s *autoblm.SearchSettings) { s.RoundSize = 3 },
		"--parents=2":          func(s *autoblm.SearchSettings) { s.Parents = 2 },
		"--initial-nonzeros=5": func(s *autoblm.SearchSettings) { s.InitialNonzeros = 5 },
		"--mutation-rate=0.3":  func(s *autoblm.SearchSettings) { s.MutationRate = 0.3 },
		"--filter=paper":       func(s *autoblm.SearchSettings) { s.Filter = strategy.PaperFilter },
		"--precision=float32":  func(s *autoblm.SearchSettings) { s.Training.Precision = kge.Float32 },
		"--predictor=none":     func(s *autoblm.SearchSettings) { s.Predictor = nil },
		"--predictor=one-hot":  func(s *autoblm.SearchSettings) { s.Predictor.Features = predictor.OneHot },
		"--engine=gomlx":       func(s *autoblm.SearchSettings) { s.Compute.Engine = "gomlx" },
		"--backend=go":         func(s *autoblm.SearchSettings) { s.Compute.Backend = "go" },
		"--threads=1":          func(s *autoblm.SearchSettings) { s.Compute.Threads = 1 },
	} {
		want := defaults(autoblm.DefaultSearch().Settings)
		change(&want)
		if _, got, err := resolveSearch(flags); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %+v, want %+v", flags, err, got, want)
		}
	}
}

// TestSearchFollowsTheGraph: the penalty and the batch size fit the graph, unless a flag or a
// recipe sets them.
func TestSearchFollowsTheGraph(t *testing.T) {
	for _, c := range []struct {
		flags string
		size  task.Size
		n3    float64
		batch int
	}{
		{"", task.Size{}, 0.02, 128},
		{"", task.Size{Entities: 250, Examples: 1000}, 0.02, 128},
		{"", task.Size{Entities: 251, Examples: 1000}, 0.1, 128},
		{"", task.Size{Entities: 251, Examples: 100_001}, 0.1, 500},
		{"--batch 9 --n3 0", task.Size{Entities: 251, Examples: 100_001}, 0, 9},
		{"--dura 0.3", task.Size{Entities: 251, Examples: 1000}, 0.02, 128},
		{"--recipe basic", task.Size{Entities: 251, Examples: 100_001}, 0.03, 256},
		{"--recipe large", task.Size{Entities: 251, Examples: 100_001}, 0.1, 128},
		{"--model transe", task.Size{Entities: 251, Examples: 100_001}, 0.03, 256},
	} {
		parsed, line, err := parse(append([]string{"search"}, strings.Fields(c.flags)...)...)
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed.Search.resolve(line, c.size); err != nil {
			t.Fatal(err)
		}
		if s := parsed.Search.Settings; s.N3 != c.n3 || s.Training.Batch != c.batch {
			t.Errorf("%q, %+v: n3 %v, batch %d; want %v, %d",
				c.flags, c.size, s.N3, s.Training.Batch, c.n3, c.batch)
		}
	}
}

// TestQueryTrainSettings: the defaults are the library's, --recipe basic and models without a
// structure have smaller ones, and flags override both.
func TestQueryTrainSettings(t *testing.T) {
	defaults, member := query.Default(form.Bilinear)
	basic := query.Settings{
		Settings: kge.Settings{
			Dim: 64, Epochs: 60, Batch: 512, Decay: 1, InitScale: 0.1, DataSeed: 1, Reciprocal: true,
		},
		Paths: query.Paths{Hops: []int{2}, AnswerPower: 0.5},
	}
	basicMember := kge.Member{Seed: 1, LearningRate: 0.3}
	for flags, want := range map[string]struct {
		settings query.Settings
		member   kge.Member
		change   func(s *query.Settings, m *kge.Member)
	}{
		"--structure simple":                {defaults, member, nil},
		"--structure simple --recipe basic": {basic, basicMember, nil},
		"--model transe":                    {basic, basicMember, nil},
		"--model q2b --recipe basic":        {basic, basicMember, nil},
		"--structure simple --dim 8 --with 3 --dura 0.1": {
			defaults, member, func(s *query.Settings, m *kge.Member) {
				s.Dim, s.With, m.EntityL2, m.Products = 8, []int{3}, 0.1, 0.1
			}},
		"--structure simple --validate-every 0": {
			defaults, member, func(s *query.Settings, _ *kge.Member) {
				s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 0, 0, 0, 0
			}},
		"--structure simple --recipe basic --with 1 --dropout 0.5": {
			basic, basicMember, func(s *query.Settings, _ *kge.Member) {
				s.With, s.Dropout = []int{1}, 0.5
			}},
		"--structure simple --recipe basic --validate-every 1 --plateau-patience 1": {
			basic, basicMember, func(s *query.Settings, _ *kge.Member) {
				s.ValidateEvery, s.PlateauPatience, s.PlateauFactor = 1, 1, 0.5
			}},
	} {
		arguments := append([]string{"query", "train", "--dataset", "mine"}, strings.Fields(flags)...)
		parsed, line, err := parse(arguments...)
		if err != nil {
			t.Fatal(err)
		}
		c := &parsed.Query.Train
		if err := c.resolve(line); err != nil {
			t.Fatal(err)
		}
		if want.change != nil {
			want.change(&want.settings, &want.member)
		}
		want.settings.Precision = kge.AutoPrecision
		got := query.Settings{Settings: c.Settings.Training, Paths: c.Paths}
		if diff := gocmp.Diff(want.settings, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", flags, diff)
		}
		m := c.Settings.For(form.Bilinear, structure.Structure{}, c.Seed)
		want.member.Form = form.Bilinear
		if m != want.member {
			t.Errorf("%s: %+v, want %+v", flags, m, want.member)
		}
	}
}

// TestQuerySearchSettings: a search trains structures as query train does.
func TestQuerySearchSettings(t *testing.T) {
	weights := kge.Weights{EntityL2: 0.02, Products: 0.02}
	for flags, want := range map[string]struct {
		batch         int
		dropout, rate float64
		weights       kge.Weights
	}{
		"":                {256, 0.5, 0.2, weights},
		"--minutes 3":     {256, 0.5, 0.2, weights},
		"--recipe basic":  {512, 0, 0.3, kge.Weights{}},
		"--model transe ": {512, 0, 0.3, kge.Weights{}},
	} {
		c, _, err := resolveSearch("--task query --dataset mine " + flags)
		if err != nil {
			t.Fatal(err)
		}
		s, training := c.Settings, c.Settings.Training
		if training.Batch != want.batch || training.Dropout != want.dropout ||
			training.InitScale != 0.1 || !training.Reciprocal ||
			s.LearningRate != want.rate || s.Weights != want.weights {
			t.Errorf("%q: %+v", flags, s.Recipe)
		}
	}
}

// TestClassifyTrainSettings: the defaults are the library's, --recipe basic has the published ones,
// and flags override both.
func TestClassifyTrainSettings(t *testing.T) {
	for flags, want := range map[string]classify.Settings{
		"--structure simple":                            classify.Defaults(classify.BLM),
		"--structure simple --recipe basic":             classify.Published(classify.BLM),
		"--encoder rgcn":                                classify.Defaults(classify.RGCN),
		"--recipe basic --encoder rgcn":                 classify.Published(classify.RGCN),
		"--structure simple --seen-by 0":                classify.Published(classify.BLM),
		"--structure simple --seen-by 5 --recipe basic": classify.Defaults(classify.BLM),
	} {
		arguments := append([]string{"classify", "train", "--dataset", "mine"}, strings.Fields(flags)...)
		parsed, line, err := parse(arguments...)
		if err != nil {
			t.Fatal(err)
		}
		c := &parsed.Classify.Train
		if err := c.resolve(line); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, classify.Settings(c.Settings)); diff != "" {
			t.Errorf("%s: %s", flags, diff)
		}
		if got := classify.Member(c.Member); got != classify.DefaultMember() {
			t.Errorf("%s: %+v", flags, got)
		}
	}
}

// TestClassifySearchSettings: a search embeds the nodes that classify train embeds.
func TestClassifySearchSettings(t *testing.T) {
	for flags, want := range map[string]int{
		"":                            5,
		"--minutes 3":                 5,
		"--recipe basic":              0,
		"--recipe basic --seen-by 9":  9,
		"--seen-by 9 --recipe basic ": 9,
	} {
		c, s, err := resolveSearch("--task classify --dataset mine " + flags)
		if err != nil {
			t.Fatal(err)
		}
		own := c.taskFlags[classify.TaskName].For(s.TrialRecipe()).(*classify.TaskSettings)
		if got := own.Convolution.SeenBy; got != want {
			t.Errorf("%s: seen by %d, want %d", flags, got, want)
		}
	}
}

// TestTaskRecipes: other tasks have the recipes default and basic only.
func TestTaskRecipes(t *testing.T) {
	for _, command := range []string{"query train", "classify train"} {
		line := command + " --dataset mine --structure simple --recipe small"
		_, _, err := parse(strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), "use default or basic") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
