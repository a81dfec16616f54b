package stage

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"pgregory.net/rapid"
)

// searchedForms returns a model of every kind whose settings a search tunes.
func searchedForms() []form.Form {
	var all []form.Form
	for _, f := range form.All()[1:] {
		if f != form.Translated {
			all = append(all, f)
		}
	}
	return append(all, form.Core(4), form.Block(4), form.DefaultConvE.Form(), form.RSN, form.AnyCell,
		form.CellFB15k237.Form())
}

// TestModelSpaces checks that each value of each space is a legal setting of its model, alone and in
// recipes that are drawn, that each value is drawn, and that no recipe is drawn twice.
func TestModelSpaces(t *testing.T) {
	for _, f := range searchedForms() {
		s := search.BasicSettings().ForModel(f)
		if err := s.Validate(); err != nil {
			t.Errorf("%v: %v", f, err)
		}
		base := choice{Recipe: s.TrialRecipe(), form: s.FirstForm()}
		models := []task.Trial{{Form: base.form}}
		space := recipeSpace{*s.SpaceOf(f)}
		axes := space.axes(base, models)
		if len(axes) < 4 {
			t.Errorf("%v has %d axes", f, len(axes))
		}
		seen := make([]map[int]bool, len(axes))
		for i, a := range axes {
			seen[i] = map[int]bool{}
			for index := range a.size {
				c := base
				if a.set(&c, index); a.isIn(base) && f != form.AnyCell && !canTrain(c, models) {
					m := task.Trial{Form: c.form, Recipe: c.Recipe}.Member()
					t.Errorf("%v: value %d of axis %d: %v", f, index, i, c.Training.ValidateFor(m))
				}
			}
		}
		rng := rand.New(rand.NewPCG(1, 1))
		any := func(choice) bool { return true }
		for range 600 {
			c, found := space.drawChoice(base, nil, models, any, rng)
			if !found || tidy(c) != c {
				t.Fatalf("%v: draws %v, %s", f, found, c.Terms())
			}
			for i, a := range axes {
				if same := c; a.isIn(c) {
					seen[i][a.index(c)] = true
					if a.set(&same, a.index(c)); same != c {
						t.Fatalf("%v: %s does not stand on axis %d", f, c.Terms(), i)
					}
				}
			}
		}
		for i, a := range axes {
			if len(seen[i]) != a.size {
				t.Errorf("%v: %d of the %d values of axis %d are drawn", f, len(seen[i]), a.size, i)
			}
		}
	}
}

// modelSettings returns the settings of a search for the settings of a model.
func modelSettings(f form.Form, budget int) search.Settings {
	s := search.BasicSettings().ForModel(f)
	s.Budget = budget
	return s
}

// likeRate returns scores by the learning rate, which is best at .1.
func likeRate(t task.Trial) float64 {
	return 10 - math.Abs(math.Log(t.Recipe.LearningRate/.1)) - t.Recipe.Training.Dropout
}

// TestRecipesResume checks that a search for settings has the same trials after an interruption in any
// round, and with a budget that is raised in steps, and that no two trials are equal.
func TestRecipesResume(t *testing.T) {
	for _, f := range []form.Form{form.RotatE, form.AnyCell} {
		s := modelSettings(f, 30)
		run := func(store *search.Memory, left, budget int) *search.Result {
			s.Budget = budget
			p := problem(fakeTask{score: likeRate, before: interruptedAfter(&left)}, strategy.Random{}, s)
			p.Store = store
			return run(t, p)
		}
		// The trials of a round are in another order if a budget cut it.
		of := func(r *search.Result) map[choice]float64 {
			all := map[choice]float64{}
			for _, t := range r.Trials {
				all[choice{Recipe: t.Recipe, form: t.Form}] = t.ScoreOrZero()
			}
			return all
		}
		whole := run(&search.Memory{}, math.MaxInt, 30)
		want := of(whole)
		if len(want) != 30 || whole.Stopped != search.BudgetSpent {
			t.Fatalf("%v: %d different trials, %s", f, len(want), whole.Stopped)
		}
		for _, calls := range []int{0, 1, 7, 12, 25} {
			store := &search.Memory{}
			run(store, calls, 30)
			resumed := run(store, math.MaxInt, 30)
			if got := withoutSeconds(resumed.Trials); !reflect.DeepEqual(got, withoutSeconds(whole.Trials)) {
				t.Fatalf("%v: interrupted after %d trainings, it has other trials", f, calls)
			}
		}
		store := &search.Memory{}
		for _, budget := range []int{3, 11, 12, 30} {
			if got := of(run(store, math.MaxInt, budget)); budget == 30 && !reflect.DeepEqual(got, want) {
				t.Errorf("%v: with a budget in steps, it has other trials", f)
			}
		}
	}
}

// TestRecipesImprove checks that the settings of later rounds are better than random ones.
func TestRecipesImprove(t *testing.T) {
	r := run(t, problem(fakeTask{score: likeRate}, strategy.Random{}, modelSettings(form.TransE, 64)))
	mean := func(trials []task.Trial) (sum float64) {
		for _, t := range trials {
			sum += t.ScoreOrZero() / float64(len(trials))
		}
		return sum
	}
	first, last := mean(r.Trials[:8]), mean(r.Trials[48:])
	if last < first+.3 {
		t.Errorf("the first round scores %.3f, the last two %.3f", first, last)
	}
}

// TestSearchForACell checks that a search finds a cell that is preferred, and tries no two cells that
// are the same model with the same recipe.
func TestSearchForACell(t *testing.T) {
	hidden := form.CellFB15k237
	score := func(t task.Trial) float64 {
		cell, _ := t.Form.Cell()
		equal := 0.0
		for p := range form.CellParts() {
			if cell.Part(form.CellPart(p)) == hidden.Part(form.CellPart(p)) {
				equal++
			}
		}
		return equal
	}
	r := run(t, problem(fakeTask{score: score}, strategy.Random{}, modelSettings(form.AnyCell, 160)))
	best := task.BestFirst(r.Trials)[0]
	if got, began := best.ScoreOrZero(), r.Trials[0].ScoreOrZero(); got < 10 || got < began+3 {
		t.Errorf("the best cell %v has %v of 13 parts, and the first one %v", best.Form, got, began)
	}
	cells, tried, ofOneHop := map[form.Form]bool{}, map[choice]bool{}, 0
	for _, trial := range r.Trials {
		cell, has := trial.Form.Cell()
		hasOneHop := trial.Recipe.Training.WalkHops <= 1
		if !has || cell.Check() != nil || cell.Canonical(hasOneHop) != cell {
			t.Errorf("a trial has %v and %d hops", trial.Form, trial.Recipe.Training.WalkHops)
		}
		if hasOneHop {
			ofOneHop++
		}
		cells[trial.Form], tried[choice{Recipe: trial.Recipe, form: trial.Form}] = true, true
	}
	if len(cells) < 20 || len(tried) != len(r.Trials) || ofOneHop < 10 {
		t.Errorf("%d cells, %d models and %d with one hop in %d trials", len(cells), len(tried), ofOneHop,
			len(r.Trials))
	}
}

// TestCellsOfOneHop checks that cells that read the state or the entity are one choice with walks of one
// hop, where these are equal, and two with longer walks.
func TestCellsOfOneHop(t *testing.T) {
	state, entity := form.Cell{0, 4 * form.CellState, 2}, form.Cell{0, 4 * form.CellEntity, 2}
	for hops := range 4 {
		recipe := modelSettings(form.AnyCell, 1).TrialRecipe()
		recipe.Training.WalkHops = hops
		of := func(f form.Form) choice { return tidy(choice{Recipe: recipe, form: f}) }
		areOne := of(state.Form()) == of(entity.Form())
		if areOne != (hops <= 1) {
			t.Errorf("%d hops: the cells are one choice: %v", hops, areOne)
		}
	}
}

// TestGivenSamplingIsKept checks that trials with negatives have the margin and the temperature of the
// initial recipe if the space has no others.
func TestGivenSamplingIsKept(t *testing.T) {
	for _, negatives := range []int{0, 64} {
		s := modelSettings(form.RotatE, 64)
		s.Space = s.Space.Without(func(flag string) bool {
			return flag == "margin" || flag == "adversarial-temperature"
		})
		s.Training.Negatives, s.Training.Margin = negatives, 7
		if negatives > 0 { // without, a temperature is refused
			s.Training.AdversarialTemperature = .25
		}
		initial := s.Training
		counts := map[int]int{}
		for _, trial := range run(t, problem(fakeTask{score: likeRate}, strategy.Random{}, s)).Trials {
			got := trial.Recipe.Training
			counts[got.Negatives]++
			if got.Negatives > 0 && (got.Margin != initial.Margin ||
				got.AdversarialTemperature != initial.AdversarialTemperature) {
				t.Errorf("%d negatives, margin %v, temperature %v", got.Negatives, got.Margin,
					got.AdversarialTemperature)
			}
		}
		if len(counts) != 3 {
			t.Errorf("the trials have these numbers of negatives: %v", counts)
		}
	}
}

// TestSmallSpaceEnds checks that a search ends when all values were tried.
func TestSmallSpaceEnds(t *testing.T) {
	s := modelSettings(form.TransE, 20)
	s.Space = &search.Space{Batches: []int{64, 128, 256}}
	r := run(t, problem(fakeTask{score: likeRate}, strategy.Random{}, s))
	batches := []int{}
	for _, t := range r.Trials {
		batches = append(batches, t.Recipe.Training.Batch)
	}
	slices.Sort(batches)
	if !slices.Equal(batches, []int{64, 128, 256}) || r.Stopped != search.SpaceExhausted {
		t.Errorf("%v, %s", batches, r.Stopped)
	}
}

// TestBinaryHasNoPenalties checks the space of a model that trains with binary cross entropy although
// its own space is for log-loss.
func TestBinaryHasNoPenalties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := search.BasicSettings().ForModel(form.GQE)
		conv := search.BasicSettings().ForModel(form.DefaultConvE.Form())
		s.Recipe.Weights, s.Training.LossFunction = conv.Weights, conv.Training.LossFunction
		s.Training.Reciprocal = true
		models := []task.Trial{{Form: form.GQE}}
		space := recipeSpace{*s.SpaceOf(form.GQE)}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		c, found := space.drawChoice(choice{Recipe: s.TrialRecipe(), form: form.GQE}, nil, models,
			func(choice) bool { return true }, rng)
		if !found || c.Weights != s.Recipe.Weights {
			t.Fatalf("%v: %s", found, c.Terms())
		}
	})
}
