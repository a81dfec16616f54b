package completion_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// variedModels returns untrained models of the small graph: structures with and without reciprocal
// relations, another size, another form, other ids. Entities 1 and 4 are equal in each, so that
// they tie.
func variedModels(t testing.TB) []*kge.Model {
	t.Helper()
	var all []*kge.Model
	for i, kind := range []struct {
		form       string
		structure  structure.Structure
		dim        int
		reciprocal bool
		reversed   bool // the labels
	}{
		{"", structure.MustParse("complex"), 8, false, false},
		{"", structure.MustParse("simple"), 16, true, false},
		{"transe", structure.Structure{}, 6, false, true},
		{"", structure.MustParse("1,0;0,-2"), 4, true, true},
		{"rotate", structure.Structure{}, 8, true, false},
	} {
		s := kge.DefaultSettings()
		s.Dim, s.InitScale, s.Reciprocal = kind.dim, 1, kind.reciprocal
		m := kge.Member{Structure: kind.structure, Seed: uint64(i + 1), LearningRate: 1}
		if err := m.Form.UnmarshalText([]byte(kind.form)); kind.form != "" && err != nil {
			t.Fatal(err)
		}
		d := completion.Data(enginetest.SmallGraph())
		if kind.reversed {
			slices.Reverse(d.Entities)
			slices.Reverse(d.Relations)
		}
		p := kge.Initialize(d, s, m)
		one, four := slices.Index(d.Entities, "e1"), slices.Index(d.Entities, "e4")
		copy(p.Entities[one*p.Dim:][:p.Dim], p.Entities[four*p.Dim:])
		all = append(all, &kge.Model{Parameters: p, Dataset: "small", EntityLabels: d.Entities,
			RelationLabels: d.Relations})
	}
	return all
}

// byDefinition returns the scores of all entities for a question of the small graph from the
// definition: means of scores in float64.
func byDefinition(models []*kge.Model, anchor, relation string, back bool) map[string]float64 {
	sums := map[string]float64{}
	for _, m := range models {
		q := kge.Question{Anchor: int32(slices.Index(m.EntityLabels, anchor)),
			Path: []int32{2 * int32(slices.Index(m.RelationLabels, relation))}}
		if back {
			q.Path[0]++
		}
		score := m.Scorer(q, len(m.RelationLabels))
		for id, label := range m.EntityLabels {
			sums[label] += score(int32(id)) / float64(len(models))
		}
	}
	return sums
}

// rankByDefinition ranks a true answer among unknown ones. Scores that differ by rounding are
// equal.
func rankByDefinition(
	scores map[string]float64, truth string, known func(label string) bool,
) eval.Rank {
	var rank eval.Rank
	for label, score := range scores {
		switch {
		case label == truth || known(label):
		case math.Abs(score-scores[truth]) < 1e-6:
			rank.Equal++
		case score > scores[truth]:
			rank.Better++
		}
	}
	return rank
}

func ensemble(t testing.TB, models ...*kge.Model) *completion.Ensemble {
	t.Helper()
	made, err := completion.NewEnsemble(models)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// loadEnsemble reads an ensemble from its folder.
func loadEnsemble(dir string) (*completion.Ensemble, error) {
	p, err := completion.Load(dir)
	e, _ := p.(*completion.Ensemble)
	return e, err
}

func newEngine(t *testing.T) kge.Engine {
	engine := cpu.New(2)
	t.Cleanup(func() { engine.Close() })
	return engine
}

// rankedByEnsemble ranks a split of a graph with any ids.
func rankedByEnsemble(
	t *testing.T, made *completion.Ensemble, g *datasets.Graph, split string,
) []eval.Ranked {
	t.Helper()
	aligned, err := completion.Align(made.Members[0], g)
	if err != nil {
		t.Fatal(err)
	}
	_, ranks, err := made.Rank(t.Context(), newEngine(t), kge.AutoPrecision, aligned, split, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}

// ensembleMRR returns the MRR of a split.
func ensembleMRR(
	t *testing.T, made *completion.Ensemble, g *datasets.Graph, split string,
) float64 {
	t.Helper()
	ranks := rankedByEnsemble(t, made, g, split)
	return completion.Summarize(ranks, eval.Pessimistic).Both.MRR
}

func TestEnsembleRanksByItsDefinition(t *testing.T) {
	g, models := enginetest.SmallGraph(), variedModels(t)
	ties := 0
	for size := 1; size <= len(models); size++ {
		made := ensemble(t, models[:size]...)
		for _, split := range []string{"train", "valid", "test"} {
			triples, _ := g.Split(split)
			ranks := rankedByEnsemble(t, made, g, split)
			for i, fact := range triples {
				head, relation, tail := g.Entities[fact.Head], g.Relations[fact.Relation], g.Entities[fact.Tail]
				known := func(h, t string) bool {
					fact := datasets.Triple{Head: int32(slices.Index(g.Entities, h)), Relation: fact.Relation,
						Tail: int32(slices.Index(g.Entities, t))}
					return slices.Contains(slices.Concat(g.Train, g.Valid, g.Test), fact)
				}
				tails := byDefinition(models[:size], head, relation, false)
				heads := byDefinition(models[:size], tail, relation, true)
				want := eval.Ranked{
					Tail: rankByDefinition(tails, tail, func(e string) bool { return known(head, e) }),
					Head: rankByDefinition(heads, head, func(e string) bool { return known(e, tail) }),
				}
				if ranks[i] != want {
					t.Errorf("%d models, %s triple %d: %+v, by definition %+v", size, split, i, ranks[i], want)
				}
				ties += int(want.Tail.Equal + want.Head.Equal)
			}
		}
		for _, q := range []completion.Query{{Head: "e2", Relation: "knows"},
			{Tail: "e5", Relation: "likes"}} {
			answers, err := made.Predict(nil, q, completion.PredictOptions{})
			if err != nil || len(answers) != len(g.Entities) {
				t.Fatalf("%d answers, %v", len(answers), err)
			}
			want := byDefinition(models[:size], q.Head+q.Tail, q.Relation, q.Head == "")
			for i, a := range answers {
				if math.Abs(a.Score-want[a.Entity]) > 1e-9*math.Abs(a.Score) ||
					i > 0 && a.Score > answers[i-1].Score {
					t.Errorf("%d models, %+v: answer %d is %+v, by definition %v", size, q, i, a, want[a.Entity])
				}
			}
		}
	}
	if ties < 10 {
		t.Errorf("%d ties prove little", ties)
	}
}

// TestEnsembleOfOne checks that an ensemble of one ranks like its member.
func TestEnsembleOfOne(t *testing.T) {
	for i, m := range variedModels(t) {
		g, err := completion.Align(m, enginetest.SmallGraph())
		if err != nil {
			t.Fatal(err)
		}
		_, want, err := completion.RankSplit(t.Context(), newEngine(t), kge.AutoPrecision,
			[]*kge.Model{m}, g, "train", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := rankedByEnsemble(t, ensemble(t, m), g, "train"); !slices.Equal(got, want[0]) {
			t.Errorf("model %d ranks differently as an ensemble of one: %v, want %v", i, got, want[0])
		}
	}
}

// TestOrderOfMembers checks that the order and the ids of members do not change a bit.
func TestOrderOfMembers(t *testing.T) {
	g, models := enginetest.SmallGraph(), variedModels(t)
	q := completion.Query{Head: "e2", Relation: "knows"}
	first := ensemble(t, models...)
	wanted, err := first.Predict(nil, q, completion.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := first.Files()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rng.Shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
		made := ensemble(t, models...)
		answers, err := made.Predict(nil, q, completion.PredictOptions{})
		again, err2 := made.Files()
		if err != nil || err2 != nil || !equalAnswers(answers, wanted) || !reflect.DeepEqual(again, files) {
			t.Fatalf("another order, other answers or files: %v, %v", err, err2)
		}
		if !slices.Equal(rankedByEnsemble(t, made, g, "train"), rankedByEnsemble(t, first, g, "train")) {
			t.Fatal("another order, other ranks")
		}
	}
}

// TestEnsembleData checks that the folder of an ensemble records the data of its first model, as
// which [completion.Predictor] lists it.
func TestEnsembleData(t *testing.T) {
	made := ensemble(t, variedModels(t)[:2]...)
	for i, m := range made.Members {
		m.Dataset, m.Source = fmt.Sprint("data", i), fmt.Sprint("/data", i)
	}
	made.Choice = &completion.Choice{Order: []int{1, 0}, Fitted: []float64{0, 0}}
	files, err := made.Files()
	if err != nil {
		t.Fatal(err)
	}
	var described struct{ Dataset, Source string }
	if err := json.Unmarshal(files["model.json"], &described); err != nil {
		t.Fatal(err)
	}
	if first := made.Models()[0]; described.Dataset != first.Dataset || described.Source != first.Source {
		t.Errorf("%+v, the first model has %s in %s", described, first.Dataset, first.Source)
	}
}

func TestInvalidEnsembles(t *testing.T) {
	refused := func(models ...*kge.Model) error {
		_, err := completion.NewEnsemble(models)
		return err
	}
	all := variedModels(t)
	checkError(t, refused(), "needs a member")
	checkError(t, refused(all[0], all[1], all[0]), "model 2 repeats model 0")
	turned, err := all[0].Reorder(all[2].EntityLabels, all[2].RelationLabels)
	if err != nil {
		t.Fatal(err)
	}
	checkError(t, refused(all[0], turned), "model 1 repeats model 0")

	spoilt := enginetest.SmallModel()
	spoilt.Entities[1] = float32(math.NaN())
	checkError(t, refused(all[0], spoilt), "model 1", "not finite")

	for labels, change := range map[[2]string]func(m *kge.Model){
		{`entity "e6"`, `entity "e9"`}: func(m *kge.Model) {
			m.EntityLabels = append(m.EntityLabels[:6:6], "e9")
		},
		{`relation "likes"`, `relation "knew"`}: func(m *kge.Model) {
			m.RelationLabels = []string{"knows", "knew"}
		},
	} {
		other := enginetest.SmallModel()
		change(other)
		for i, pair := range [][]*kge.Model{{other, all[0]}, {all[0], other}} {
			checkError(t, refused(pair...), "model 1 does not belong to the graph of model 0", labels[i],
				"train the members of an ensemble on one graph")
		}
	}
}

// givenRanks rates ensembles with given ranks: that of a triple is the best of the members.
func givenRanks(ranks [][]float64) func(ensembles [][]int) ([][][]float64, error) {
	return func(ensembles [][]int) ([][][]float64, error) {
		all := make([][][]float64, len(ensembles))
		for t, ensemble := range ensembles {
			all[t] = make([][]float64, len(ranks))
			for candidate := range ranks {
				if slices.Contains(ensemble, candidate) {
					continue
				}
				for triple := range ranks[candidate] {
					best := ranks[candidate][triple]
					for _, member := range ensemble {
						best = min(best, ranks[member][triple])
					}
					all[t][candidate] = append(all[t][candidate], 1/best)
				}
			}
		}
		return all, nil
	}
}

func TestChoice(t *testing.T) {
	// Of six triples the first candidate knows four, the second the other two and the third
	// one of these; the fourth knows nothing.
	specialists := [][]float64{{1, 1, 1, 1, 9, 9}, {9, 9, 9, 9, 1, 1}, {9, 9, 9, 9, 1, 9},
		{9, 9, 9, 9, 9, 9}}
	for name, c := range map[string]struct {
		ranks       [][]float64
		size, folds int
		order       []int
		unseen      float64
	}{
		"specialists":         {specialists, 8, 2, []int{0, 1}, 1},
		"three folds":         {specialists, 8, 3, []int{0, 1}, 1},
		"one at most":         {specialists, 1, 2, []int{0}, (4 + 2.0/9) / 6},
		"candidates are ties": {[][]float64{{9, 9}, {2, 2}, {2, 2}}, 3, 2, []int{1}, 0.5},
		"one candidate":       {specialists[1:2], 8, 2, []int{0}, (2 + 4.0/9) / 6},
	} {
		s := completion.EnsembleSettings{Size: c.size, Folds: c.folds}
		got, err := completion.Choose(len(c.ranks), len(c.ranks[0]), s, givenRanks(c.ranks))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Order, c.order) || !near(*got.Unseen(), c.unseen) ||
			len(got.Fitted) != len(c.order) {
			t.Errorf("%s: %+v, want %v with %v", name, got, c.order, c.unseen)
		}
		if got.Fitted[len(got.Fitted)-1] < *got.Unseen()-1e-12 {
			t.Errorf("%s: fitted %v is below held out %v", name, got.Fitted, got.HeldOut)
		}
	}
	few, err := completion.Choose(2, 1, completion.DefaultEnsemble(),
		givenRanks([][]float64{{3}, {2}}))
	if err != nil || few.Unseen() != nil || !slices.Equal(few.Order, []int{1}) ||
		few.Fitted[0] != 0.5 {
		t.Errorf("one triple: %+v, %v", few, err)
	}
}

// TestSelectionContinues checks that selection continues after a member that lowers the MRR, and
// finds the best size.
func TestSelectionContinues(t *testing.T) {
	for _, c := range []struct {
		bySize []float64
		order  []int
	}{
		{[]float64{.6, .5, .8, .7}, []int{0, 1, 2}},
		{[]float64{.6, .5, .4, .5}, []int{0}},
		{[]float64{.6, .5, .6, .6}, []int{0}},
		{[]float64{.6, .7, .7, .8}, []int{0, 1, 2, 3}},
	} {
		for _, triples := range []int{1, 7} { // one cannot be cut
			got, err := completion.Choose(4, triples, completion.EnsembleSettings{Size: 9, Folds: 3},
				func(ensembles [][]int) ([][][]float64, error) {
					rated := make([][][]float64, len(ensembles))
					for i, ensemble := range ensembles {
						for candidate := range 4 {
							var values []float64
							if !slices.Contains(ensemble, candidate) {
								values = slices.Repeat([]float64{c.bySize[len(ensemble)]}, triples)
							}
							rated[i] = append(rated[i], values)
						}
					}
					return rated, nil
				})
			if err != nil || !slices.Equal(got.Order, c.order) || triples > 1 && len(got.HeldOut) != 4 {
				t.Errorf("%v, %d triples: %+v, %v", c.bySize, triples, got, err)
			}
		}
	}
}

// TestChooseEnsemble checks on real ranks that a choice reports the MRR of its members, for any
// order of candidates.
func TestChooseEnsemble(t *testing.T) {
	g, models := enginetest.SmallGraph(), variedModels(t)
	g.Valid = g.Train // enough to cut
	engine := newEngine(t)
	s := completion.EnsembleSettings{Size: 3, Folds: 3}
	first, err := completion.ChooseEnsemble(t.Context(), engine, append(models, models[1]), g, s)
	if err != nil {
		t.Fatal(err)
	}
	if c := first.Choice; c.Candidates != len(models) || len(c.Order) != len(first.Members) ||
		c.Unseen() == nil {
		t.Errorf("%+v", c)
	}
	for n := range first.Choice.Order {
		var part []*kge.Model
		for _, place := range first.Choice.Order[:n+1] {
			part = append(part, first.Members[place])
		}
		got := ensembleMRR(t, ensemble(t, part...), g, "valid")
		if !near(got, first.Choice.Fitted[n]) {
			t.Errorf("the first %d: MRR %v, the choice says %v", n+1, got, first.Choice.Fitted[n])
		}
	}
	aligned, err := completion.Align(first.Members[0], g)
	if err != nil {
		t.Fatal(err)
	}
	evaluated, err := first.Evaluate(t.Context(), engine, aligned, eval.Limits{})
	if err != nil || !near(evaluated.Valid.Both.MRR, first.Choice.Fitted[len(first.Choice.Order)-1]) ||
		evaluated.Test.Triples != len(g.Test) {
		t.Errorf("%+v, %v", evaluated, err)
	}
	test := aligned.Test
	aligned.Test = aligned.Train
	sampled, err := first.Evaluate(t.Context(), engine, aligned, eval.Limits{Valid: eval.None, Test: 9})
	if err != nil || sampled.Valid != nil || sampled.Test.Triples != 9 ||
		sampled.Test.Of != len(g.Train) || sampled.Test.MRRError <= 0 {
		t.Errorf("%+v, %v", sampled, err)
	}
	aligned.Test = test // known answers follow it
	slices.Reverse(models)
	second, err := completion.ChooseEnsemble(t.Context(), engine, models, g, s)
	if err != nil || !reflect.DeepEqual(first.Members, second.Members) ||
		!reflect.DeepEqual(first.Choice, second.Choice) {
		t.Errorf("another order, another choice: %+v, %+v, %v", first.Choice, second.Choice, err)
	}

	g.Valid = nil
	_, err = completion.ChooseEnsemble(t.Context(), engine, models, g, s)
	checkError(t, err, "chosen by validation", "no valid triples")
	_, err = completion.ChooseEnsemble(t.Context(), engine, nil, g, s)
	checkError(t, err, "at least one")
	_, err = completion.ChooseEnsemble(t.Context(), engine, models, g,
		completion.EnsembleSettings{Size: 0, Folds: 2})
	checkError(t, err, "size is 0")
}

// TestEnsembleInParts checks that scoring in parts gives the same choice and ranks.
func TestEnsembleInParts(t *testing.T) {
	g, models := enginetest.SmallGraph(), variedModels(t)
	g.Valid = g.Train
	engine := newEngine(t)
	all := *completion.MaxScoreBytes
	defer func() { *completion.MaxScoreBytes = all }()
	var ensembles [2]*completion.Ensemble
	var ranks [2][]eval.Ranked
	for i, most := range []int{all, 3 * 4 * len(models) * len(g.Entities)} { // three questions
		*completion.MaxScoreBytes = most
		var err error
		if ensembles[i], err = completion.ChooseEnsemble(t.Context(), engine, models, g,
			completion.DefaultEnsemble()); err != nil {
			t.Fatal(err)
		}
		ranks[i] = rankedByEnsemble(t, ensemble(t, models...), g, "train")
	}
	if !reflect.DeepEqual(ensembles[0], ensembles[1]) || !slices.Equal(ranks[0], ranks[1]) {
		t.Errorf("in parts: %+v, %v; at once %+v, %v", ensembles[1].Choice, ranks[1], ensembles[0].Choice,
			ranks[0])
	}
}

// TestSelectionTriples checks that selection uses all triples of a small graph, and a sample of a
// large one.
func TestSelectionTriples(t *testing.T) {
	triples := make([]datasets.Triple, 20_000)
	for entities, want := range map[int]int{400: 20_000, 16_000: 524, 1_000_000: 500} {
		if got := len(completion.SelectionTriples(triples, entities)); got != want {
			t.Errorf("%d triples of a graph with %d entities, want %d", got, entities, want)
		}
	}
}

func TestEnsembleFolder(t *testing.T) {
	models := variedModels(t)
	dir := filepath.Join(t.TempDir(), "ensemble")
	made := ensemble(t, models...)
	made.Choice = &completion.Choice{EnsembleSettings: completion.DefaultEnsemble(), Candidates: 9,
		Order: []int{3, 0, 4, 1, 2}, Fitted: []float64{.1, .2, .3, .4, .5},
		HeldOut: []float64{.1, .2, .3, .4, .5, .4}}
	made.Valid = json.RawMessage(`{"triples":3}`)
	if err := task.Save(dir, made); err != nil {
		t.Fatal(err)
	}
	read, err := loadEnsemble(dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(read.Valid) != string(made.Valid) || *read.Choice.Unseen() != .5 {
		t.Errorf("read %+v, %s", read.Choice, read.Valid)
	}
	if files, err := read.Files(); err != nil || !isSameEnsemble(t, files, made) {
		t.Errorf("another ensemble was read: %+v, %v", read, err)
	}
	if !completion.IsEnsemble(dir) || completion.IsEnsemble(filepath.Dir(dir)) {
		t.Error("IsEnsemble is wrong")
	}
	var described struct{ Members []string }
	text, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err == nil {
		err = json.Unmarshal(text, &described)
	}
	if err != nil || len(described.Members) != len(models) {
		t.Fatalf("%v in %s", err, text)
	}
	for i, name := range described.Members {
		m, err := kge.Load(filepath.Join(dir, name)) // each is a model of its own
		if err != nil || m.Compare(made.Members[i].Parameters) != 0 ||
			completion.IsEnsemble(filepath.Join(dir, name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = kge.Load(dir)
	checkError(t, err, "ensemble of 5 models", "not one model", described.Members[0])

	// A smaller ensemble takes the place of this one, and what it has no more goes.
	stranger := filepath.Join(dir, "member-of-mine")
	if err := os.Mkdir(stranger, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := ensemble(t, models[:2]...).Save(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if read, loaded := loadEnsemble(dir); err != nil || loaded != nil ||
		len(read.Members) != 2 || len(entries) != 4 {
		t.Errorf("%v, %v, %v", entries, err, loaded)
	}
	if err := enginetest.SmallModel().Save(dir); err != nil { // and a model that of an ensemble
		t.Fatal(err)
	}
	if entries, err = os.ReadDir(dir); err != nil || len(entries) != 6 || completion.IsEnsemble(dir) {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestDamagedEnsembles(t *testing.T) {
	made := ensemble(t, variedModels(t)[:2]...)
	files, err := made.Files()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for name := range files {
		if folder, found := strings.CutSuffix(name, "/entities.npy"); found {
			folders = append(folders, folder)
		}
	}
	member, other := folders[0], folders[1]
	description := string(files["model.json"])
	withChoice := func(choice string) string {
		return strings.Replace(description, `"checksums"`, `"choice":`+choice+`,"checksums"`, 1)
	}
	for name, c := range map[string]struct {
		file, content string
		want          []string
	}{
		"a member without its table": {member + "/entities.npy", "",
			[]string{"a member of the ensemble", "entities.npy"}},
		"a missing member": {member + "/model.json", "",
			[]string{"a member of the ensemble", member, "no model.json"}},
		"a changed table": {member + "/entities.npy", "x", []string{"entities.npy is damaged"}},
		"no description":  {"model.json", "", []string{"not a model folder"}},
		"a member from outside": {"model.json", strings.Replace(description, member, "../"+member, 1),
			[]string{"not the name of a folder"}},
		"a member twice": {"model.json", strings.Replace(description, other, member, 1),
			[]string{"model 1 repeats model 0"}},
		"a member that is an ensemble": {member + "/model.json", `{"members":["a","b"]}`,
			[]string{"damaged"}},
		"a choice of other models": {"model.json", withChoice(`{"order":[0,0],"fitted":[1,1]}`),
			[]string{"choice", "2 members", "remove it"}},
		"a choice that holds out too little": {"model.json",
			withChoice(`{"order":[1,0],"fitted":[1,1],"held_out":[1]}`),
			[]string{"choice", "2 members"}},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := maps.Clone(files)
			if damaged[c.file] = []byte(c.content); c.content == "" {
				delete(damaged, c.file)
			}
			_, err := completion.LoadEnsembleFiles(damaged)
			checkError(t, err, c.want...)
		})
	}
	if _, err := completion.LoadEnsembleFiles(files); err != nil {
		t.Errorf("undamaged: %v", err)
	}
	single, err := enginetest.SmallModel().Files()
	if err != nil {
		t.Fatal(err)
	}
	_, err = completion.LoadEnsembleFiles(single)
	checkError(t, err, "not an ensemble")
}

// TestReorderedScores checks that reordering ids keeps the scores.
func TestReorderedScores(t *testing.T) {
	entities, relations := []string{"e3", "e0", "e6", "e1", "e5", "e2", "e4"},
		[]string{"likes", "knows"}
	for i, m := range variedModels(t) {
		turned, err := m.Reorder(entities, relations)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []completion.Query{{Head: "e2", Relation: "knows"},
			{Tail: "e5", Relation: "likes"}} {
			want := map[string]float64{}
			for _, a := range mustPredict(t, m, q, nil, 0, eval.KeepKnown) {
				want[a.Entity] = a.Score
			}
			for _, a := range mustPredict(t, turned, q, nil, 0, eval.KeepKnown) {
				if score, found := want[a.Entity]; !found || a.Score != score {
					t.Errorf("model %d, %+v: %+v, want the score %v", i, q, a, score)
				}
			}
		}
	}
	m := enginetest.SmallModel()
	_, err := m.Reorder(entities[:6], relations)
	checkError(t, err, `the entity "e4"`)
	_, err = m.Reorder(entities, []string{"knows", "other"})
	checkError(t, err, `the relation "other"`)
}
