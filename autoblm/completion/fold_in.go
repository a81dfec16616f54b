package completion

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// foldInEpochs is the number of epochs on the triples of new labels. They are few.
const foldInEpochs = 30

// minReplayed is the least number of known triples, as far as there are, that new labels learn
// beside their own.
const minReplayed = 1000

// FoldIn returns a model that also has the entities and relations of the training triples of g that
// m lacks. Only their embeddings are trained, on these triples and a sample of the others; those of m
// stay. It returns m if it lacks nothing.
func FoldIn(
	ctx context.Context, engine kge.Engine, m *kge.Model, g *datasets.Graph,
) (*kge.Model, error) {
	entities, entityIDs := withNew(m.EntityLabels, g.Entities)
	relations, relationIDs := withNew(m.RelationLabels, g.Relations)
	added := &datasets.Graph{Name: g.Name, Entities: entities, Relations: relations}
	var others []datasets.Triple
	for _, t := range g.Train {
		head, relation, tail := entityIDs[t.Head], relationIDs[t.Relation], entityIDs[t.Tail]
		isNew := max(head, tail) >= len(m.EntityLabels) || relation >= len(m.RelationLabels)
		triple := datasets.Triple{Head: int32(head), Relation: int32(relation), Tail: int32(tail)}
		if isNew {
			added.Train = append(added.Train, triple)
		} else {
			others = append(others, triple)
		}
	}
	if len(added.Train) == 0 {
		return m, nil
	}
	// New entities also learn what they are not, as candidates for the tails of other triples.
	replayed := max(minReplayed, 10*len(added.Train))
	for i, every := 0, max(1, len(others)/replayed); i < len(others); i += every {
		added.Train = append(added.Train, others[i])
	}
	if m.Training == nil {
		return nil, errors.New("the model does not have the settings of its training, which new " +
			"labels need: train it with train --from")
	}
	s := m.Training.Settings
	s.Epochs, s.ValidateEvery, s.Patience, s.PlateauPatience = foldInEpochs, 0, 0, 0
	s.Optimizer, s.Precision = kge.Adagrad, kge.Float32
	member := m.Training.Member
	if m.Training.Settings.Optimizer != kge.Adagrad {
		member.LearningRate = rootMeanSquare(m.Entities)
	}
	job := kge.Job{
		Data: Data(added), Settings: s, Members: []kge.Member{member},
		Start: kge.NewStart(m.LabelledTables(), 0).Freeze(),
	}
	report, err := kge.Train(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	folded := report.Results[0]
	if folded.Err != nil {
		return nil, folded.Err
	}
	folded.Model.Dataset, folded.Model.Source = m.Dataset, m.Source
	return folded.Model, nil
}

// rootMeanSquare returns the size of the numbers of embeddings. As a learning rate of Adagrad, whose
// first step is that long, it lets new embeddings reach it in few steps.
func rootMeanSquare(numbers []float32) float64 {
	squares := 0.0
	for _, x := range numbers {
		squares += float64(x) * float64(x)
	}
	return math.Sqrt(squares / float64(len(numbers)))
}

// withNew returns the labels and then the new ones of others, and the index of each of others.
func withNew(labels, others []string) (all []string, ids []int) {
	index := make(map[string]int, len(labels))
	for i, label := range labels {
		index[label] = i
	}
	all, ids = slices.Clone(labels), make([]int, len(others))
	for i, label := range others {
		id, found := index[label]
		if !found {
			id = len(all)
			all = append(all, label)
		}
		ids[i] = id
	}
	return all, ids
}
