package completion

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// teacherAnswers is the number of entities that are kept of a teacher's answer. The scores of all
// entities would take a table of queries by entities.
const teacherAnswers = 128

// Teacher is a model or an ensemble that answers the queries of a graph's training triples, for
// another model to learn; see [kge.Distillation].
type Teacher struct {
	predictor Predictor
	name      string // of the graph
	entities  int    // of the graph
	questions []kge.Question
	numbers   map[teacherKey]int // of questions
	answers   []kge.Distribution // by question
}

// teacherKey identifies a question of one hop. It numbers relations as paths do.
type teacherKey struct{ anchor, relation int32 }

// NewTeacher returns a teacher for a graph, which must have the entities and relations of the
// predictor in any order. Models of queries are refused, because [Leakage] does not check them.
func NewTeacher(p Predictor, g *datasets.Graph) (*Teacher, error) {
	if slices.ContainsFunc(p.Models(), isOfQueries) {
		return nil, errors.New("the teacher was trained on queries, and whether it has learned " +
			"triples to evaluate cannot be checked: use a model of triples, or an ensemble of them")
	}
	p, err := withMembers(p, func(_ int, m *kge.Model) (*kge.Model, error) {
		return m.Reorder(g.Entities, g.Relations)
	})
	if err != nil {
		return nil, fmt.Errorf("the teacher has other entities or relations than %s: %w; "+
			"train it on %s", g.Name, err, g.Name)
	}
	t := &Teacher{
		predictor: p, name: g.Name, entities: len(g.Entities), questions: trainingQuestions(g),
		numbers: map[teacherKey]int{},
	}
	for i, q := range t.questions {
		t.numbers[teacherKey{q.Anchor, q.Path[0]}] = i
	}
	t.answers = make([]kge.Distribution, len(t.questions))
	return t, nil
}

// trainingQuestions returns the queries of the training triples in both directions, each once.
func trainingQuestions(g *datasets.Graph) (questions []kge.Question) {
	for _, q := range trainingQueries(g.Train) {
		questions = append(questions, kge.Question{Anchor: q.anchor, Path: []int32{q.relation}})
	}
	return questions
}

// Digest identifies the teacher by all numbers that its answers depend on.
func (t *Teacher) Digest() string {
	hash := sha256.New() // never fails
	for _, m := range t.predictor.Models() {
		fmt.Fprintf(hash, "%v %v %d %t\n", m.Form, m.Structure, m.Dim, m.Reciprocal)
		for _, table := range m.All() {
			const most = 1 << 16 // numbers at once
			for part := range slices.Chunk(table, most) {
				_ = binary.Write(hash, binary.LittleEndian, part)
			}
			mapped.Release(table)
		}
	}
	for relation := range t.predictor.Models()[0].RelationLabels {
		fmt.Fprintln(hash, t.predictor.weights(int32(relation)))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// TrainedOn identifies the data that the teacher has learned from.
func (t *Teacher) TrainedOn() (all []kge.DataID) {
	for _, m := range t.predictor.Models() {
		all = append(all, m.TrainedOn...)
	}
	return all
}

// Questions returns the number of different queries of the training triples.
func (t *Teacher) Questions() int { return len(t.questions) }

// Kept returns the number of entities that are kept of each answer.
func (t *Teacher) Kept() int { return min(teacherAnswers, t.entities) }

// Bytes returns the memory of the answers.
func (t *Teacher) Bytes() float64 {
	const entityBytes, ownBytes = 8, 150 // per kept entity, and per question
	return float64(len(t.questions)) * (entityBytes*float64(t.Kept()) + ownBytes)
}

// Answer answers all queries. An answer has the entities with the highest scores, and their shares
// of the softmax of these scores divided by a temperature, which is above 0. Rankings use the same
// scores. Answer calls answered, unless it is nil, after each answer, from any goroutine.
func (t *Teacher) Answer(
	ctx context.Context, engine kge.Engine, temperature float64, answered func(),
) error {
	if !(temperature > 0) || math.IsInf(temperature, 1) {
		return fmt.Errorf("the temperature is %v: it must be above 0, such as 2", temperature)
	}
	if answered == nil {
		answered = func() {}
	}
	what := fmt.Sprintf("keeping a teacher's answers to %s on %s",
		format.Count(len(t.questions), "query"), t.name)
	if err := memory.Check(t.Bytes(), what, "use a machine with more memory"); err != nil {
		return err
	}
	scores, err := newEngineScores(engine, t.predictor)
	if err != nil {
		return err
	}
	defer scores.close()
	kept := t.Kept()
	entities, shares := make([]int32, len(t.questions)*kept), make([]float32, len(t.questions)*kept)
	visit := func(i int, scores []float32) {
		d := kge.Distribution{Entities: entities[i*kept:][:kept], Shares: shares[i*kept:][:kept]}
		distribute(d, scores, temperature)
		t.answers[i] = d
		answered()
	}
	return scores.all(t.entities).Scores(ctx, 0, t.questions, visit)
}

// distribute sets a distribution to the entities with the highest scores, ascending, and to their
// shares of a softmax.
func distribute(d kge.Distribution, scores []float32, temperature float64) {
	best := shortlist(scores, 0, len(d.Entities), func(int) bool { return true })
	slices.SortFunc(best, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	highest, sum := float64(scores[best[0]]), 0.0
	copy(d.Entities, best)
	slices.Sort(d.Entities)
	exponential := func(entity int32) float64 {
		return math.Exp((float64(scores[entity]) - highest) / temperature)
	}
	for _, entity := range d.Entities {
		sum += exponential(entity)
	}
	for i, entity := range d.Entities {
		d.Shares[i] = float32(exponential(entity) / sum)
	}
}

// Distribution returns the answer to a query of the training triples; see [kge.Data.Teacher]. It is
// empty before Answer, and for other queries.
func (t *Teacher) Distribution(anchor, relation int32) kge.Distribution {
	number, isAsked := t.numbers[teacherKey{anchor, relation}]
	if !isAsked {
		return kge.Distribution{}
	}
	return t.answers[number]
}
