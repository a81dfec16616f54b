package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Members returns a member of each form, and members with several structures: baselines, a dense
// one, one with an empty row, and several K.
func Members() map[string]kge.Member {
	all := map[string]kge.Member{}
	for name, text := range map[string]string{
		"complex": "complex", "quate": "quate", "mixed": "1,-2;2,1", "empty": "0,0;1,-2",
		"odd": "1,-2,-1;1,2,1;-2,1,3",
		"one": "2,3,-5,3,0;0,1,-2,5,-5;-2,-1,1,-1,-4;-5,-5,-5,-4,5;-3,2,3,-3,-2",
	} {
		all[name] = kge.Member{Structure: structure.MustParse(text)}
	}
	for _, f := range form.All()[1:] {
		all[f.String()] = kge.Member{Form: f}
	}
	for name, m := range all {
		m.Seed, m.LearningRate = 3, 0.1
		all[name] = m
	}
	return all
}

// Recipe changes the settings and weights of a training.
type Recipe struct {
	Set     func(s *kge.Settings)
	Weights kge.Weights
	power   float64 // of answers, on paths
}

// allSlopes is a number of sparse gradients at which no slope is sampled, so that the gradient is
// that of the loss.
const allSlopes = 1e9

type change func(s *kge.Settings)

func newRecipe(w kge.Weights, changes ...change) Recipe {
	return Recipe{Weights: w, Set: func(s *kge.Settings) {
		for _, change := range changes {
			change(s)
		}
	}}
}

func withDropout(share float64) change { return func(s *kge.Settings) { s.Dropout = share } }
func inputDropout(s *kge.Settings)     { s.InputDropout = 0.4 }
func frequency(power float64) change   { return func(s *kge.Settings) { s.Frequency = power } }
func sampled(n int) change             { return func(s *kge.Settings) { s.SampledSoftmax = n } }
func grouped(n int) change             { return func(s *kge.Settings) { s.AnswersPerQuery = n } }
func sparse(s *kge.Settings)           { s.SparseGradients = allSlopes }
func reciprocal(s *kge.Settings)       { s.Reciprocal = true }
func translate(s *kge.Settings)        { s.Reciprocal, s.Translate = true, true }
func batchNorm(s *kge.Settings)        { s.Reciprocal, s.BatchNorm = true, true }
func maxNorm(s *kge.Settings)          { s.MaxNorm, s.InitScale = 0.5, 0.3 }
func xavier(s *kge.Settings)           { s.Initial = kge.Xavier }
func taught(a, temperature float64) change {
	return func(s *kge.Settings) { s.TeacherWeight, s.Temperature = a, temperature }
}
func negatives(n int, margin, temperature float64) change {
	return func(s *kge.Settings) { s.Negatives, s.Margin, s.AdversarialTemperature = n, margin, temperature }
}
func binary(smoothing float64) change {
	return func(s *kge.Settings) {
		s.Reciprocal, s.Loss, s.LabelSmoothing = true, kge.BCE, smoothing
	}
}
func subsampling(s *kge.Settings) { s.Subsampling = true }

// Recipes returns recipes for triples: each option alone, and in combinations.
func Recipes() map[string]Recipe {
	options := func(s *kge.Settings) {
		s.Dropout, s.MaxNorm, s.InitScale = 0.2, 0.8, 0.3
	}
	batch := func(s *kge.Settings) { s.Batch = 9 }
	none := kge.Weights{}
	norms := kge.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04, RelationN3: 0.05,
		EntityN3: 0.01}
	pairs := kge.Weights{N3: 0.2, N3Block: 2}
	pairsAndProducts := pairs
	pairsAndProducts.Products = 0.05
	all := norms
	all.Products, all.RelationPrediction = 0.05, 0.6
	byFrequency, half := all, pairsAndProducts
	penalties := all // of models without relation prediction
	penalties.RelationPrediction, penalties.PenaltyFrequency = 0, 0.5
	byFrequency.PenaltyFrequency, half.PenaltyFrequency = 1, 0.5
	products := kge.Weights{Products: 0.05}
	orthogonal := kge.Weights{Orthogonality: 0.1, Products: 0.05, PenaltyFrequency: 0.5}
	alike := kge.Weights{Orthogonality: 0.1, PenaltyFrequency: 0.5}
	ivr := kge.Weights{IVR: 0.05, IVRProducts: 0.03, IVRPower: 2.25}
	ivrByFrequency := kge.Weights{IVR: 0.05, IVRProducts: 0.03, IVRPower: 3, PenaltyFrequency: 0.5}
	normalized := kge.Weights{
		L2: 0.01, N3: 0.02, RelationL2: 0.03, Orthogonality: 0.1, PenaltyFrequency: 0.5,
	}
	return map[string]Recipe{
		"batch norm":                 newRecipe(none, batchNorm),
		"batch norm, penalties":      newRecipe(normalized, batchNorm, inputDropout, withDropout(0.3)),
		"batch norm, grouped":        newRecipe(normalized, batchNorm, inputDropout, grouped(9)),
		"batch norm, sampled":        newRecipe(none, batchNorm, sampled(4)),
		"batch norm, taught":         newRecipe(none, batchNorm, grouped(3), taught(0.5, 2)),
		"batch norm, sparse":         newRecipe(none, batchNorm, sparse, inputDropout),
		"batch norm, bce":            newRecipe(alike, batchNorm, binary(.3), inputDropout, withDropout(0.2)),
		"bce":                        newRecipe(none, binary(0)),
		"bce, smooth":                newRecipe(alike, binary(0.1), inputDropout),
		"bce, dropout":               newRecipe(none, binary(0.2), withDropout(0.3)),
		"plain":                      newRecipe(none),
		"norms":                      newRecipe(kge.Weights{L2: 0.02, N3: 0.1}),
		"n3 of pairs":                newRecipe(kge.Weights{L2: 0.02, N3: 0.1, N3Block: 2}),
		"relation l2":                newRecipe(kge.Weights{RelationL2: 0.05}),
		"entity l2":                  newRecipe(kge.Weights{EntityL2: 0.05}),
		"products":                   newRecipe(kge.Weights{Products: 0.05}),
		"relation prediction":        newRecipe(kge.Weights{RelationPrediction: 0.7}),
		"ivr":                        newRecipe(ivr),
		"ivr of squares":             newRecipe(kge.Weights{IVR: 0.1}),
		"ivr of products":            newRecipe(kge.Weights{IVRProducts: 0.1, IVRPower: 3}),
		"reciprocal ivr":             newRecipe(ivrByFrequency, reciprocal),
		"grouped, ivr":               newRecipe(ivr, reciprocal, grouped(3)),
		"dropout":                    newRecipe(kge.Weights{Products: 0.02}, withDropout(0.4)),
		"dropout alone":              newRecipe(none, withDropout(0.3)),
		"frequency":                  newRecipe(none, frequency(0.9)),
		"input dropout":              newRecipe(all, inputDropout, withDropout(0.3)),
		"reciprocal input dropout":   newRecipe(all, reciprocal, inputDropout),
		"grouped input dropout":      newRecipe(products, reciprocal, grouped(3), inputDropout),
		"reciprocal by frequency":    newRecipe(all, reciprocal, frequency(0.6), withDropout(0.2)),
		"sampled softmax":            newRecipe(none, sampled(5)),
		"reciprocal sampled softmax": newRecipe(all, reciprocal, options, sampled(4)),
		"grouped":                    newRecipe(none, reciprocal, grouped(3)),
		"grouped, all": newRecipe(
			all, reciprocal, grouped(9), batch, frequency(0.5), withDropout(0.2)),
		"grouped, sampled":            newRecipe(all, reciprocal, grouped(2), sampled(3)),
		"a group, sampled":            newRecipe(all, reciprocal, grouped(1000), sampled(3)),
		"a group, taught":             newRecipe(none, reciprocal, grouped(1000), taught(0.4, 2)),
		"a group, dropout":            newRecipe(none, reciprocal, grouped(1000), withDropout(0.2)),
		"grouped, sparse":             newRecipe(all, reciprocal, grouped(2), sparse),
		"grouped, n3 of pairs":        newRecipe(pairs, reciprocal, grouped(3)),
		"sparse gradients":            newRecipe(none, sparse),
		"reciprocal sparse gradients": newRecipe(all, reciprocal, sparse, withDropout(0.2)),
		"sparse and sampled":          newRecipe(none, options, sampled(5), sparse),
		"largest norm":                newRecipe(none, maxNorm),
		"xavier":                      newRecipe(none, xavier),
		"xavier for all":              newRecipe(none, func(s *kge.Settings) { s.Initial = kge.XavierAll }),
		"reciprocal":                  newRecipe(none, reciprocal),
		"reciprocal norms":            newRecipe(norms, reciprocal),
		"reciprocal, pairs":           newRecipe(pairsAndProducts, reciprocal),
		"reciprocal with all weights": newRecipe(all, reciprocal),
		"penalties by frequency":      newRecipe(byFrequency),
		"orthogonality":               newRecipe(orthogonal),
		"reciprocal orthogonality":    newRecipe(orthogonal, reciprocal, withDropout(0.2)),
		"grouped orthogonality":       newRecipe(orthogonal, reciprocal, grouped(3)),
		"reciprocal, half frequency":  newRecipe(half, reciprocal),
		"grouped, by frequency":       newRecipe(byFrequency, reciprocal, grouped(3)),
		"negatives":                   newRecipe(none, negatives(4, 0.7, 0)),
		"self-adversarial":            newRecipe(norms, negatives(5, 2, 1.5), subsampling),
		"all negatives":               newRecipe(none, negatives(1000, 1, 0.5), reciprocal),
		"translated":                  newRecipe(none, translate),
		"translated penalties":        newRecipe(penalties, translate, withDropout(0.2)),
		"translated, pairs":           newRecipe(pairsAndProducts, translate),
		"translated, grouped":         newRecipe(penalties, translate, grouped(3)),
		"translated, sampled":         newRecipe(norms, translate, sampled(4)),
		"translated, sparse":          newRecipe(norms, translate, sparse),
		"taught":                      newRecipe(none, taught(0.6, 2)),
		"taught alone":                newRecipe(none, reciprocal, taught(1, 1.5)),
		"taught, all":                 newRecipe(all, options, frequency(0.5), taught(0.3, 3)),
		"taught, reciprocal":          newRecipe(all, reciprocal, inputDropout, taught(0.5, 2)),
		"taught, grouped":             newRecipe(all, reciprocal, grouped(3), withDropout(0.2), taught(0.4, 2)),
		"taught, sparse":              newRecipe(norms, reciprocal, grouped(2), sparse, taught(0.5, 2)),
		"taught, sampled":             newRecipe(all, reciprocal, sampled(4), taught(0.5, 2)),
		"taught, translated":          newRecipe(norms, translate, taught(0.5, 0.5)),
		"everything":                  newRecipe(all, reciprocal, options),
		"everything not reciprocal":   newRecipe(all, options),
	}
}

// pathRecipes returns recipes for paths.
func pathRecipes() map[string]Recipe {
	recipe := func(power float64, w kge.Weights, changes ...change) Recipe {
		r := newRecipe(w, append([]change{reciprocal}, changes...)...)
		r.power = power
		return r
	}
	negatives := negatives(5, 0.7, 0)
	transposed := func(s *kge.Settings) { s.Reciprocal = false }
	none, products := kge.Weights{}, kge.Weights{Products: 0.1}
	norms := kge.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03, EntityL2: 0.01}
	all := norms
	all.Products = 0.1
	byFrequency := all
	byFrequency.PenaltyFrequency = 0.7
	orthogonal := kge.Weights{Orthogonality: 0.1, RelationL2: 0.02}
	return map[string]Recipe{
		"log-loss":                        recipe(0, none),
		"power":                           recipe(0.5, none),
		"transposed":                      recipe(0.5, none, transposed),
		"dropout":                         recipe(0.5, none, withDropout(0.3)),
		"input dropout":                   recipe(0.5, all, inputDropout),
		"transposed input dropout":        recipe(1, none, transposed, inputDropout, negatives),
		"orthogonality":                   recipe(0.5, orthogonal),
		"transposed orthogonality":        recipe(1, orthogonal, transposed),
		"products":                        recipe(0.5, kge.Weights{Products: 0.1, EntityL2: 0.1}),
		"transposed products":             recipe(0.5, products, transposed),
		"log-loss and penalties":          recipe(1, norms),
		"n3 of pairs":                     recipe(0.5, kge.Weights{N3: 0.1, N3Block: 2}),
		"penalties":                       recipe(0.5, norms, negatives),
		"penalties by frequency":          recipe(0.5, byFrequency),
		"transposed and by frequency":     recipe(1, byFrequency, transposed),
		"translated":                      recipe(0.5, products, translate),
		"translated penalties":            recipe(0.5, byFrequency, translate, withDropout(0.3)),
		"negatives":                       recipe(0.5, none, negatives),
		"sampled softmax":                 recipe(0.5, norms, sampled(6)),
		"transposed and sampled":          recipe(1, all, sampled(6), transposed, withDropout(0.3)),
		"sparse gradients":                recipe(0.5, norms, sparse),
		"transposed and sparse gradients": recipe(1, all, sparse, transposed, withDropout(0.3)),
		"transposed negatives":            recipe(0.5, none, negatives, transposed),
		"everything":                      recipe(1, all, negatives, transposed, withDropout(0.3)),
	}
}

// Graph returns a small graph with symmetric and asymmetric relations and learnable structure. No
// batch size of the tests divides its sizes.
func Graph() *datasets.Graph {
	const entities = 37
	g := &datasets.Graph{
		Name:      "enginetest",
		Entities:  labels("e%02d", entities),
		Relations: []string{"near", "next", "mirrors"},
	}
	var all []datasets.Triple
	for i := range int32(entities) {
		all = append(all, datasets.Triple{Head: i, Relation: 0, Tail: (i + 2) % entities},
			datasets.Triple{Head: (i + 2) % entities, Relation: 0, Tail: i},
			datasets.Triple{Head: i, Relation: 1, Tail: (i + 1) % entities},
			datasets.Triple{Head: i, Relation: 2, Tail: (entities - i) % entities})
	}
	rng := rand.New(rand.NewPCG(7, 7))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	g.Valid, g.Test, g.Train = all[:20], all[20:41], all[41:]
	return g
}

func labels(format string, count int) (all []string) {
	for i := range count {
		all = append(all, fmt.Sprintf(format, i))
	}
	return all
}

func emptyGraph(entities, relations int) *datasets.Graph {
	return &datasets.Graph{
		Name: "random", Entities: labels("e%d", entities), Relations: labels("r%d", relations),
	}
}

// Triples returns training data of a graph, with a teacher whose answers are a few random entities.
func Triples(g *datasets.Graph) *kge.Data {
	type question struct{ anchor, relation int32 }
	answers, rng := map[question]kge.Distribution{}, rand.New(rand.NewPCG(1, 1))
	for _, t := range g.Train {
		for _, q := range []question{{t.Head, 2 * t.Relation}, {t.Tail, 2*t.Relation + 1}} {
			answers[q] = randomDistribution(rng, len(g.Entities))
		}
	}
	d := completion.Data(g)
	d.Teacher = func(anchor, relation int32) kge.Distribution {
		return answers[question{anchor, relation}]
	}
	return d
}

// randomDistribution returns shares of up to 5 entities.
func randomDistribution(rng *rand.Rand, entities int) (d kge.Distribution) {
	sum := float32(0)
	for _, entity := range rng.Perm(entities)[:min(5, entities)] {
		share := rng.Float32() + 0.01
		sum += share
		d.Entities, d.Shares = append(d.Entities, int32(entity)), append(d.Shares, share)
	}
	for i := range d.Shares {
		d.Shares[i] /= sum
	}
	return d
}

// RandomGraph returns a graph with random training triples, possibly with duplicates.
func RandomGraph(entities, relations, triples int, seed uint64) *datasets.Graph {
	g := emptyGraph(entities, relations)
	rng := rand.New(rand.NewPCG(seed, 7))
	for range triples {
		g.Train = append(g.Train, datasets.Triple{
			Head:     rng.Int32N(int32(entities)),
			Relation: rng.Int32N(int32(relations)),
			Tail:     rng.Int32N(int32(entities)),
		})
	}
	return g
}

// star returns a graph in which one question has all answers.
func star(answers int) *datasets.Graph {
	g := emptyGraph(answers+20, 2)
	for i := range int32(answers) {
		g.Train = append(g.Train, datasets.Triple{Head: 0, Relation: 0, Tail: 1 + i})
	}
	return g
}

// Paths returns a random graph with queries of up to three hops.
func Paths(t testing.TB, entities, relations, triples int) *query.Data {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	g := emptyGraph(entities, relations)
	for i := range triples {
		triple := datasets.Triple{
			Head:     int32(i % entities),
			Relation: int32(rng.IntN(relations)),
			Tail:     int32(rng.IntN(entities)),
		}
		if split := []*[]datasets.Triple{&g.Train, &g.Valid, &g.Test}[max(0, i%10-7)]; i >= entities {
			*split = append(*split, triple)
		} else {
			g.Train = append(g.Train, triple)
		}
	}
	d := query.FromGraph(g)
	for _, split := range []query.Split{query.InTrain, query.InValid, query.InTest} {
		for hops := 1; hops <= 3; hops++ {
			_, err := d.Sample(t.Context(), query.Sample{Split: split, Hops: hops, Count: 200, Seed: 1})
			must(t, err)
		}
	}
	return d
}

// pathData returns training data of paths.
func pathData(t testing.TB, d *query.Data, p query.Paths) *kge.Data {
	t.Helper()
	data, err := d.Training(p)
	must(t, err)
	return data
}

// SmallGraph returns a graph with 7 entities, 2 relations and splits of 10, 3 and 2 triples, for
// tests with results computed by hand.
func SmallGraph() *datasets.Graph {
	g := &datasets.Graph{Name: "small", Entities: labels("e%d", 7),
		Relations: []string{"knows", "likes"}}
	for i := range int32(7) {
		g.Train = append(g.Train, datasets.Triple{Head: i, Relation: i % 2, Tail: (i + 1) % 7})
	}
	g.Train = append(g.Train, []datasets.Triple{
		{Head: 0, Relation: 0, Tail: 2},
		{Head: 0, Relation: 0, Tail: 3},
		{Head: 1, Relation: 0, Tail: 3},
	}...)
	g.Valid = []datasets.Triple{
		{Head: 0, Relation: 0, Tail: 4},
		{Head: 2, Relation: 1, Tail: 5},
		{Head: 3, Relation: 1, Tail: 6},
	}
	g.Test = []datasets.Triple{{Head: 0, Relation: 0, Tail: 5}, {Head: 6, Relation: 1, Tail: 3}}
	return g
}

// SmallModel returns an untrained model of [SmallGraph] with the structure of ComplEx and
// dimension 8.
func SmallModel() *kge.Model {
	s := kge.DefaultSettings()
	s.Dim, s.InitScale = 8, 1
	m := kge.DefaultMember(structure.MustParse("complex"))
	m.Seed = 3
	d := completion.Data(SmallGraph())
	return &kge.Model{
		Parameters:     kge.Initialize(d, s, m),
		Dataset:        d.Name,
		Source:         d.Source,
		EntityLabels:   d.Entities,
		RelationLabels: d.Relations,
		Training:       &kge.Training{Settings: s, Member: m},
	}
}
