package completion

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// foldInEpochs is the number of epochs on the triples of new labels. They are few.
const foldInEpochs = 30

// minReplayed is the least number of known triples, as far as there are, that new labels learn
// in addition to their own.
const minReplayed = 4000

// minCandidates is the least number of entities, as far as there are, among which new labels learn
// their triples.
const minCandidates = 4096

// maxFoldInWork limits the products for the candidates of all triples. Above it, and where the model
// had a sampled softmax, the candidates are sampled.
const maxFoldInWork = 1e11

// FoldIn returns a predictor that also has the entities and relations of the training triples of g
// that p lacks. Only their embeddings are trained, on these triples and a sample of the others; the
// embeddings of p stay. Each member of an ensemble learns them by itself. The result has no
// probabilities. FoldIn returns p if it lacks nothing. It calls onProgress, unless that is nil, with
// the share of the training that is done.
func FoldIn(
	ctx context.Context, engine kge.Engine, p Predictor, g *datasets.Graph,
	onProgress func(share float64),
) (Predictor, error) {
	count := float64(len(p.Models()))
	data := Data(g) // digests the graph once for all members
	return withMembers(p, func(i int, m *kge.Model) (*kge.Model, error) {
		var report func(kge.Progress)
		if onProgress != nil {
			report = func(p kge.Progress) { onProgress((float64(i) + p.Share()) / count) }
		}
		folded, err := foldIn(ctx, engine, m, g, report)
		if err == nil && folded != m {
			id := kge.DataID{Source: data.Source, Fingerprint: data.Fingerprint()}
			folded.Valid, folded.Test = nil, nil // of the model before
			folded.TrainedOn = append(slices.Clone(m.TrainedOn), id)
		}
		return folded, err
	})
}

// ErrNoSettings is the error of [FoldIn] for a model of another program.
var ErrNoSettings = errors.New("the model does not have the settings of its training, which new " +
	"labels need: continue its training first")

// withMembers returns a predictor with changed members, without probabilities. It returns p if the
// first member does not change, because all have the same labels.
func withMembers(
	p Predictor, change func(i int, m *kge.Model) (*kge.Model, error),
) (Predictor, error) {
	members := p.Models()
	e, isEnsemble := p.(*Ensemble)
	if isEnsemble {
		members = e.Members // in the order to which the choice refers
	}
	changed := make([]*kge.Model, len(members))
	for i, m := range members {
		var err error
		if changed[i], err = change(i, m); err != nil {
			return nil, err
		}
	}
	switch {
	case changed[0] == members[0]:
		return p, nil
	case isEnsemble:
		return &Ensemble{Members: changed, Choice: e.Choice, Weights: e.Weights}, nil
	}
	return Single{Model: changed[0]}, nil
}

// foldIn returns a model that also has new labels, or m if it lacks none.
func foldIn(
	ctx context.Context, engine kge.Engine, m *kge.Model, g *datasets.Graph,
	onProgress func(kge.Progress),
) (*kge.Model, error) {
	few := newFacts(m, g)
	if len(few.Train) == 0 {
		return m, nil
	}
	if m.Training == nil {
		return nil, ErrNoSettings
	}
	s := m.Training.Settings
	s.Epochs = foldInEpochs
	s.SkipValidation()
	s.Optimizer, s.Precision = kge.Adagrad, kge.Float32
	s.SparseGradients, s.Buckets = 0, 0
	s.Distillation = kge.Distillation{} // new labels have no teacher
	s.Encoding = kge.Encoding{}         // the embeddings of the model are its outputs
	// A small sample rarely has a new entity, which then scores high in queries of others.
	affordable := int(maxFoldInWork / float64(foldInEpochs*len(few.Train)*s.Dim))
	if s.SampledSoftmax > 0 {
		s.SampledSoftmax = max(s.SampledSoftmax, affordable)
		if s.SampledSoftmax >= len(few.Entities) {
			s.SampledSoftmax = 0
		}
	}
	if s.Negatives > 0 {
		const most = 1 << 16 // the limit of the setting
		s.Negatives = max(s.Negatives, min(affordable, most))
	}
	member := m.Training.Member
	if m.Training.Settings.Optimizer != kge.Adagrad {
		member.LearningRate = rootMeanSquare(m.Entities)
	}
	job := kge.Job{
		Data: Data(few), Settings: s, Members: []kge.Member{member},
		Start:   kge.NewStart(m.LabelledTables(), 0).Freeze(),
		OnEpoch: onProgress, OnStep: onProgress,
	}
	report, err := kge.Train(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	folded := report.Results[0]
	if folded.Err != nil {
		return nil, folded.Err
	}
	return m.Extend(folded.Model), nil
}

// newFacts returns the training triples of g with labels that m lacks and a sample of the others,
// with the entities of both and a sample of the others that m has. It returns no triples if m lacks
// no label.
func newFacts(m *kge.Model, g *datasets.Graph) *datasets.Graph {
	ids := labels.NewTranslation(
		g.Name, g.Entities, g.Relations, m.EntityLabels, m.RelationLabels)
	few := &datasets.Graph{Name: g.Name}
	var chosen, others []int // indices of triples
	for i, t := range g.Train {
		if min(ids.Entity(t.Head), ids.Relation(t.Relation), ids.Entity(t.Tail)) < 0 {
			chosen = append(chosen, i)
		} else {
			others = append(others, i)
		}
	}
	if len(chosen) == 0 {
		return few
	}
	// As candidates for the answers of other triples, new entities learn low scores for them.
	chosen = append(chosen, stride(others, max(minReplayed, 10*len(chosen)))...)
	weigh := slices.ContainsFunc(chosen, func(i int) bool { return g.Weights != nil && g.Weights[i] > 0 })
	for _, i := range chosen {
		few.Train = append(few.Train, g.Train[i])
		if weigh {
			few.Weights = append(few.Weights, g.Weights[i])
		}
	}
	hasEntity, hasRelation := make([]bool, len(g.Entities)), make([]bool, len(g.Relations))
	for _, t := range few.Train {
		hasEntity[t.Head], hasRelation[t.Relation], hasEntity[t.Tail] = true, true, true
	}
	var known []int32 // that the triples lack
	for id, is := range hasEntity {
		if !is && ids.Entity(int32(id)) >= 0 {
			known = append(known, int32(id))
		}
	}
	for _, id := range stride(known, minCandidates-(len(hasEntity)-len(known))) {
		hasEntity[id] = true
	}
	var entities, relations []int32 // ids in few
	few.Entities, entities = kept(g.Entities, hasEntity)
	few.Relations, relations = kept(g.Relations, hasRelation)
	for i, t := range few.Train {
		few.Train[i] = datasets.Triple{
			Head: entities[t.Head], Relation: relations[t.Relation], Tail: entities[t.Tail],
		}
	}
	return few
}

// kept returns some of the labels, and the new id of each of these.
func kept(labels []string, is []bool) (some []string, ids []int32) {
	ids = make([]int32, len(labels))
	for id, label := range labels {
		if is[id] {
			ids[id] = int32(len(some))
			some = append(some, label)
		}
	}
	return some, ids
}

// stride returns about a number of elements at equal distances.
func stride[T any](all []T, count int) (some []T) {
	if count <= 0 {
		return nil
	}
	for i, every := 0, max(1, len(all)/count); i < len(all); i += every {
		some = append(some, all[i])
	}
	return some
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
