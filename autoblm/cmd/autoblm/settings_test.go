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
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// parse parses a command line.
func parse(line string) (*commands, *kong.Context, error) {
	c := newCommands()
	parser, err := newParser(c, kong.Vars{"version": ""})
	if err != nil {
		return nil, nil, err
	}
	parsed, err := parser.Parse(strings.Fields(line))
	return c, parsed, err
}

// resolveTrain returns train with its settings for a graph, nil for an unknown one.
func resolveTrain(t *testing.T, flags string, g *datasets.Graph) *trainCommand {
	t.Helper()
	c, line, err := parse("train " + flags)
	must(t, err)
	var size *recipe.Size
	if g != nil {
		of := recipe.SizeOf(g)
		size = &of
	}
	must(t, c.Train.resolve(line, size))
	return &c.Train
}

// resolveSearch returns search with its settings for data of unknown size.
func resolveSearch(flags string) (*searchCommand, autoblm.SearchSettings, error) {
	c, line, err := parse("search " + flags)
	if err != nil {
		return nil, autoblm.SearchSettings{}, err
	}
	s, err := c.Search.settings(line, task.Size{})
	s.Compute.Note = nil // functions cannot be compared
	return &c.Search, s, err
}

func namedRecipe(t *testing.T, name, dataset string) recipe.Recipe {
	t.Helper()
	r, err := recipe.Named(name, dataset)
	must(t, err)
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
		c := resolveTrain(t, train, nil)
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
	defaults := recipe.Default(usualSize)
	for flags, change := range map[string]func(r *recipe.Recipe){
		"": func(*recipe.Recipe) {},
		"--dim 512 --epochs=60 --batch 128 --n3 0.1": func(r *recipe.Recipe) { // as without a recipe
			s := defaults.Training
			r.Training.Dim, r.Training.Epochs, r.Training.Batch = s.Dim, s.Epochs, s.Batch
			r.N3 = defaults.N3
		},
		"--reciprocal=false --lr 0.3 --products 0 --validate-every 0": func(r *recipe.Recipe) {
			r.Training.Reciprocal, r.LearningRate, r.Products = false, 0.3, 0
			r.Training.ValidateEvery = 0
		},
		"--structure simple": func(r *recipe.Recipe) {
			r.Structure = structure.MustParse("simple")
		},
		"--dura 0.7":               func(r *recipe.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
		"--dura 0.7 --entity-l2 0": func(r *recipe.Recipe) { r.EntityL2, r.Products = 0, 0.7 },
		"--dropout 0.1 --init xavier --precision bfloat16": func(r *recipe.Recipe) {
			r.Training.Dropout, r.Training.Initial = 0.1, kge.Xavier
			r.Training.Precision = kge.Bfloat16
		},
	} {
		want := namedRecipe(t, "dura", "wn18rr")
		want.Recipe = withAutoPrecision(want.Recipe)
		change(&want)
		const named = "--recipe dura --dataset wn18rr"
		for _, line := range []string{flags + " " + named, named + " " + flags} {
			c := resolveTrain(t, line, nil)
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
		c := resolveTrain(t, named+flags, nil)
		if c.Model.String() != want || (c.Structure.K() > 0) != (want == "bilinear") ||
			c.Settings.Training.Dim != 256 {
			t.Errorf("%s: %v, %v, d %d", flags, c.Model, c.Structure, c.Settings.Training.Dim)
		}
	}
	refuse(t, []refusal{
		{cli.Misuse, "the recipe rescal is for gqe (RESCAL), so use another one or override it: transe scores by " +
			"distances: leave products and dura at 0", "train --model transe " + named},
		{cli.Misuse, "the recipe n3 is for ComplEx", "train --recipe n3 --dataset wn18rr --model transe"},
		{cli.Misuse, "the recipe rgcn is for the encoder rgcn",
			"train --dataset world --recipe rgcn --encoder compgcn-sub"},
		{cli.Misuse, "autoblm: dim is 5", "train --dim 5 " + named + "--structure simple"},
	})
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
		g := &datasets.Graph{
			Entities: make([]string, entities), Valid: make([]datasets.Triple, 1),
		}
		for flags, change := range map[string]func(r *kge.Recipe){
			"":                  func(*kge.Recipe) {},
			"--n3 0.1 --dim 64": func(r *kge.Recipe) { r.N3, r.Training.Dim = 0.1, 64 },
			"--dura 0.7":        func(r *kge.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
			"--plateau-patience 2 --precision bfloat16": func(r *kge.Recipe) {
				r.Training.PlateauPatience, r.Training.PlateauFactor = 2, 0.5
				r.Training.Precision = kge.Bfloat16
			},
			"--recipe basic": func(r *kge.Recipe) { *r = withAutoPrecision(kge.DefaultRecipe()) },
		} {
			want := withAutoPrecision(recipe.Default(usualSize).Recipe)
			want.N3 = n3
			if entities == 250 {
				want.PenaltyFrequency = 0.5
			}
			change(&want)
			c := resolveTrain(t, "--dataset mine --structure simple "+flags, g)
			if c.Settings != want {
				t.Errorf("%s: %+v, want %+v", flags, c.Settings, want)
			}
		}
	}
}

// TestBasicRecipe holds the smallest settings, and how defaults of small graphs differ from others.
func TestBasicRecipe(t *testing.T) {
	training := kge.Settings{
		Dim: 64, Epochs: 60, Batch: 256, Decay: 1, InitScale: 0.1, DataSeed: 1,
		Precision: kge.AutoPrecision,
	}
	for _, dataset := range []string{"mine", "umls", "wn18rr"} {
		flags := "--recipe basic --dataset " + dataset
		c := resolveTrain(t, flags+" --structure simple", nil)
		if want := (kge.Recipe{Training: training, LearningRate: 0.3}); c.Settings != want {
			t.Errorf("train on %s: %+v", dataset, c.Settings)
		}
		want := kge.Recipe{Training: training, LearningRate: 0.3, Weights: kge.Weights{N3: 0.03}}
		want.Training.Epochs = 20
		if s, _, err := resolveSearch(flags); err != nil || s.Settings.Recipe != want {
			t.Errorf("search on %s: %v, %+v", dataset, err, s.Settings.Recipe)
		}
	}
	large, small := recipe.Default(usualSize).Recipe, namedRecipe(t, "default-small", "").Recipe
	if large.N3 != 0.1 || small.N3 != 0.02 {
		t.Errorf("n3 is %v, or %v on small graphs", large.N3, small.N3)
	}
	small.N3, small.PenaltyFrequency = large.N3, large.PenaltyFrequency
	if small != large {
		t.Errorf("%+v differs from %+v in more than n3 and its frequency", small, large)
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
		"":               func(*autoblm.SearchSettings) {},
		"--recipe=basic": func(s *autoblm.SearchSettings) { *s = defaults(search.BasicSettings()) },
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
		"--tune=0 --retrain-seeds=0 --no-warm-start": func(s *autoblm.SearchSettings) {
			s.Tune, s.RetrainSeeds, s.WarmStart = nil, 0, false
		},
		"--epochs=3": func(s *autoblm.SearchSettings) {
			s.Training.Epochs, s.Halving = 3, 0 // too few epochs for rungs
		},
		"--validate-every=1 --plateau-patience=2": func(s *autoblm.SearchSettings) {
			s.Training.ValidateEvery = 1
			s.Training.PlateauPatience, s.Training.PlateauFactor = 2, 0.5
		},
		"--dura=0.3 --n3=0": func(s *autoblm.SearchSettings) {
			s.EntityL2, s.Products, s.N3 = 0.3, 0.3, 0
		},
		"--products=0 --dura=0.3": func(s *autoblm.SearchSettings) { s.EntityL2 = 0.3 },
		"--predictor=none":        func(s *autoblm.SearchSettings) { s.Predictor = nil },
		"--predictor=one-hot --filter=paper --engine=gomlx --backend=go --threads=1": func(
			s *autoblm.SearchSettings,
		) {
			s.Predictor.Features, s.Filter = surrogate.OneHot, strategy.PaperFilter
			s.Compute = autoblm.Compute{Engine: "gomlx", Backend: "go", Threads: 1}
		},
		"--algorithm=autoblm --budget=7 --seed=5 --candidates=6 --round-size=3 --parents=2 " +
			"--initial-nonzeros=5 --mutation-rate=0.3": func(s *autoblm.SearchSettings) {
			s.Algorithm, s.Budget, s.Seed, s.Candidates, s.RoundSize = "autoblm", 7, 5, 6, 3
			s.Parents, s.InitialNonzeros, s.MutationRate = 2, 5, 0.3
		},
		"--dim=12 --batch=9 --decay=0.5 --optimizer=adam --validate-every=2 --plateau-factor=0.1 " +
			"--plateau-patience=2 --init=xavier --reciprocal --max-norm=1.5 " +
			"--dropout=0.2 --precision=float32": func(s *autoblm.SearchSettings) {
			s.Training.Dim, s.Training.Batch, s.Training.Decay = 12, 9, 0.5
			s.Training.Optimizer, s.Training.ValidateEvery = kge.Adam, 2
			s.Training.PlateauFactor, s.Training.PlateauPatience = 0.1, 2
			s.Training.Initial, s.Training.Reciprocal = kge.Xavier, true
			s.Training.MaxNorm, s.Training.Dropout = 1.5, 0.2
			s.Training.Precision = kge.Float32
		},
		"--lr=0.7 --l2=0.2 --n3=0.4 --entity-l2=0.6 --relation-l2=0.3 --products=0.5 " +
			"--relation-prediction=0.8 --init-scale=0.01": func(s *autoblm.SearchSettings) {
			s.Training.InitScale = 0.01
			s.LearningRate, s.Weights = 0.7, kge.Weights{
				L2: 0.2, N3: 0.4, N3Block: s.N3Block, EntityL2: 0.6, RelationL2: 0.3, Products: 0.5,
				RelationPrediction: 0.8,
			}
		},
	} {
		want := defaults(autoblm.DefaultSearch().Settings)
		change(&want)
		if _, got, err := resolveSearch(flags); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %+v, want %+v", flags, err, got, want)
		}
	}
}

// TestFlagsWithoutEffect: a flag on the command line that would have no effect is refused, but not a
// value of a recipe or a configuration.
func TestFlagsWithoutEffect(t *testing.T) {
	without := func(flag, companions, line string) refusal {
		return refusal{cli.Misuse, flag + " has no effect without " + companions + ": add it", line}
	}
	train := "train --dataset nations "
	search := "search --dataset nations "
	refuse(t, []refusal{
		without("--margin", "--negatives", train+"--model transe --margin 9"),
		without("--subsampling", "--negatives", train+"--subsampling"),
		without("--margin", "--negatives", search+"--model rotate --negatives 0 --margin 9"),
		without("--margin", "--negatives", "query train --dataset nations --model q2b --margin 9"),
		without("--encoder-layers", "--encoder", train+"--encoder-layers 2"),
		without("--message", "--encoder", search+"--message simple"),
		without("--label-smoothing", "--loss bce", train+"--loss log-loss --label-smoothing 0.1"),
		without("--temperature", "--from-ensemble", train+"--temperature 9"),
		without("--teacher-weight", "--from-ensemble", train+"--teacher-weight 0.7 --temperature 2"),
		without("--n3-block", "--n3, --entity-n3 or --relation-n3", train+"--model transe --n3-block 2"),
		without("--plateau-factor", "--plateau-patience", train+"--plateau-factor 0.1"),
		without("--init-scale", "--init normal", train+"--init xavier --init-scale 5"),
		without("--retrain-dims", "--retrain-seeds", search+"--retrain-seeds 0 --retrain-dims 8"),
		without("--ensemble", "--retrain-seeds", search+"--recipe basic --ensemble 4"),
		without("--final-dims", "--final", search+"--final-dims 8"),
		without("--tune-by", "--tune", search+"--tune 0 --tune-by random"),
		without("--parts", "--encoder rgcn or --encoder rgcn-block",
			"classify train --dataset mine --encoder gcn --parts 7"),
		without("--transform", "--encoder blm", "classify train --dataset mine --encoder gcn --transform"),
		{cli.Misuse, "--hops is for --task query, not completion: leave it out", search + "--hops 3"},
		{cli.Misuse, "--layers is for --task classify", search + "--task query --layers 3"},
		{cli.Misuse, "transe has no structure to search for: leave ensemble out",
			search + "--model transe --ensemble 4"},
	})
	t.Chdir(t.TempDir())
	writeFile(t, "margin: 9\nhops: 3\nfinal-dims: 8\nencoder-layers: 2\n", "config.yaml")
	_, s, err := resolveSearch("--config config.yaml --plateau-factor 0 --dataset nations")
	if err != nil || s.Training.Margin != 0 || s.Training.EncoderLayers != 0 {
		t.Errorf("%v, %+v", err, s.Training)
	}
	c := resolveTrain(t, "--dataset wn18rr --recipe rotate --negatives 0", nil)
	if c.Settings.Training.SelfAdversarial != (kge.SelfAdversarial{}) {
		t.Errorf("%+v", c.Settings.Training)
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
		{"--recipe large", task.Size{Entities: 251, Examples: 100_001}, 0.1, 500},
		{"--model transe", task.Size{Entities: 251, Examples: 100_001}, 0.03, 256},
	} {
		parsed, line, err := parse("search " + c.flags)
		must(t, err)
		must(t, parsed.Search.resolve(line, c.size))
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
	none := func(*query.Settings, *kge.Member) {}
	for flags, want := range map[string]struct {
		settings query.Settings
		member   kge.Member
		change   func(s *query.Settings, m *kge.Member)
	}{
		"--structure simple":                {defaults, member, none},
		"--structure simple --recipe basic": {basic, basicMember, none},
		"--model transe":                    {basic, basicMember, none},
		"--model q2b --recipe basic":        {basic, basicMember, none},
		"--structure simple --dim 8 --with 3 --dura 0.1": {
			defaults, member, func(s *query.Settings, m *kge.Member) {
				s.Dim, s.With, m.EntityL2, m.Products = 8, []int{3}, 0.1, 0.1
			}},
		"--structure simple --validate-every 0": {
			defaults, member, func(s *query.Settings, _ *kge.Member) {
				s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 0, 0, 0, 0
			}},
		"--structure simple --recipe basic --with 1 --validate-every 1 --plateau-patience 1": {
			basic, basicMember, func(s *query.Settings, _ *kge.Member) {
				s.With, s.ValidateEvery, s.PlateauPatience, s.PlateauFactor = []int{1}, 1, 1, 0.5
			}},
	} {
		parsed, line, err := parse("query train --dataset mine " + flags)
		must(t, err)
		c := &parsed.Query.Train
		must(t, c.resolve(line))
		want.change(&want.settings, &want.member)
		want.settings.Precision, want.member.Form = kge.AutoPrecision, form.Bilinear
		got := query.Settings{Settings: c.Settings.Training, Paths: c.Paths}
		m := c.Settings.For(form.Bilinear, structure.Structure{}, c.Seed)
		diff := gocmp.Diff(want.settings, got, cmpopts.EquateEmpty(),
			cmpopts.EquateComparable(structure.Structure{}, form.Form{}))
		if diff != "" || m != want.member {
			t.Errorf("%s: %s%+v, want %+v", flags, diff, m, want.member)
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
		must(t, err)
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
		parsed, line, err := parse("classify train --dataset mine " + flags)
		must(t, err)
		c := &parsed.Classify.Train
		must(t, c.resolve(line))
		diff := gocmp.Diff(want, classify.Settings(c.Settings))
		if diff != "" || classify.Member(c.Member) != classify.DefaultMember() {
			t.Errorf("%s: %s%+v", flags, diff, c.Member)
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
		must(t, err)
		own := c.taskFlags[classify.TaskName].For(s.TrialRecipe()).(*classify.TaskSettings)
		if got := own.Convolution.SeenBy; got != want {
			t.Errorf("%s: seen by %d, want %d", flags, got, want)
		}
	}
}

// TestTaskRecipes: other tasks have the recipes default and basic only.
func TestTaskRecipes(t *testing.T) {
	for _, command := range []string{"query train", "classify train"} {
		fail(t, cli.Misuse, "use default or basic", command, "--dataset mine --recipe small", quick)
	}
}

// TestTimedSearchIsThatOfTheLibrary checks that --minutes has the settings of
// [autoblm.TimedSearch], for a small and a large graph.
func TestTimedSearchIsThatOfTheLibrary(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	large := &datasets.Graph{
		Name: "large", Entities: make([]string, 50_000), Relations: []string{"r"},
		Train: make([]datasets.Triple, 200_000), Valid: make([]datasets.Triple, 1000),
	}
	for _, g := range []*datasets.Graph{datasets.World(), large} {
		c, line, err := parse("search --minutes 10")
		must(t, err)
		on := &completion.Task{Graph: g}
		got, err := c.Search.settings(line, on.Size())
		must(t, err)
		got.Default, err = c.Search.defaultRecipe(line, on)
		must(t, err)
		got.Compute = autoblm.Compute{}
		diff := gocmp.Diff(autoblm.TimedSearch(g, 10*time.Minute), got,
			cmpopts.EquateComparable(form.Bilinear, structure.Structure{}))
		if diff != "" {
			t.Errorf("%s: the command has other settings (-library +command):\n%s", g.Name, diff)
		}
	}
}
