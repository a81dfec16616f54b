package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/program"
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
		named := []string{"--dataset", "somewhere/" + r.Dataset, "--recipe", r.Name}
		line, err := recipeLine(r)
		if err != nil {
			t.Fatal(err)
		}
		train := append([]string{"train"}, named...)
		if r.Structure.K() == 0 {
			train = append(train, "--structure", "simple")
			r.Structure = structure.MustParse("simple")
		}
		for what, arguments := range map[string][]string{
			"train":       train,
			"search":      append([]string{"search"}, named...),
			"recipe show": strings.Fields(strings.ReplaceAll(strings.TrimPrefix(line, commandOf(nil)+" "), "'", "")),
		} {
			c, err := parsed(arguments...)
			if err != nil {
				t.Errorf("%v: %v", arguments, err)
				continue
			}
			flags := c.Train.trainingFlags
			if arguments[0] == "search" {
				s := c.Search.Settings
				flags.Settings, flags.Member.LearningRate, flags.Member.Weights = s.Training, s.LearningRate, s.Weights
			} else if c.Train.Structure.Structure != r.Structure {
				t.Errorf("%s %s: the structure is %s, want %s", what, r.Name, c.Train.Structure, r.Structure)
			}
			r.Training.Precision = kge.AutoPrecision // which is no part of it
			if got := flags.Settings; got != r.Training {
				t.Errorf("%s: %s for %s is trained by %+v, want %+v", what, r.Name, r.Dataset, got, r.Training)
			}
			if got, want := kge.Member(flags.Member), r.Member(structure.Structure{}, 1); got != want {
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
	defaults := kge.DefaultSettings()
	for flags, change := range map[string]func(r *recipe.Recipe){
		"":                               func(*recipe.Recipe) {},
		"--dim 64":                       func(r *recipe.Recipe) { r.Training.Dim = defaults.Dim },
		"--epochs=60 --batch 256":        func(r *recipe.Recipe) { r.Training.Epochs, r.Training.Batch = defaults.Epochs, defaults.Batch },
		"--reciprocal=false --lr 0.3":    func(r *recipe.Recipe) { r.Training.Reciprocal, r.LearningRate = false, 0.3 },
		"--init-scale 0.1":               func(r *recipe.Recipe) { r.Training.InitScale = defaults.InitScale },
		"--validate-every 0":             func(r *recipe.Recipe) { r.Training.ValidateEvery = 0 },
		"--structure simple":             func(r *recipe.Recipe) { r.Structure = structure.MustParse("simple") },
		"--products 0":                   func(r *recipe.Recipe) { r.Products = 0 },
		"--n3 0.5":                       func(r *recipe.Recipe) { r.N3 = 0.5 },
		"--dura 0.7":                     func(r *recipe.Recipe) { r.EntityL2, r.Products = 0.7, 0.7 },
		"--dura 0.7 --entity-l2 0":       func(r *recipe.Recipe) { r.EntityL2, r.Products = 0, 0.7 },
		"--max-norm 2 --optimizer adam":  func(r *recipe.Recipe) { r.Training.MaxNorm, r.Training.Optimizer = 2, kge.Adam },
		"--dropout 0.1 --init xavier":    func(r *recipe.Recipe) { r.Training.Dropout, r.Training.Initial = 0.1, kge.Xavier },
		"--precision bfloat16":           func(r *recipe.Recipe) { r.Training.Precision = kge.Bfloat16 },
		"--half-scores":                  func(r *recipe.Recipe) { r.Training.Precision = kge.Bfloat16 },
		"--half-scores --precision auto": func(r *recipe.Recipe) { r.Training.Precision = kge.AutoPrecision },
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

// TestNoRecipeChangesNothing: without --recipe, flags are as they always are, and the command
// line leaves the precision to the machine, which programs do not.
func TestNoRecipeChangesNothing(t *testing.T) {
	c, err := parsed("train", "--dataset", "wn18rr", "--structure", "simple")
	if err != nil {
		t.Fatal(err)
	}
	want := kge.DefaultSettings()
	want.Precision = kge.AutoPrecision
	if got := c.Train.Settings; got != want {
		t.Errorf("%+v, want the library's defaults %+v", got, want)
	}
	if got, want := kge.Member(c.Train.Member), kge.DefaultMember(structure.Structure{}); got != want {
		t.Errorf("%+v, want the library's defaults %+v", got, want)
	}
}

func TestRecipeJSON(t *testing.T) {
	if got, want := len(object(t, "recipe", "list")["recipes"].([]any)), len(recipe.All()); got != want {
		t.Errorf("%d recipes listed, want %d", got, want)
	}
	var names []string
	for _, r := range object(t, "recipe", "list", "--dataset", "fb15k-237")["recipes"].([]any) {
		names = append(names, r.(map[string]any)["name"].(string))
	}
	if want := "paper paper-search n3 dura rp"; strings.Join(names, " ") != want {
		t.Errorf("recipes for fb15k-237: %v, want %s", names, want)
	}
	if list := object(t, "recipe", "list", "--dataset", "world")["recipes"].([]any); len(list) != 0 {
		t.Errorf("recipes for world: %v", list)
	}
	o := object(t, "recipe", "show", "rp", "fb15k-237")
	if o["published"].(map[string]any)["mrr"] != 0.388 || o["relation_prediction"] != 4.0 || o["n3"] != 0.1 || o["training"].(map[string]any)["dim"] != 2000.0 {
		t.Errorf("%v", o)
	}
	for _, text := range [][]string{{"recipe", "list"}, {"recipe", "show", "n3", "wn18"}} {
		status, stdout, stderr := invoke(t.Context(), text...)
		if status != program.Done || !strings.Contains(stdout, "facebookresearch/kbc") || !strings.Contains(stdout, "0.950") {
			t.Errorf("%v: status %d, %q, %q", text, status, stdout, stderr)
		}
	}
}
