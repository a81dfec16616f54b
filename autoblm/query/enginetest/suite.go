package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Run holds an engine to the definitions.
func Run(t *testing.T, engine query.Engine) {
	t.Run("gradients", func(t *testing.T) { gradients(t, engine) })
	t.Run("steps", func(t *testing.T) { steps(t, engine) })
	t.Run("scores", func(t *testing.T) { scores(t, engine) })
	t.Run("learning", func(t *testing.T) { learning(t, engine) })
	t.Run("interruption", func(t *testing.T) { interruption(t, engine) })
}

// Data is a graph of a few entities and relations, with queries of up to three hops.
func Data(t testing.TB, entities, relations, triples int) *query.Data {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	g := &datasets.Graph{Name: "random"}
	for i := range entities {
		g.Entities = append(g.Entities, fmt.Sprintf("e%d", i))
	}
	for i := range relations {
		g.Relations = append(g.Relations, fmt.Sprintf("r%d", i))
	}
	for i := range triples {
		triple := datasets.Triple{Head: int32(i % entities), Relation: int32(rng.IntN(relations)), Tail: int32(rng.IntN(entities))}
		if split := []*[]datasets.Triple{&g.Train, &g.Valid, &g.Test}[max(0, i%10-7)]; i >= entities {
			*split = append(*split, triple)
		} else {
			g.Train = append(g.Train, triple)
		}
	}
	d := query.FromGraph(g)
	for _, split := range []query.Split{query.InTrain, query.InValid, query.InTest} {
		for hops := 1; hops <= 3; hops++ {
			if _, err := d.Sample(t.Context(), query.Sample{Split: split, Hops: hops, Count: 200, Seed: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}

// Members are one of each kind, and of several structures.
func Members() map[string]query.Member {
	member := func(kind query.Kind, structure structure.Structure) query.Member {
		m := query.Member{Kind: kind, Member: completion.DefaultMember(structure)}
		m.Seed, m.LearningRate = 3, 0.1
		return m
	}
	none := structure.Structure{}
	return map[string]query.Member{
		"complex": member(query.Bilinear, structure.MustParse("complex")),
		"mixed":   member(query.Bilinear, structure.MustParse("1,-2;2,1")),
		"empty":   member(query.Bilinear, structure.MustParse("0,0;1,-2")),
		"transe":  member(query.TransE, none),
		"diag":    member(query.Diag, none),
		"gqe":     member(query.GQE, none),
		"q2b":     member(query.Query2box, none),
	}
}

// Recipe is settings to train with.
type Recipe struct {
	Set     func(s *query.Settings)
	Weights completion.Weights
	// OfProducts says that distances have no such thing.
	OfProducts bool
}

// Recipes are worth testing: each part alone, and all together.
func Recipes() map[string]Recipe {
	none := func(*query.Settings) {}
	return map[string]Recipe{
		"log-loss":   {Set: func(s *query.Settings) { s.AnswerPower = 0 }},
		"power":      {Set: none},
		"transposed": {Set: func(s *query.Settings) { s.Reciprocal = false }},
		"dropout":    {Set: func(s *query.Settings) { s.Dropout = 0.3 }, OfProducts: true},
		"products":   {Set: none, Weights: completion.Weights{Products: 0.1, EntityL2: 0.1}, OfProducts: true},
		"transposed products": {
			Set: func(s *query.Settings) { s.Reciprocal = false }, Weights: completion.Weights{Products: 0.1}, OfProducts: true,
		},
		"log-loss and penalties": {
			Set: func(s *query.Settings) { s.AnswerPower = 1 }, Weights: completion.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03, EntityL2: 0.01},
		},
		"penalties": {Set: negatives, Weights: completion.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03}},
		"negatives": {Set: negatives},
		"transposed negatives": {Set: func(s *query.Settings) {
			negatives(s)
			s.Reciprocal = false
		}},
		"everything": {
			Set: func(s *query.Settings) {
				negatives(s)
				s.Reciprocal, s.Dropout, s.AnswerPower = false, 0.2, 1
			},
			Weights: completion.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03, EntityL2: 0.01, Products: 0.1}, OfProducts: true,
		},
	}
}

func negatives(s *query.Settings) { s.Negatives, s.Margin = 5, 0.7 }

// each calls test for every recipe that a member can be trained by.
func each(t *testing.T, test func(t *testing.T, s query.Settings, m query.Member)) {
	members, recipes := Members(), Recipes()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for _, recipe := range slices.Sorted(maps.Keys(recipes)) {
			m, r := members[name], recipes[recipe]
			if r.OfProducts && (m.Kind == query.TransE || m.Kind == query.Query2box) {
				continue
			}
			t.Run(name+"/"+recipe, func(t *testing.T) {
				s := query.DefaultSettings()
				s.Dim, s.Batch, s.InitScale, s.Hops = 8, 40, 0.7, []int{1, 2, 3}
				r.Set(&s)
				m.Weights = r.Weights
				test(t, s, m)
			})
		}
	}
}

// batch is the first training queries of a length, with one of their answers.
func batch(d *query.Data, hops, n int) (all []query.Example) {
	queries := d.Queries(query.InTrain, hops)
	for i := range queries[:n] {
		all = append(all, query.Example{Query: &queries[i], Answer: queries[i].Hard[i%len(queries[i].Hard)]})
	}
	return all
}

func trainer(t testing.TB, engine query.Engine, d *query.Data, s query.Settings, m query.Member) query.Trainer {
	t.Helper()
	trainer, err := engine.NewTrainer(d, s, m)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// gradients are the difference quotients of the loss, for paths of one to three
// hops, at the first step and at the second.
func gradients(t *testing.T, engine query.Engine) {
	d := Data(t, 7, 2, 14)
	each(t, func(t *testing.T, s query.Settings, m query.Member) {
		trainer := trainer(t, engine, d, s, m)
		for hops := 1; hops <= 3; hops++ {
			examples := batch(d, hops, 3)
			reference := newReference(trainer.Parameters())
			loss, gradient := trainer.Gradient(examples)
			near(t, fmt.Sprintf("%d hops: loss", hops), []float32{float32(loss)}, []float64{reference.loss(s, m, examples, hops)})
			entities, relations := reference.gradient(s, m, examples, hops)
			near(t, fmt.Sprintf("%d hops: gradient by entities", hops), gradient.Entities, entities)
			near(t, fmt.Sprintf("%d hops: gradient by relations", hops), gradient.Relations, relations)
			if _, _, err := trainer.Epoch(t.Context(), [][]query.Example{examples}, 0.01); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// near compares numbers up to rounding of the largest.
func near(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	scale := 1.0
	for _, x := range want {
		scale = math.Max(scale, math.Abs(x))
	}
	for i := range want {
		if !(math.Abs(float64(got[i])-want[i]) <= 1e-5*scale) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// steps move by the gradients as Adagrad and Adam say, and entities that are
// longer than the largest norm are shortened.
func steps(t *testing.T, engine query.Engine) {
	d := Data(t, 250, 3, 700)
	for _, optimizer := range []completion.Optimizer{completion.Adagrad, completion.Adam} {
		for _, largest := range []float64{0, 1} {
			s := query.DefaultSettings()
			s.Dim, s.Batch, s.Optimizer, s.MaxNorm, s.InitScale = 8, 150, optimizer, largest, 0.5
			trainer := trainer(t, engine, d, s, Members()["mixed"])
			tables := newReference(trainer.Parameters())
			slots := make([][2]float64, len(tables.entities)+len(tables.relations))
			for step := 1; step <= 3; step++ {
				examples := batch(d, 1+step%2, 150)
				_, gradient := trainer.Gradient(examples)
				if _, seconds, err := trainer.Epoch(t.Context(), [][]query.Example{examples}, 0.1); err != nil || len(seconds) != 1 {
					t.Fatal(seconds, err)
				}
				for i, g := range widen(append(gradient.Entities, gradient.Relations...)) {
					table, slot := tables.entities, &slots[i]
					if i >= len(table) {
						table, i = tables.relations, i-len(table)
					}
					x := &table[i]
					if optimizer == completion.Adagrad {
						slot[0] += g * g
						*x -= 0.1 * g / (math.Sqrt(slot[0]) + 1e-10)
						continue
					}
					slot[0], slot[1] = 0.9*slot[0]+0.1*g, 0.999*slot[1]+0.001*g*g
					*x -= 0.1 * slot[0] / (1 - math.Pow(0.9, float64(step))) / (math.Sqrt(slot[1]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
				}
				for e := 0; largest > 0 && e < len(tables.entities); e += s.Dim {
					row := tables.entities[e:][:s.Dim]
					if norm := math.Sqrt(power(row, 2)); norm > largest {
						for i := range row {
							row[i] *= largest / norm
						}
					}
				}
				got := trainer.Parameters()
				near(t, fmt.Sprintf("%v, step %d: entities", optimizer, step), got.Entities, tables.entities)
				near(t, fmt.Sprintf("%v, step %d: relations", optimizer, step), got.Relations, tables.relations)
				tables = newReference(got) // so that rounding does not add up
			}
		}
	}
}

// scores of all entities are those of the definition, for lists of queries with
// paths of any length, longer ones than were trained too.
func scores(t *testing.T, engine query.Engine) {
	d := Data(t, 230, 3, 600)
	for name, m := range Members() {
		for _, reciprocal := range []bool{true, false} {
			s := query.DefaultSettings()
			s.Dim, s.Reciprocal, s.InitScale = 12, reciprocal, 0.6
			p := query.Initialize(d, s, m)
			scorer, err := engine.NewScorer(p)
			if err != nil {
				t.Fatal(err)
			}
			queries := slices.Concat(d.Queries(query.InValid, 1)[:40], d.Queries(query.InTrain, 3)[:130], []query.Query{{Anchor: 1, Relations: []int32{0, 3, 5, 1, 2}, Hard: []int32{0}}}, d.Queries(query.InValid, 2)[:3])
			reference := newReference(p)
			got := make([][]float32, len(queries))
			if err := scorer.Scores(t.Context(), queries, func(i int, scores []float32) { got[i] = slices.Clone(scores) }); err != nil {
				t.Fatal(err)
			}
			for i := range queries {
				point, half := reference.ask(&queries[i])
				want := make([]float64, len(d.Entities))
				for e := range want {
					want[e] = reference.score(point, half, reference.entity(int32(e)))
				}
				if len(got[i]) != len(want) {
					t.Fatalf("%s: %d scores, want %d", name, len(got[i]), len(want))
				}
				near(t, fmt.Sprintf("%s, query %d", name, i), got[i], want)
			}
		}
	}
}

// learning lifts every kind of model from chance on its training queries, and
// distances by drawn entities too.
func learning(t *testing.T, engine query.Engine) {
	d := Data(t, 40, 3, 150)
	for name, m := range Members() {
		if name == "empty" { // its queries have zeros in a chunk
			continue
		}
		for _, negatives := range []int{0, 10} {
			if negatives > 0 && m.Kind != query.TransE && m.Kind != query.Query2box {
				continue
			}
			s := query.DefaultSettings()
			s.Dim, s.Batch, s.Epochs, s.Hops, s.Negatives = 16, 50, 60, []int{1, 2}, negatives
			m.LearningRate = 0.3
			if negatives > 0 {
				s.Margin = 3
			}
			report, err := query.Train(t.Context(), engine, query.Job{Data: d, Settings: s, Members: []query.Member{m}})
			if err != nil {
				t.Fatal(err)
			}
			model := report.Results[0].Model
			if model == nil {
				t.Fatalf("%s: %v", name, report.Results[0].Err)
			}
			e := evaluate(t, engine, model.Parameters, d.Queries(query.InTrain, 2))
			before := evaluate(t, engine, query.Initialize(d, s, m), d.Queries(query.InTrain, 2))
			if e.MRR < before.MRR+0.15 {
				t.Errorf("%s, %d negatives: training lifts the MRR of training queries from %.3f to %.3f only", name, negatives, before.MRR, e.MRR)
			}
		}
	}
}

func evaluate(t *testing.T, engine query.Engine, p query.Parameters, queries []query.Query) query.Evaluation {
	t.Helper()
	scorer, err := engine.NewScorer(p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.Evaluate(t.Context(), scorer, queries)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// interruption by the end of ctx is soon noticed.
func interruption(t *testing.T, engine query.Engine) {
	d := Data(t, 40, 3, 150)
	trainer := trainer(t, engine, d, query.DefaultSettings(), Members()["complex"])
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := trainer.Epoch(ctx, [][]query.Example{batch(d, 2, 5)}, 0.1); !errors.Is(err, context.Canceled) {
		t.Errorf("an epoch after the end of ctx: %v", err)
	}
	if _, err := query.Evaluate(ctx, trainer, d.Queries(query.InTrain, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("an evaluation after the end of ctx: %v", err)
	}
}
