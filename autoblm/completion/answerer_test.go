package completion_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// drawPredictor draws a model or an ensemble of up to three, with numbers up to about a power of
// ten.
func drawPredictor(t *rapid.T, power float64) completion.Predictor {
	entities := rapid.IntRange(2, 700).Draw(t, "entities")
	models := []*kge.Model{drawModel(t, power, entities)}
	for range rapid.IntRange(0, 2).Draw(t, "more models") {
		models = append(models, drawModel(t, power, entities))
	}
	if len(models) == 1 {
		return completion.Single{Model: models[0]}
	}
	made, err := completion.NewEnsemble(models)
	if err != nil {
		t.Skip(err) // equal models
	}
	return made
}

// drawModel draws a model of any form. Some rows are equal, so that scores tie.
func drawModel(t *rapid.T, power float64, entities int) *kge.Model {
	forms := append(form.All(), form.Translated, form.Tucker.WithNorm(), form.Core(2).WithNorm(),
		form.ConvE{Height: 1, Filters: 2, Size: 1}.Form(), form.CellFB15k237.Form(),
		form.Cell{3, 4, 9, 1, 2, 1, 1, 1, 1, 1, 1}.Form())
	p := kge.Parameters{Form: rapid.SampledFrom(forms).Draw(t, "form")}
	if p.Form.HasStructure() {
		p.Structure = structure.MustParse(rapid.SampledFrom([]string{"complex", "simple", "quate",
			"1,0;0,-2", "1,1;2,-1"}).Draw(t, "structure"))
	}
	var err error
	if p.Structure, err = p.Form.Spec().Structure(p.Structure); err != nil {
		t.Fatal(err)
	}
	p.Dim = max(1, p.Structure.K()) * p.Form.Spec().Multiple() * rapid.IntRange(1, 9).Draw(t, "width")
	_, isConvE := p.Form.ConvE()
	p.Reciprocal = rapid.Bool().Draw(t, "reciprocal") || isConvE || p.Form == form.Translated || p.Form.HasNorm()
	const relations = 3 // the last has no facts
	scale := math.Pow(10, rapid.Float64Range(-12, power).Draw(t, "scale"))
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	levels := float64(rapid.SampledFrom([]int{1, 3, 1 << 20}).Draw(t, "levels"))
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(scale * math.Round(levels*rng.NormFloat64()) / levels)
		}
		return all
	}
	p.Entities = numbers(entities * p.Dim)
	for range entities / 3 {
		to, from := rng.IntN(entities)*p.Dim, rng.IntN(entities)*p.Dim
		copy(p.Entities[to:][:p.Dim], p.Entities[from:][:p.Dim])
	}
	rows := relations
	if p.Reciprocal {
		rows *= 2
	}
	for i, table := range p.Specs() {
		size := table.Rows * table.Columns
		if !table.Global {
			size *= rows
		}
		n := numbers(size)
		if i == 0 {
			p.Relations = n
		} else {
			p.More = append(p.More, n)
		}
	}
	m := &kge.Model{Parameters: p}
	for i := range entities {
		m.EntityLabels = append(m.EntityLabels, fmt.Sprint("e", i))
	}
	for i := range relations {
		m.RelationLabels = append(m.RelationLabels, fmt.Sprint("r", i))
	}
	return m
}

// drawFacts draws a few facts about the labels of a model.
func drawFacts(t *rapid.T, m *kge.Model) *datasets.Graph {
	n := int32(len(m.EntityLabels))
	fact := rapid.Custom(func(t *rapid.T) datasets.Triple {
		return datasets.Triple{Head: rapid.Int32Range(0, n-1).Draw(t, "head"),
			Relation: rapid.Int32Range(0, 1).Draw(t, "relation"),
			Tail:     rapid.Int32Range(0, n-1).Draw(t, "tail")}
	})
	g := &datasets.Graph{
		Entities: m.EntityLabels, Relations: m.RelationLabels,
		Train: rapid.SliceOfN(fact, 1, 40).Draw(t, "train"),
		Test:  rapid.SliceOfN(fact, 0, 5).Draw(t, "test"),
	}
	declared := rapid.Custom(func(t *rapid.T) datasets.EntityType {
		return datasets.EntityType{Entity: rapid.Int32Range(0, n-1).Draw(t, "entity"),
			Type: rapid.Int32Range(0, 2).Draw(t, "type")}
	})
	if types := rapid.SliceOfN(declared, 0, int(n)).Draw(t, "types"); len(types) > 0 {
		g.Types = datasets.NewTypes(int(n), []string{"t0", "t1", "t2"}, types)
	}
	return g
}

// listed returns all answers by the definition: all candidates are scored in float64 and sorted.
func listed(
	models []*kge.Model, g *datasets.Graph, q completion.Query, o completion.PredictOptions,
) []eval.Answer {
	m := models[0]
	given, forHeads := int32(slices.Index(m.EntityLabels, q.Head)), q.Head == ""
	relation := int32(slices.Index(m.RelationLabels, q.Relation))
	if forHeads {
		given = int32(slices.Index(m.EntityLabels, q.Tail))
	}
	score := meanScore(models, given, relation, forHeads)
	seen, known, loops := map[int32]bool{}, map[int32]bool{}, false
	for _, f := range slices.Concat(g.Train, g.Valid, g.Test) {
		if f.Relation != relation {
			continue
		}
		loops = loops || f.Head == f.Tail
		at, answer := f.Head, f.Tail
		if forHeads {
			at, answer = answer, at
		}
		seen[answer] = true
		if at == given {
			known[answer] = true
		}
	}
	for _, id := range ofTypes(g, slices.Collect(maps.Keys(seen))) {
		seen[id] = true
	}
	var all []eval.Answer
	for id, label := range m.EntityLabels {
		id := int32(id)
		if !o.AnyKind && len(seen) > 0 && (o.Among == nil && !seen[id] || id == given && !loops) ||
			o.Among != nil && !slices.Contains(o.Among, label) ||
			o.Known == eval.DropKnown && known[id] {
			continue
		}
		a := eval.Answer{Entity: label, Score: score(id), Known: eval.No}
		if known[id] {
			a.Known = eval.Yes
		}
		if o.Known == eval.KeepKnown {
			a.Known = eval.NotLookedUp
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b eval.Answer) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	for i := range all {
		all[i].Rank = i + 1
	}
	return all
}

// ofTypes returns the entities that have a type of one of those seen.
func ofTypes(g *datasets.Graph, seen []int32) (typed []int32) {
	var types []int32
	for _, id := range seen {
		types = append(types, g.Types.Of(id)...)
	}
	for id := range int32(len(g.Entities)) {
		isWanted := func(of int32) bool { return slices.Contains(types, of) }
		if slices.ContainsFunc(g.Types.Of(id), isWanted) {
			typed = append(typed, id)
		}
	}
	return typed
}

// meanScore returns the mean of the scores of models by their definition.
func meanScore(
	models []*kge.Model, given, relation int32, forHeads bool,
) func(id int32) float64 {
	var scores []func(id int32) float64
	for _, m := range models {
		if forHeads {
			scores = append(scores, completion.HeadScores(m, relation, given))
		} else {
			scores = append(scores, completion.TailScores(m, given, relation))
		}
	}
	return func(id int32) float64 {
		sum := 0.0
		for _, score := range scores {
			sum += score(id)
		}
		return sum / float64(len(models))
	}
}

// TestAnswersAreThoseOfFloat64 compares the answers that float32 scores and their error bound
// select with the definition, for models of all forms and ensembles, also with ties and with
// extreme numbers.
func TestAnswersAreThoseOfFloat64(t *testing.T) {
	engine := cpu.New(2)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPredictor(t, 9)
		models := slices.Clone(p.Models())
		m := models[0]
		g := drawFacts(t, m)
		a, err := completion.NewAnswerer(p, g, engine)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if rapid.Bool().Draw(t, "prepared") {
			a.Prepare()
		}
		o := completion.PredictOptions{
			Known:   rapid.SampledFrom([]eval.KnownAnswers{0, 1, 2}).Draw(t, "known"),
			Top:     rapid.SampledFrom([]int{0, 1, 3, 20}).Draw(t, "top"),
			AnyKind: rapid.Bool().Draw(t, "any"),
		}
		if rapid.Bool().Draw(t, "among") {
			o.Among = m.EntityLabels[:len(m.EntityLabels)/2]
		}
		var queries []completion.Query
		for range rapid.IntRange(1, 90).Draw(t, "queries") {
			q := completion.Query{Relation: rapid.SampledFrom(m.RelationLabels).Draw(t, "relation")}
			given := rapid.SampledFrom(m.EntityLabels).Draw(t, "given")
			if rapid.Bool().Draw(t, "tails") {
				q.Head = given
			} else {
				q.Tail = given
			}
			queries = append(queries, q)
		}
		predictions, err := a.Predict(t.Context(), queries, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range predictions {
			all := listed(models, g, queries[i], o)
			want := all
			if o.Top > 0 {
				want = all[:min(o.Top, len(all))]
			}
			if p.Err != nil || !equalAnswers(p.Answers, want) {
				t.Fatalf("%+v: %+v (%v), want %+v", queries[i], p.Answers, p.Err, want)
			}
			if len(all) == 0 || queries[i].Head == "" {
				continue
			}
			answer := rapid.SampledFrom(all).Draw(t, "answer") // the rank of a triple is that in the list
			triple := queries[i]
			triple.Tail = answer.Entity
			ranked, err := a.Predict(t.Context(), []completion.Query{triple}, o)
			if err != nil || !equalAnswers(ranked[0].Answers, []eval.Answer{answer}) {
				t.Fatalf("%+v: %+v (%v), want %+v", triple, ranked[0].Answers, err, answer)
			}
		}
	})
}

// TestShares checks that shares are those of the softmax over the candidates, and that the share
// of a relation is the mean of both directions.
func TestShares(t *testing.T) {
	g := datasets.World()
	m := worldModel(t, g)
	for _, engine := range []kge.Engine{nil, cpu.New(1)} {
		a, err := completion.NewAnswerer(completion.Single{Model: m}, g, engine)
		if err != nil {
			t.Fatal(err)
		}
		q := completion.Query{Head: "Portugal", Relation: "borders"}
		o := completion.PredictOptions{Known: eval.MarkKnown, Shares: true}
		shareOf := func(q completion.Query, entity string) float64 {
			p, err := a.Predict(t.Context(), []completion.Query{q}, o)
			if err != nil || p[0].Err != nil {
				t.Fatal(err, p[0].Err)
			}
			sum, share := 0.0, 0.0
			for _, answer := range p[0].Answers {
				sum += answer.Share
				if answer.Entity == entity {
					share = answer.Share
				}
			}
			if sum > 1+1e-5 || sum < .5 { // the given entity is in the softmax, but no answer
				t.Errorf("%+v: the shares have the sum %v", q, sum)
			}
			return share
		}
		tail := shareOf(q, "Spain")
		head := shareOf(completion.Query{Relation: "borders", Tail: "Spain"}, "Portugal")
		p, err := a.Predict(t.Context(), []completion.Query{{Head: "Portugal", Tail: "Spain"}}, o)
		if err != nil || p[0].Err != nil {
			t.Fatal(err, p[0].Err)
		}
		at := slices.IndexFunc(p[0].Answers, func(a eval.Answer) bool { return a.Relation == "borders" })
		if at < 0 || p[0].Answers[at].Known != eval.Yes ||
			math.Abs(p[0].Answers[at].Share-math.Sqrt(head*tail)) > 1e-5 {
			t.Errorf("%+v, want the share %v", p[0].Answers, math.Sqrt(head*tail))
		}
		for i, answer := range p[0].Answers {
			heads := completion.Query{Relation: answer.Relation, Tail: "Spain"}
			list := listed([]*kge.Model{m}, g, heads, completion.PredictOptions{Known: eval.MarkKnown})
			if !slices.ContainsFunc(list, func(a eval.Answer) bool { return a.Entity == "Portugal" }) {
				t.Errorf("no fact has Portugal as a head of %s", answer.Relation)
			}
			if answer.Rank != i+1 || i > 0 && answer.Share > p[0].Answers[i-1].Share {
				t.Errorf("%+v", p[0].Answers)
			}
		}
		a.Close()
	}
}

// TestLikeliest compares the likeliest missing triples with shares of all triples in float64. Larger
// numbers than these would have scores whose rounding in float64 changes the shares.
func TestLikeliest(t *testing.T) {
	engine := cpu.New(2)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPredictor(t, 0)
		m := p.Models()[0]
		g := drawFacts(t, m)
		used := rapid.SampledFrom([]kge.Engine{engine, nil}).Draw(t, "engine")
		a, err := completion.NewAnswerer(p, g, used)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		relation := rapid.SampledFrom([]string{"", "r0", "r1"}).Draw(t, "relation")
		o := completion.PredictOptions{Top: rapid.IntRange(1, 60).Draw(t, "top")}
		var want []float64
		shares := map[[3]string]float64{}
		for r, label := range m.RelationLabels[:2] {
			if relation != "" && relation != label {
				continue
			}
			heads, tails := map[int32]map[int32]bool{}, map[int32]bool{}
			loops, functional := false, true
			for _, f := range slices.Concat(g.Train, g.Test) {
				if f.Relation != int32(r) {
					continue
				}
				if heads[f.Head] == nil {
					heads[f.Head] = map[int32]bool{}
				}
				heads[f.Head][f.Tail], tails[f.Tail] = true, true
				functional = functional && len(heads[f.Head]) == 1
				loops = loops || f.Head == f.Tail
			}
			if functional && relation == "" {
				continue
			}
			for _, h := range ofTypes(g, slices.Collect(maps.Keys(heads))) {
				if heads[h] == nil {
					heads[h] = map[int32]bool{}
				}
			}
			for _, tail := range ofTypes(g, slices.Collect(maps.Keys(tails))) {
				tails[tail] = true
			}
			for h, known := range heads {
				score, largest, sum := meanScore(p.Models(), h, int32(r), false), math.Inf(-1), 0.0
				for tail := range tails {
					largest = max(largest, score(tail))
				}
				for tail := range tails {
					sum += math.Exp(score(tail) - largest)
				}
				for tail := range tails {
					if !known[tail] && (loops || h != tail) {
						share := math.Exp(score(tail)-largest) / sum
						want = append(want, share)
						shares[[3]string{m.EntityLabels[h], label, m.EntityLabels[tail]}] = share
					}
				}
			}
		}
		slices.SortFunc(want, func(x, y float64) int { return cmp.Compare(y, x) })
		want = want[:min(o.Top, len(want))]
		facts, err := a.Likeliest(t.Context(), relation, o)
		if err != nil || len(facts) != len(want) {
			t.Fatalf("%d facts (%v), want %d", len(facts), err, len(want))
		}
		for i, f := range facts {
			share, isMissing := shares[[3]string{f.Head, f.Relation, f.Tail}]
			delete(shares, [3]string{f.Head, f.Relation, f.Tail})
			if !isMissing || math.Abs(f.Share-share) > 1e-6*share || math.Abs(f.Share-want[i]) > 1e-6*share ||
				f.Rank != i+1 {
				t.Fatalf("number %d is %+v with the share %v (%v), want %v", i, f, share, isMissing, want[i])
			}
		}
	})
}

// worldModel returns a model with random numbers for a graph.
func worldModel(t *testing.T, g *datasets.Graph) *kge.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(rng.NormFloat64())
		}
		return all
	}
	m := &kge.Model{EntityLabels: g.Entities, RelationLabels: g.Relations}
	m.Parameters = kge.Parameters{Structure: structure.MustParse("complex"), Dim: 8}
	m.Entities, m.Relations = numbers(8*len(g.Entities)), numbers(8*len(g.Relations))
	return m
}

// TestQueriesFailAlone checks that a query with an unknown label does not stop the others.
func TestQueriesFailAlone(t *testing.T) {
	m, g := enginetest.SmallModel(), enginetest.SmallGraph()
	a, err := completion.NewAnswerer(completion.Single{Model: m}, g, cpu.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	queries := []completion.Query{{Head: "e9", Relation: "knows"}, {Head: "e0", Relation: "hates"},
		{Head: "e0"}, {Head: "e0", Relation: "knows"}}
	p, err := a.Predict(t.Context(), queries, completion.PredictOptions{Known: eval.MarkKnown})
	if err != nil {
		t.Fatal(err)
	}
	checkError(t, p[0].Err, `no entity "e9"`)
	checkError(t, p[1].Err, `no relation "hates"`)
	checkError(t, p[2].Err, "two of head, relation and tail")
	if p[3].Err != nil || len(p[3].Answers) == 0 || p[3].Kind != completion.KindSeen {
		t.Errorf("%+v", p[3])
	}
	// Similar labels are sought for few of many unknown ones, and for none after the end.
	many := slices.Repeat([]completion.Query{{Head: "E0", Relation: "knows"}}, 20)
	if p, err = a.Predict(t.Context(), many, completion.PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	suggestions := 0
	for _, q := range p {
		checkError(t, q.Err, `no entity "E0"`)
		if strings.Contains(q.Err.Error(), "did you mean") {
			suggestions++
		}
	}
	if suggestions != 4 {
		t.Errorf("%d suggestions", suggestions)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := a.Predict(ended, many, completion.PredictOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	_, err = a.Predict(t.Context(), queries, completion.PredictOptions{Among: []string{"e0", "e9"}})
	checkError(t, err, `candidates: `, `no entity "e9"`)

	p, err = a.Predict(t.Context(), queries[3:], completion.PredictOptions{Among: []string{}, Shares: true})
	if err != nil || p[0].Err != nil || len(p[0].Answers) != 0 {
		t.Errorf("no candidates: %+v, %v", p, err)
	}
}

// TestScoresBeyondFloat32 checks that shares and the likeliest triples are those of float64 if
// scores overflow float32.
func TestScoresBeyondFloat32(t *testing.T) {
	g := datasets.World()
	m := worldModel(t, g)
	for i := range m.Entities {
		m.Entities[i] *= 1e25
	}
	lists := map[bool][]completion.Fact{}
	for _, hasEngine := range []bool{false, true} {
		var engine kge.Engine
		if hasEngine {
			engine = cpu.New(1)
		}
		a, err := completion.NewAnswerer(completion.Single{Model: m}, g, engine)
		if err != nil {
			t.Fatal(err)
		}
		q := completion.Query{Head: "Portugal", Relation: "borders"}
		o := completion.PredictOptions{Known: eval.MarkKnown, Shares: true, Top: 40}
		p, err := a.Predict(t.Context(), []completion.Query{q}, o)
		if err != nil || p[0].Answers[0].Share != 1 || p[0].Answers[1].Share != 0 {
			t.Errorf("with an engine %v: %+v (%v)", hasEngine, p, err)
		}
		if lists[hasEngine], err = a.Likeliest(t.Context(), "borders", o); err != nil {
			t.Fatal(err)
		}
		a.Close()
	}
	if len(lists[true]) != 40 || !slices.Equal(lists[true], lists[false]) || lists[true][0].Share != 1 {
		t.Errorf("%+v, in float64 %+v", lists[true], lists[false])
	}
}

// equalAnswers compares answers.
func equalAnswers(a, b []eval.Answer) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}
