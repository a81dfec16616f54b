package completion_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// untrained returns a model of a graph with random embeddings.
func untrained(g *datasets.Graph, name string, seed uint64) *kge.Model {
	s, m := kge.DefaultSettings(), kge.DefaultMember(structure.MustParse(name))
	s.Dim, s.InitScale, m.Seed = 8, 1, seed
	return &kge.Model{
		Parameters:   kge.Initialize(completion.Data(g), s, m),
		EntityLabels: g.Entities, RelationLabels: g.Relations,
	}
}

// answered returns a teacher with its answers.
func answered(
	t *testing.T, p completion.Predictor, g *datasets.Graph, temperature float64,
) *completion.Teacher {
	t.Helper()
	teacher, err := completion.NewTeacher(p, g)
	require.NoError(t, err)
	require.NoError(t, teacher.Answer(t.Context(), newEngine(t), temperature, func() {}))
	return teacher
}

// TestTeacherAnswers compares a teacher's answers with the softmax of the scores of its ensemble,
// with weights by relation, for more entities than are kept.
func TestTeacherAnswers(t *testing.T) {
	const temperature = 3
	g := enginetest.RandomGraph(200, 2, 30, 3)
	models := []*kge.Model{untrained(g, "complex", 1), untrained(g, "simple", 2)}
	e, err := completion.NewEnsemble(models)
	require.NoError(t, err)
	e.Weights = &completion.RelationWeights{
		Shared: []float64{0.5, 0.5}, ByRelation: map[string][]float64{g.Relations[1]: {0.9, 0.1}},
	}
	teacher := answered(t, e, g, temperature)
	require.Error(t, teacher.Answer(t.Context(), nil, 0, nil), "the temperature is 0: it must be above 0")
	check := func(what string, got kge.Distribution, scores []float64) {
		t.Helper()
		order := make([]int32, len(scores))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(a, b int32) int { return int(math.Copysign(1, scores[b]-scores[a])) })
		best := slices.Sorted(slices.Values(order[:teacher.Kept()]))
		if !slices.Equal(got.Entities, best) {
			t.Fatalf("%s: entities %v, want %v", what, got.Entities, best)
		}
		sum := 0.0
		for _, entity := range best {
			sum += math.Exp(scores[entity] / temperature)
		}
		for i, entity := range best {
			want := math.Exp(scores[entity]/temperature) / sum
			if math.Abs(float64(got.Shares[i])-want) > 1e-5 {
				t.Fatalf("%s: share %v of entity %d, want %v", what, got.Shares[i], entity, want)
			}
		}
	}
	for _, triple := range g.Train {
		var tails, heads []float64
		for _, entity := range g.Entities {
			relation := g.Relations[triple.Relation]
			score, err := e.Score(g.Entities[triple.Head], relation, entity)
			require.NoError(t, err)
			tails = append(tails, score)
			// Without reverse relations, a head has the score of its triple.
			score, err = e.Score(entity, relation, g.Entities[triple.Tail])
			require.NoError(t, err)
			heads = append(heads, score)
		}
		relation := 2 * triple.Relation
		check(fmt.Sprint("tails of ", triple), teacher.Distribution(triple.Head, relation), tails)
		check(fmt.Sprint("heads of ", triple), teacher.Distribution(triple.Tail, relation+1), heads)
	}
}

// TestTeacherOfAnotherGraph checks that a teacher has the entities and relations of the graph.
func TestTeacherOfAnotherGraph(t *testing.T) {
	one := completion.Single{Model: untrained(enginetest.Graph(), "complex", 1)}
	other := enginetest.SmallGraph()
	_, err := completion.NewTeacher(one, other)
	require.Error(t, err, "other entities or relations", "lacks the entity", "train it on "+other.Name)
}

// TestTeacherInAnotherOrder checks that the order of a graph's entities and relations does not change
// answers.
func TestTeacherInAnotherOrder(t *testing.T) {
	g := enginetest.Graph()
	e, err := completion.NewEnsemble([]*kge.Model{untrained(g, "complex", 1), untrained(g, "simple", 2)})
	require.NoError(t, err)
	e.Weights = &completion.RelationWeights{
		Shared: []float64{0.5, 0.5}, ByRelation: map[string][]float64{g.Relations[1]: {0.9, 0.1}},
	}
	other := &kge.Model{
		EntityLabels: slices.Clone(g.Entities), RelationLabels: slices.Clone(g.Relations),
	}
	slices.Reverse(other.EntityLabels)
	slices.Reverse(other.RelationLabels)
	reversed, err := completion.Align(other, g)
	require.NoError(t, err)
	byLabel := func(g *datasets.Graph, d kge.Distribution) map[string]float32 {
		shares := map[string]float32{}
		for i, entity := range d.Entities {
			shares[g.Entities[entity]] = d.Shares[i]
		}
		return shares
	}
	first, second := answered(t, e, g, 2), answered(t, e, reversed, 2)
	for i, a := range g.Train {
		b := reversed.Train[i]
		want := byLabel(g, first.Distribution(a.Head, 2*a.Relation))
		got := byLabel(reversed, second.Distribution(b.Head, 2*b.Relation))
		if len(want) == 0 || !maps.Equal(got, want) {
			t.Errorf("triple %d: shares %v in another order, want %v", i, got, want)
		}
	}
}

// TestTeacherOfQueries checks that a model of queries is no teacher.
func TestTeacherOfQueries(t *testing.T) {
	g := enginetest.Graph()
	m := untrained(g, "complex", 1)
	m.Training = &kge.Training{TaskSettings: map[string]json.RawMessage{"hops": []byte("[1]")}}
	_, err := completion.NewTeacher(completion.Single{Model: m}, g)
	require.Error(t, err, "trained on queries", "use a model of triples, or an ensemble of them")
}

// TestTeacherDigest checks that teachers with other numbers or weights have other digests.
func TestTeacherDigest(t *testing.T) {
	g := enginetest.Graph()
	one, two := untrained(g, "complex", 1), untrained(g, "complex", 2)
	changed := *one
	changed.Relations = slices.Clone(one.Relations)
	changed.Relations[len(changed.Relations)-1]++
	equal, err := completion.NewEnsemble([]*kge.Model{one, two})
	require.NoError(t, err)
	weighted := *equal
	weighted.Weights = &completion.RelationWeights{
		Shared:     []float64{0.5, 0.5},
		ByRelation: map[string][]float64{g.Relations[1]: {0.9, 0.1}},
	}
	digests := map[string]bool{}
	all := []completion.Predictor{completion.Single{Model: one}, completion.Single{Model: two},
		completion.Single{Model: &changed}, equal, &weighted}
	for _, p := range append(all, completion.Single{Model: untrained(g, "complex", 1)}) {
		teacher, err := completion.NewTeacher(p, g)
		require.NoError(t, err)
		digests[teacher.Digest()] = true
	}
	if len(digests) != len(all) {
		t.Errorf("%d teachers have %d digests", len(all), len(digests))
	}
}

// TestTeacherOfOtherQueries checks that the answer to a query of no training triple is empty.
func TestTeacherOfOtherQueries(t *testing.T) {
	g := enginetest.Graph()
	teacher := answered(t, completion.Single{Model: untrained(g, "complex", 1)}, g, 2)
	first := g.Train[0]
	if d := teacher.Distribution(first.Head, 2*first.Relation); len(d.Entities) == 0 {
		t.Error("the answer to the query of a training triple is empty")
	}
	if d := teacher.Distribution(first.Head, int32(2*len(g.Relations))); len(d.Entities) > 0 {
		t.Errorf("the answer to another query is %v", d)
	}
}

// TestStudentRanksLikeItsTeacher checks that a model ranks entities more like its teacher than the
// same model without one.
func TestStudentRanksLikeItsTeacher(t *testing.T) {
	g := enginetest.Graph()
	teacher := trained(t, newEngine(t), g, "quate", 7)
	student := func(weight float64) *kge.Model {
		t.Helper()
		data, s := completion.Data(g), kge.DefaultSettings()
		s.Dim, s.Epochs, s.Batch = 32, 60, 16
		if weight > 0 {
			data.Teacher = answered(t, completion.Single{Model: teacher}, g, 2).Distribution
			s.TeacherWeight, s.Temperature = weight, 2
		}
		member := kge.DefaultMember(structure.MustParse("complex"))
		report, err := kge.Train(t.Context(), newEngine(t),
			kge.Job{Data: data, Settings: s, Members: []kge.Member{member}})
		require.NoError(t, err)
		return report.Results[0].Model
	}
	// The ranks of all heads and tails of validation queries, which neither has learned.
	difference := func(m *kge.Model) (sum float64) {
		for _, triple := range g.Valid {
			a, b := ranksOf(completion.HeadScores(m, triple.Relation, triple.Tail), len(g.Entities)),
				ranksOf(completion.HeadScores(teacher, triple.Relation, triple.Tail), len(g.Entities))
			for entity := range a {
				sum += math.Abs(a[entity] - b[entity])
			}
		}
		return sum
	}
	taught, alone := difference(student(0.7)), difference(student(0))
	if !(taught < 0.9*alone) {
		t.Errorf("the ranks of a student differ by %v from its teacher's, without a teacher by %v",
			taught, alone)
	}
}

// ranksOf returns the rank of each entity by its score.
func ranksOf(score func(entity int32) float64, entities int) []float64 {
	order := make([]int32, entities)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return int(math.Copysign(1, score(b)-score(a))) })
	ranks := make([]float64, entities)
	for rank, entity := range order {
		ranks[entity] = float64(rank)
	}
	return ranks
}
