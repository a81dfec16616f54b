package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// parsed is the command line that arguments make.
func parsed(arguments ...string) (*commands, error) {
	c := newCommands()
	parser, err := newParser(c, kong.Vars{"version": ""})
	if err == nil {
		_, err = parser.Parse(arguments)
	}
	return c, err
}

// TestRecipesReachTheSettings: each recipe by its name, on both commands, and by the
// flags that recipe show prints.
func TestRecipesReachTheSettings(t *testing.T) {
	for _, r := range recipe.All() {
		dataset := cmp.Or(r.Dataset, "mine")
		named := []string{"--dataset", "somewhere/" + dataset, "--recipe", r.Name}
		line, err := recipeLine(r, dataset)
		if err != nil {
			t.Fatal(err)
		}
		train, search := append([]string{"train"}, named...), append([]string{"search"}, named...)
		if r.Form != form.Bilinear {
			search = append(search, "--model", r.Form.String())
		}
		if r.Searches() {
			train = append(train, "--structure", "simple")
			r.Structure = structure.MustParse("simple")
		}
		for what, arguments := range map[string][]string{
			"train":       train,
			"search":      search,
			"recipe show": strings.Fields(strings.ReplaceAll(strings.TrimPrefix(line, commandOf(nil)+" "), "'", "")),
		} {
			c, err := parsed(arguments...)
			if err != nil {
				t.Errorf("%v: %v", arguments, err)
				continue
			}
			flags := c.Train.trainingFlags
			if what == "search" && r.Name == "basic" {
				continue // see TestPlainIsTheFirstVersion
			}
			if arguments[0] == "search" {
				s := c.Search.Settings
				flags.Settings, flags.Member.LearningRate, flags.Member.Weights = s.Training, s.LearningRate, s.Weights
			} else {
				if c.Train.Structure.Structure != r.Structure || c.Train.Model != r.Form {
					t.Errorf("%s %s: the model is %v %s, want %v %s", what, r.Name, c.Train.Model, c.Train.Structure, r.Form, r.Structure)
				}
				if r.Form != form.Bilinear { // whose defaults are others
					if err := c.Train.settle(nil, r.Form); err != nil {
						t.Error(err)
					}
					flags = c.Train.trainingFlags
				}
			}
			r.Training.Precision = kge.AutoPrecision // which is no part of it
			if got := flags.Settings; got != r.Training {
				t.Errorf("%s: %s for %s is trained by %+v, want %+v", what, r.Name, r.Dataset, got, r.Training)
			}
			want := r.Member(structure.Structure{}, 1)
			want.Form = form.Bilinear // which flags of members leave open
			if got := kge.Member(flags.Member); got != want {
				t.Errorf("%s: %s for %s has the member %+v, want %+v", what, r.Name, r.Dataset, got, want)
			}
		}
	}
}

// TestFlagsComeBeforeRecipes, also with what they are by default, and wherever they
// stand; --dura comes before the recipe, and after the flags that it stands for.
func TestFlagsComeBeforeRecipes(t *testing.T) {
	plain, err := recipe.Named("dura", "wn18rr")
	if err != nil {
		t.Fatal(err)
	}
	defaults := recipe.Default(math.MaxInt)
	for flags, change := range map[string]func(r *recipe.Recipe){
		"":          func(*recipe.Recipe) {},
		"--dim 512": func(r *recipe.Recipe) { r.Training.Dim = defaults.Training.Dim },
		"--epochs=60 --batch 128": func(r *recipe.Recipe) {
			r.Training.Epochs, r.Training.Batch = defaults.Training.Epochs, defaults.Training.Batch
		},
		"--reciprocal=false --lr 0.3":    func(r *recipe.Recipe) { r.Training.Reciprocal, r.LearningRate = false, 0.3 },
		"--init-scale 0.1":               func(r *recipe.Recipe) { r.Training.InitScale = 0.1 },
		"--n3 0.1":                       func(r *recipe.Recipe) { r.N3 = defaults.N3 },
		"--validate-every 0":             func(r *recipe.Recipe) { r.Training.ValidateEvery = 0 },
		"--structure simple":             func(r *recipe.Recipe) { r.Structure = structure.MustParse("simple") },
		"--products 0":                   func(r *recipe.Recipe) { r.Products = 0 },
		"--n3 0.5":                       func(r *recipe.Recipe) { r.N3 = 0.5 },
		"--dura 0.7":                     func(r *recipe.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
		"--dura 0.7 --entity-l2 0":       func(r *recipe.Recipe) { r.EntityL2, r.Products = 0, 0.7 },
		"--max-norm 2 --optimizer adam":  func(r *recipe.Recipe) { r.Training.MaxNorm, r.Training.Optimizer = 2, kge.Adam },
		"--dropout 0.1 --init xavier":    func(r *recipe.Recipe) { r.Training.Dropout, r.Training.Initial = 0.1, kge.Xavier },
		"--precision bfloat16":           func(r *recipe.Recipe) { r.Training.Precision = kge.Bfloat16 },
		"--precision auto":               func(r *recipe.Recipe) { r.Training.Precision = kge.AutoPrecision },
		"--relation-prediction 2 --l2 1": func(r *recipe.Recipe) { r.RelationPrediction, r.L2 = 2, 1 },
	} {
		want := plain
		want.Training.Precision = kge.AutoPrecision // which is no part of it
		change(&want)
		named := []string{"--recipe", "dura", "--dataset", "wn18rr"}
		given := strings.Fields(flags)
		for _, arguments := range [][]string{append([]string{"train"}, append(given, named...)...), append([]string{"train"}, append(named, given...)...)} {
			c, err := parsed(arguments...)
			if err != nil {
				t.Errorf("%v: %v", arguments, err)
				continue
			}
			if got := c.Train.Settings; got != want.Training {
				t.Errorf("%v: %+v, want %+v", arguments, got, want.Training)
			}
			if got, chosen, want := kge.Member(c.Train.Member), want.Structure, want.Member(structure.Structure{}, 1); got != want || c.Train.Structure.Structure != chosen {
				t.Errorf("%v: %+v, want %+v", arguments, got, want)
			}
		}
	}
}

// TestRecipeOfAForm: what is given of a model comes before the recipe's, and a form without a
// structure is not searched for one.
func TestRecipeOfAForm(t *testing.T) {
	named := []string{"--dataset", "wn18rr", "--recipe", "rescal"}
	for flags, want := range map[string]string{"": "gqe", "--model diag": "diag", "--structure simple": "bilinear"} {
		c, err := parsed(append(append([]string{"train"}, named...), strings.Fields(flags)...)...)
		if err != nil {
			t.Fatal(err)
		}
		if c.Train.Model.String() != want || (c.Train.Structure.K() > 0) != (want == "bilinear") || c.Train.Settings.Dim != 256 {
			t.Errorf("%s: %v, %v, d %d", flags, c.Train.Model, c.Train.Structure, c.Train.Settings.Dim)
		}
	}
	for _, flags := range []string{"", "--model transe"} {
		if _, err := parsed(append(append([]string{"search"}, named...), strings.Fields(flags)...)...); err == nil || !strings.Contains(err.Error(), "give --model gqe") {
			t.Errorf("search %s: %v", flags, err)
		}
	}
}

// TestDefaultIsTheGraphs: without --recipe a training is by the one that suits the graph, below
// what is given, and the command line leaves the precision to the machine, which programs do not.
func TestDefaultIsTheGraphs(t *testing.T) {
	for entities, n3 := range map[int]float64{250: 0.02, 251: 0.1} {
		for flags, change := range map[string]func(r *recipe.Recipe){
			"":                  func(*recipe.Recipe) {},
			"--n3 0.1 --dim 64": func(r *recipe.Recipe) { r.N3, r.Training.Dim = 0.1, 64 },
			"--dura 0.7":        func(r *recipe.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
			"--no-reciprocal":   func(r *recipe.Recipe) { r.Training.Reciprocal = false },
			"--plateau-patience 2": func(r *recipe.Recipe) {
				r.Training.PlateauPatience, r.Training.PlateauFactor = 2, 0.5
			},
			"--precision bfloat16": func(r *recipe.Recipe) { r.Training.Precision = kge.Bfloat16 },
			"--recipe basic": func(r *recipe.Recipe) {
				r.Training, r.LearningRate, r.N3 = kge.DefaultSettings(), 0.3, 0
				r.Training.Precision = kge.AutoPrecision
			},
		} {
			want := recipe.Default(math.MaxInt)
			want.Training.Precision, want.N3 = kge.AutoPrecision, n3
			change(&want)
			c, err := parsed(append([]string{"train", "--dataset", "mine", "--structure", "simple"}, strings.Fields(flags)...)...)
			if err == nil {
				err = c.Train.settle(&datasets.Graph{Entities: make([]string, entities), Valid: make([]datasets.Triple, 1)}, form.Bilinear)
			}
			if err != nil {
				t.Fatalf("%s: %v", flags, err)
			}
			if got := c.Train.Settings; got != want.Training {
				t.Errorf("%s: %+v, want %+v", flags, got, want.Training)
			}
			if got, want := kge.Member(c.Train.Member), want.Member(structure.Structure{}, 1); got != want {
				t.Errorf("%s: %+v, want %+v", flags, got, want)
			}
		}
	}
}

// TestPlainIsTheFirstVersion holds what the commands did before they had recipes for any graph,
// and what help says of the default.
func TestPlainIsTheFirstVersion(t *testing.T) {
	first := kge.Settings{Dim: 64, Epochs: 60, Batch: 256, Decay: 1, InitScale: 0.1, DataSeed: 1, Precision: kge.AutoPrecision}
	member := kge.Member{Seed: 1, LearningRate: 0.3}
	for _, dataset := range []string{"mine", "umls", "wn18rr"} {
		c, err := parsed("train", "--dataset", dataset, "--structure", "simple", "--recipe", "basic")
		if err != nil {
			t.Fatal(err)
		}
		if got, m := c.Train.Settings, kge.Member(c.Train.Member); got != first || m != member {
			t.Errorf("train on %s: %+v, %+v", dataset, got, m)
		}
		if c, err = parsed("search", "--dataset", dataset, "--recipe", "basic"); err != nil {
			t.Fatal(err)
		}
		searched := first
		searched.Epochs = 20
		if s := c.Search.Settings; s.Training != searched || s.LearningRate != 0.3 || s.Weights != (kge.Weights{N3: 0.03}) {
			t.Errorf("search on %s: %+v, %v, %+v", dataset, s.Training, s.LearningRate, s.Weights)
		}
	}
	few, usual := named(t, "default-small"), recipe.Default(math.MaxInt)
	said := fmt.Sprintf("n3 %v up to 250 entities", few.N3)
	if few.N3 = usual.N3; few.Training != usual.Training || few.Weights != usual.Weights || few.LearningRate != usual.LearningRate {
		t.Errorf("%+v differs by more than n3 from %+v", few, usual)
	}
	if _, help, _ := invoke(t.Context(), "train", "--help"); !strings.Contains(help, said) || !strings.Contains(help, fmt.Sprintf("--n3=%v ", usual.N3)) {
		t.Errorf("help of train does not say %q:\n%s", said, help)
	}
}

func named(t *testing.T, name string) recipe.Recipe {
	t.Helper()
	r, err := recipe.Named(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecipeJSON(t *testing.T) {
	if got, want := len(object(t, "recipe", "list")["recipes"].([]any)), len(recipe.All()); got != want {
		t.Errorf("%d recipes listed, want %d", got, want)
	}
	var names []string
	for _, r := range object(t, "recipe", "list", "--dataset", "fb15k-237")["recipes"].([]any) {
		names = append(names, r.(map[string]any)["name"].(string))
	}
	if want := "paper paper-search n3 dura rescal rp default default-small large basic small"; strings.Join(names, " ") != want {
		t.Errorf("recipes for fb15k-237: %v, want %s", names, want)
	}
	if got, want := len(object(t, "recipe", "list", "--dataset", "world")["recipes"].([]any)), len(recipe.For("")); got != want {
		t.Errorf("%d recipes for world, want the %d for any graph", got, want)
	}
	if o := object(t, "recipe", "show", "default", "mine"); o["dataset"] != "" || !strings.Contains(o["command"].(string), "--dataset mine ") {
		t.Errorf("%v", o)
	}
	o := object(t, "recipe", "show", "rp", "fb15k-237")
	if o["published"].(map[string]any)["mrr"] != 0.388 || o["relation_prediction"] != 4.0 || o["n3"] != 0.1 || o["training"].(map[string]any)["dim"] != 2000.0 {
		t.Errorf("%v", o)
	}
	_, stdout, _ := invoke(t.Context(), "recipe", "list")
	for _, r := range recipe.All() {
		if !strings.Contains(stdout, r.About+"; from "+r.Source+"\n") {
			t.Errorf("the list does not say what %s for %q is", r.Name, r.Dataset)
		}
	}
	if _, stdout, _ := invoke(t.Context(), "recipe", "show", "rescal", "wn18rr"); !strings.Contains(stdout, "model: gqe\n") || !strings.Contains(stdout, "train --dataset wn18rr --model gqe ") {
		t.Errorf("%s", stdout)
	}
	for _, text := range [][]string{{"recipe", "list"}, {"recipe", "show", "n3", "wn18"}} {
		status, stdout, stderr := invoke(t.Context(), text...)
		if status != cli.Done || !strings.Contains(stdout, "facebookresearch/kbc") || !strings.Contains(stdout, "0.950") {
			t.Errorf("%v: status %d, %q, %q", text, status, stdout, stderr)
		}
	}
}
