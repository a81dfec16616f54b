package completion_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// twoRelations returns a graph of two relations, in which each entity has one tail.
func twoRelations() *datasets.Graph {
	const entities = 40
	g := &datasets.Graph{Name: "two", Relations: []string{"left", "right"}}
	for i := range int32(entities) {
		g.Entities = append(g.Entities, "e"+strconv.Itoa(int(i)))
		g.Train = append(g.Train,
			datasets.Triple{Head: i, Relation: 0, Tail: (7*i + 3) % entities},
			datasets.Triple{Head: i, Relation: 1, Tail: (11*i + 5) % entities})
	}
	g.Valid, g.Test = g.Train, g.Train[:20]
	return g
}

// specialists returns two models, of which each knows one relation and learned false triples of the
// other.
func specialists(t *testing.T, engine kge.Engine, g *datasets.Graph) (models []*kge.Model) {
	t.Helper()
	for i, name := range []string{"complex", "simple"} {
		one := &datasets.Graph{
			Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: slices.Clone(g.Train),
		}
		for n, f := range one.Train {
			if f.Relation != int32(i) {
				one.Train[n].Tail = (f.Tail + 1) % int32(len(g.Entities))
			}
		}
		models = append(models, trained(t, engine, one, name, uint64(i+1)))
	}
	return models
}

// trained returns a model that knows the training triples.
func trained(
	t *testing.T, engine kge.Engine, g *datasets.Graph, name string, seed uint64,
) *kge.Model {
	t.Helper()
	s := kge.DefaultSettings()
	s.Dim, s.Epochs, s.Batch = 32, 60, 16
	member := kge.DefaultMember(structure.MustParse(name))
	member.Seed = seed
	report, err := kge.Train(t.Context(), engine,
		kge.Job{Data: completion.Data(g), Settings: s, Members: []kge.Member{member}})
	if err != nil {
		t.Fatal(err)
	}
	return report.Results[0].Model
}

func chosen(
	t *testing.T, engine kge.Engine, models []*kge.Model, g *datasets.Graph,
) *completion.Ensemble {
	t.Helper()
	e, err := completion.ChooseEnsemble(t.Context(), engine, models, g, completion.DefaultEnsemble())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// weigh learns weights by relation.
func weigh(
	t *testing.T, engine kge.Engine, models []*kge.Model, g *datasets.Graph,
) (equal, made *completion.Ensemble, w *completion.RelationWeights) {
	t.Helper()
	equal = chosen(t, engine, models, g)
	made, w, err := completion.WeighByRelation(t.Context(), engine, equal, models, g,
		completion.DefaultEnsemble())
	if err != nil {
		t.Fatal(err)
	}
	return equal, made, w
}

// TestWeighByRelation checks that weights by relation let each of two models answer for the relation
// that it knows, and that everything uses the weights.
func TestWeighByRelation(t *testing.T) {
	g, engine := twoRelations(), newEngine(t)
	models := specialists(t, engine, g)
	equal, made, w := weigh(t, engine, models, g)
	if made.Weights != w || len(made.Members) != 2 || made.Choice != nil {
		t.Fatalf("%+v, %+v", made, w)
	}
	before, after := ensembleMRR(t, equal, g, "valid"), ensembleMRR(t, made, g, "valid")
	if after < before+.05 || w.HeldOut < w.Equal+.05 || w.Equal < before-1e-12 || w.Triples != len(g.Valid) {
		t.Errorf("MRR %v with equal weights, %v by relation; %+v", before, after, w)
	}
	for i, relation := range g.Relations {
		knows := slices.IndexFunc(made.Members, func(m *kge.Model) bool {
			return m.Compare(models[i].Parameters) == 0
		})
		weights := w.ByRelation[relation]
		if len(weights) != 2 || weights[knows] < .6 || math.Abs(weights[0]+weights[1]-1) > 1e-9 {
			t.Errorf("%s: weights %v, member %d knows it", relation, weights, knows)
		}
	}

	// Scores are weighted means, with an engine as without.
	queries := []completion.Query{{Head: "e3", Relation: "left"}, {Relation: "right", Tail: "e8"},
		{Head: "e9", Relation: "right"}}
	var answered [2][]completion.Prediction
	for i, engine := range []kge.Engine{nil, engine} {
		a, err := completion.NewAnswerer(made, nil, engine)
		if err != nil {
			t.Fatal(err)
		}
		if answered[i], err = a.Predict(t.Context(), queries, completion.PredictOptions{Top: 5}); err != nil {
			t.Fatal(err)
		}
		a.Close()
	}
	if !reflect.DeepEqual(answered[0], answered[1]) {
		t.Errorf("with an engine %+v, without %+v", answered[1], answered[0])
	}
	for i, q := range queries {
		want := map[string]float64{}
		for m, member := range made.Members {
			for _, a := range mustPredict(t, member, q, nil, 0, eval.KeepKnown) {
				want[a.Entity] += w.ByRelation[q.Relation][m] * a.Score
			}
		}
		for _, a := range answered[0][i].Answers {
			if math.Abs(a.Score-want[a.Entity]) > 1e-9 {
				t.Errorf("%+v: %+v, want the score %v", q, a, want[a.Entity])
			}
		}
	}

	// The folder has the weights.
	dir := filepath.Join(t.TempDir(), "ensemble")
	if err := made.Save(dir); err != nil {
		t.Fatal(err)
	}
	read, err := loadEnsemble(dir)
	if err != nil || !reflect.DeepEqual(read.Weights, w) {
		t.Fatalf("read %+v, %v", read, err)
	}
	if got := rankedByEnsemble(t, read, g, "test"); !slices.Equal(got, rankedByEnsemble(t, made, g, "test")) {
		t.Error("the folder ranks otherwise")
	}

	// The order of the models changes nothing.
	_, turned, again := weigh(t, engine, []*kge.Model{models[1], models[0]}, g)
	if !reflect.DeepEqual(again, w) || !reflect.DeepEqual(turned.Members, made.Members) {
		t.Errorf("another order, other weights: %+v", again)
	}
}

// TestWeightsInRanks checks that ranks, shares of likely triples and explanations follow the
// weights, which are those of one member here.
func TestWeightsInRanks(t *testing.T) {
	g, engine := twoRelations(), newEngine(t)
	e := ensemble(t, specialists(t, engine, g)...)
	for i, m := range e.Members {
		weights := []float64{0, 0}
		weights[i] = 1
		e.Weights = &completion.RelationWeights{
			Shared: weights, ByRelation: map[string][]float64{"left": weights},
		}
		alone := completion.Single{Model: m}
		if got, want := rankedByEnsemble(t, e, g, "test"),
			rankedByEnsemble(t, ensemble(t, m), g, "test"); !slices.Equal(got, want) {
			t.Errorf("member %d alone: ranks %v, want %v", i, got, want)
		}
		var facts [2][]completion.Fact
		for n, p := range []completion.Predictor{e, alone} {
			a, err := completion.NewAnswerer(p, g, engine)
			if err != nil {
				t.Fatal(err)
			}
			facts[n], err = a.Likeliest(t.Context(), "left", completion.PredictOptions{Top: 5})
			if err != nil {
				t.Fatal(err)
			}
			a.Close()
		}
		if !reflect.DeepEqual(facts[0], facts[1]) {
			t.Errorf("member %d alone: likely triples %+v, want %+v", i, facts[0], facts[1])
		}
		q := completion.Query{Head: "e0", Relation: "left", Tail: "e3"}
		got, want := explained(t, e, g, q, 3), explained(t, alone, g, q, 3)
		if !reflect.DeepEqual(got.Because, want.Because) || len(want.Because) == 0 {
			t.Errorf("member %d alone: %+v, want %+v", i, got.Because, want.Because)
		}
	}
}

// TestWeightsOfAlikeModels checks that models that are alike keep equal weights, with any of them as
// good as another.
func TestWeightsOfAlikeModels(t *testing.T) {
	g, engine := twoRelations(), newEngine(t)
	models := []*kge.Model{trained(t, engine, g, "complex", 1), trained(t, engine, g, "complex", 2)}
	equal, made, w := weigh(t, engine, models, g)
	if made != equal || w.ByRelation != nil || w.Shared != nil || w.HeldOut > w.Equal || made.Weights != nil {
		t.Errorf("%+v, %+v", made, w)
	}
}

// TestFewTriplesShareWeights checks that a relation with few validation triples has the weights that
// all relations share.
func TestFewTriplesShareWeights(t *testing.T) {
	g, engine := twoRelations(), newEngine(t)
	models := specialists(t, engine, g)
	g.Valid = nil
	right := 0
	for _, f := range g.Train {
		if f.Relation == 1 {
			right++
		}
		if f.Relation == 0 || right < completion.MinWeighed {
			g.Valid = append(g.Valid, f)
		}
	}
	all := ensemble(t, models...)
	made, w, err := completion.WeighByRelation(t.Context(), engine, all, models, g,
		completion.DefaultEnsemble())
	if err != nil || !slices.Equal(slices.Collect(maps.Keys(w.ByRelation)), []string{"left"}) ||
		len(w.Shared) != 2 {
		t.Fatalf("%+v, %v", w, err)
	}
	if got := ensembleMRR(t, all, g, "valid"); math.Abs(got-w.Equal) > 1e-9 {
		t.Errorf("MRR %v with equal weights, the report says %v", got, w.Equal)
	}
	q := completion.Query{Head: "e3", Relation: "right"}
	answers, err := made.Predict(nil, q, completion.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{}
	for i, member := range made.Members {
		for _, a := range mustPredict(t, member, q, nil, 0, eval.KeepKnown) {
			want[a.Entity] += w.Shared[i] * a.Score
		}
	}
	for _, a := range answers {
		if math.Abs(a.Score-want[a.Entity]) > 1e-9 {
			t.Errorf("%+v, want the score %v", a, want[a.Entity])
		}
	}
}

func TestWeighByRelationRefusals(t *testing.T) {
	g, engine := twoRelations(), newEngine(t)
	e := ensemble(t, specialists(t, engine, g)...)
	for valid, want := range map[int]string{0: "no valid triples", 1: "at least 2 validation triples"} {
		g.Valid = g.Train[:valid]
		_, _, err := completion.WeighByRelation(t.Context(), engine, e, e.Members, g,
			completion.DefaultEnsemble())
		checkError(t, err, want)
	}
	g.Valid = g.Train
	_, _, err := completion.WeighByRelation(t.Context(), engine, e, e.Members, g,
		completion.EnsembleSettings{Size: 2})
	checkError(t, err, "folds")
}

// TestRivals checks that rivals give ranks for all weights, also where only the strongest are kept.
func TestRivals(t *testing.T) {
	const entities = 5000
	byModel := [][]float32{make([]float32, entities), make([]float32, entities)}
	for id := range entities {
		byModel[0][id], byModel[1][id] = -float32(id), float32(id*7919%entities)
	}
	const truth = 5
	known := []int32{0, truth}
	for _, weights := range [][]float64{{1, 0}, {.999, .001}, {.9, .1}} {
		scores := make([]float64, entities)
		for id := range scores {
			scores[id] = weights[0]*float64(byModel[0][id]) + weights[1]*float64(byModel[1][id])
		}
		want := completion.FilteredRank(scores, truth, known).Under(eval.Pessimistic)
		if got := 1 / completion.RankAmongRivals(byModel, truth, known, weights); math.Abs(got-want) > 1e-9 {
			t.Errorf("weights %v: rank %v, want %v", weights, got, want)
		}
	}
}

// TestListedMembers checks that weights and the order of selection belong to the members as model.json
// lists them, in any order.
func TestListedMembers(t *testing.T) {
	made := ensemble(t, variedModels(t)[:3]...)
	for name, change := range map[string]func(e *completion.Ensemble){
		"choice": func(e *completion.Ensemble) {
			e.Choice = &completion.Choice{Order: []int{2, 0, 1}, Fitted: []float64{.1, .2, .3}}
		},
		"weights": func(e *completion.Ensemble) {
			e.Weights = &completion.RelationWeights{Shared: []float64{.5, .3, .2},
				ByRelation: map[string][]float64{"likes": {.1, .2, .7}}}
		},
	} {
		e := *made
		change(&e)
		files, err := e.Files()
		if err != nil {
			t.Fatal(err)
		}
		var d map[string]json.RawMessage
		var listed []string
		if err = errors.Join(json.Unmarshal(files["model.json"], &d), json.Unmarshal(d["members"], &listed)); err != nil {
			t.Fatal(err)
		}
		turned := []string{listed[1], listed[2], listed[0]}
		d["members"], _ = json.Marshal(turned)
		switch name {
		case "choice":
			d["choice"] = []byte(`{"order":[1,2,0],"fitted":[0.1,0.2,0.3]}`)
		case "weights":
			d["weights"] = []byte(`{"shared":[0.3,0.2,0.5],"by_relation":{"likes":[0.2,0.7,0.1]}}`)
		}
		files["model.json"], _ = json.Marshal(d)
		read, err := completion.LoadEnsembleFiles(files)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read.Choice, e.Choice) || !reflect.DeepEqual(read.Weights, e.Weights) {
			t.Errorf("%s: read %+v, %+v", name, read.Choice, read.Weights)
		}
		for i, m := range read.Members {
			if m.Compare(made.Members[i].Parameters) != 0 {
				t.Errorf("%s: member %d is another one", name, i)
			}
		}
	}
}

// TestStrongestRivals compares the kept rivals with those of a full sort, with ties, and with more
// models than rivals to keep.
func TestStrongestRivals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ models, entities int }{{1, 3000}, {3, 5000}, {1100, 1500}} {
		byModel := make([][]float32, c.models)
		for model := range byModel {
			byModel[model] = make([]float32, c.entities)
			for id := 1; id < c.entities; id++ {
				byModel[model][id] = float32(rng.IntN(40))
			}
		}
		isKept := map[int]bool{}
		for _, scores := range byModel {
			ids := make([]int, c.entities-1) // without the truth, 0
			for i := range ids {
				ids[i] = i + 1
			}
			slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
			for _, id := range ids[:max(1, completion.MaxRivals/c.models)] {
				isKept[id] = true
			}
		}
		var want []float32
		for _, id := range slices.Sorted(maps.Keys(isKept)) {
			for _, scores := range byModel {
				want = append(want, scores[id])
			}
		}
		if got := completion.RivalsOf(byModel, 0, nil); !slices.Equal(got, want) {
			t.Errorf("%d models: %d differences, want %d", c.models, len(got), len(want))
		}
	}
}

// TestMemoryOfRivals checks that memory for rivals does not grow with the graph.
func TestMemoryOfRivals(t *testing.T) {
	byModel := [][]float32{make([]float32, 1<<20), make([]float32, 1<<20)} // all are rivals
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	completion.RivalsOf(byModel, 0, nil)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
		t.Errorf("%d bytes for %d rivals", bytes, completion.MaxRivals)
	}
}

// endingContext ends after a number of calls of Err.
type endingContext struct {
	context.Context
	left, calls atomic.Int64
}

func (c *endingContext) Err() error {
	c.calls.Add(1)
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedFit checks that fits do not begin after an interruption, and that a fit in progress
// ends.
func TestInterruptedFit(t *testing.T) {
	count := &endingContext{Context: t.Context()}
	count.left.Store(math.MaxInt64)
	if logs, err := completion.FitWeights(count); err != nil || logs[3][0] >= logs[3][1] {
		t.Fatalf("%v, %v", logs, err)
	}
	all := count.calls.Load()
	for _, left := range []int64{0, all / 2} {
		ctx := &endingContext{Context: t.Context()}
		ctx.left.Store(left)
		logs, err := completion.FitWeights(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d calls: %v", left, err)
		}
		if left == 0 && !reflect.DeepEqual(logs, [][]float64{{0, 0}, {0, 0}, {0, 0}, {0, 0}}) {
			t.Errorf("fitted after the interruption: %v", logs)
		}
		if calls := ctx.calls.Load(); left > 0 && calls >= all-1 {
			t.Errorf("%d of %d evaluations with an interruption in the middle", calls, all)
		}
	}
}

func TestDamagedWeights(t *testing.T) {
	made := ensemble(t, variedModels(t)[:2]...)
	files, err := made.Files()
	if err != nil {
		t.Fatal(err)
	}
	description := string(files["model.json"])
	for name, c := range map[string]struct{ weights, want string }{
		"too few":              {`{"shared":[0.5,0.5],"by_relation":{"likes":[1]}}`, "2 members"},
		"negative":             {`{"shared":[0.5,0.5],"by_relation":{"likes":[2,-1]}}`, "sum 1"},
		"not normalized":       {`{"shared":[0.5,0.5],"by_relation":{"likes":[1,1]}}`, "sum 1"},
		"not shared":           {`{"by_relation":{"likes":[0.25,0.75]}}`, "shared weights"},
		"of an other relation": {`{"by_relation":{"hates":[0.5,0.5]}}`, `"hates"`},
		"with a choice": {`{"by_relation":{}},"choice":{"order":[0,1],"fitted":[1,1]}`,
			"choice and weights"},
		"of one relation": {`{"shared":[0.5,0.5],"by_relation":{"likes":[0.25,0.75]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files["model.json"] = []byte(
				strings.Replace(description, `"checksums"`, `"weights":`+c.weights+`,"checksums"`, 1))
			_, err := completion.LoadEnsembleFiles(files)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkError(t, err, c.want, "remove")
		})
	}
}

// TestChoiceAndWeights: weights are in the order of the members whatever a choice says, and both together
// are not saved, as they cannot be loaded.
func TestChoiceAndWeights(t *testing.T) {
	g := twoRelations()
	engine := cpu.New(1)
	defer engine.Close()
	e, err := completion.NewEnsemble(specialists(t, engine, g))
	if err != nil {
		t.Fatal(err)
	}
	e.Weights = &completion.RelationWeights{Shared: []float64{1, 0}}
	alone := completion.Single{Model: e.Members[0]}
	both := *e
	both.Choice = &completion.Choice{Order: []int{1, 0}, Fitted: []float64{.1, .2}}
	q := completion.Query{Head: "e3", Relation: "left"}
	var all [][]eval.Answer
	for _, p := range []completion.Predictor{alone, e, &both} {
		a, err := completion.NewAnswerer(p, nil, engine)
		if err != nil {
			t.Fatal(err)
		}
		predictions, err := a.Predict(t.Context(), []completion.Query{q}, completion.PredictOptions{Top: 3})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, predictions[0].Answers)
		a.Close()
	}
	for i, want := range all[0] {
		if all[1][i].Entity != want.Entity || all[2][i].Entity != want.Entity {
			t.Errorf("answers %v, weighted %v, and with a choice %v", all[0], all[1], all[2])
			break
		}
	}
	if err := both.Save(t.TempDir()); err == nil || !strings.Contains(err.Error(), "choice and weights") {
		t.Errorf("saved both: %v", err)
	}
}

// TestCalibrationOfPointers: a pointer to a model gets the calibration too.
func TestCalibrationOfPointers(t *testing.T) {
	c := &completion.Calibration{}
	if p := completion.WithCalibration(&completion.Single{}, c); completion.CalibrationOf(p) != c {
		t.Error("the calibration is lost")
	}
}
