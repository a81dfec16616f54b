package query

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Settings are the settings of training on paths. [Default] and [BasicSettings] return values.
type Settings struct {
	// Settings are the settings of all embeddings. The paths of a batch have the same length.
	// Reciprocal gives reverse relations their own embeddings; otherwise a reverse is the
	// transpose of its relation.
	kge.Settings
	Paths
}

// Paths selects the paths that a model learns.
type Paths struct {
	// Hops are the lengths of the paths to train on. Validation uses all of them.
	Hops []int `json:"hops" min:"1" max:"99" brief:"Length of the paths to train on and rank." help:"Length of the paths to train on and to rank. A search takes several, separated by commas."`
	With []int `json:"with,omitempty" placeholder:"NUMBERS" min:"1" max:"99" brief:"Lengths of further paths to train on." help:"Lengths of further paths to train on, separated by commas."`
	// AnswerPower 0 gives all queries the same weight; 1 gives all answers the same weight.
	AnswerPower float64 `json:"answer_power" min:"0" max:"1" help:"Exponent of a query's number of answers in its weight, from 0 to 1."`
}

// TaskSettings are the settings that only paths have, as stored in a study.
type TaskSettings struct {
	Paths
	kge.Sampling
}

// Settings adds the settings of all embeddings.
func (t TaskSettings) Settings(s kge.Settings) Settings {
	s.Sampling = t.Sampling
	return Settings{s, t.Paths}
}

// Default returns the default settings and the default member of a form, without a structure.
// Bilinear models learn paths of one and of two hops. They have strong dropout and weak DURA, which
// allow longer training, and a learning rate that is reduced on plateaus of the validation MRR.
// Validation on four graphs selected these settings. Other forms have [BasicSettings].
func Default(f form.Form) (Settings, kge.Member) {
	s, m := BasicSettings(), kge.DefaultMember(structure.Structure{})
	m.Form = f
	if f != form.Bilinear {
		s.Dim = f.RoundDim(s.Dim)
		return s, m
	}
	s.With = []int{1}
	s.Dim, s.Batch, s.Epochs, s.Dropout = 256, 256, 50, 0.5
	s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 1, 6, 2, 0.5
	m.LearningRate, m.EntityL2, m.Products = 0.2, 0.02, 0.02
	return s, m
}

// BasicSettings returns small settings: paths of two hops, d 64, 60 epochs, and separate embeddings
// for reverse relations.
func BasicSettings() Settings {
	s := Settings{Settings: kge.DefaultSettings(), Paths: Paths{Hops: []int{2}, AnswerPower: 0.5}}
	s.Batch, s.Reciprocal = 512, true
	return s
}

// TrainingHops returns the lengths of all paths to train on, ascending.
func (p Paths) TrainingHops() []int {
	all := slices.Concat(p.Hops, p.With)
	slices.Sort(all)
	return slices.Compact(all)
}

// DefaultSampling returns the negative sampling of a form: for distances as in Query2box, with a
// margin of 24 for 400 coordinates, scaled by the dimension (Ren et al., 2020). Products have none.
func DefaultSampling(f form.Form, dim int) kge.Sampling {
	if f.Capabilities().Products {
		return kge.Sampling{}
	}
	return kge.Sampling{Negatives: 128, Margin: 24 * float64(dim) / 400}
}

// Validate returns an error if the settings or a member are invalid. Call it before [kge.Train],
// which ignores some settings that only triples have. L2, N3, RelationL2 and EntityL2 penalize the
// anchor, the relations of the path and the drawn answer. Products penalizes |e0ᵀR|² + |R e|², where
// R is the product of the path.
func (s Settings) Validate(m kge.Member) error {
	_, isNeural := m.Form.Neural()
	switch {
	case isNeural:
		return fmt.Errorf("queries do not train with %v: choose another form, such as q2b", m.Form)
	case s.Frequency != 0:
		return fmt.Errorf("frequency is %v: for queries use answer-power", s.Frequency)
	case s.AnswersPerQuery != 0:
		return fmt.Errorf("answers-per-query is %d: a query learns all its answers at once",
			s.AnswersPerQuery)
	case s.Buckets != 0:
		return fmt.Errorf("buckets is %d: queries do not train in buckets", s.Buckets)
	case s.Loss != kge.LogLoss:
		return errors.New("queries do not train with bce: leave loss at log-loss")
	case s.Encoder != kge.NoEncoder:
		return fmt.Errorf("queries do not train with the encoder %v: leave encoder at none", s.Encoder)
	case s.BatchNorm:
		return errors.New("queries do not train with batch normalization: switch batch-norm off")
	case s.AdversarialTemperature != 0 || s.Subsampling:
		return errors.New("adversarial-temperature and subsampling are for triples: leave them out for queries")
	case m.RelationPrediction != 0:
		return fmt.Errorf("relation-prediction is %v: queries do not support it", m.RelationPrediction)
	case m.HasIVR():
		return errors.New("ivr and ivr-products penalize triples: leave them at 0 for queries")
	}
	if err := s.ValidateFor(m); err != nil {
		return err
	}
	if len(s.Hops) == 0 {
		return errors.New("hops is empty: give the length of the paths, such as 2")
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(s.Hops))); len(distinct) < len(s.Hops) {
		return fmt.Errorf("hops is %s: give each length once", format.List(s.Hops, "and"))
	}
	return settings.Check(s.Paths)
}

// PathsOf returns the paths that a model was trained on; none if they are unknown. A model of
// completion was trained on triples, which are paths of one hop.
func PathsOf(m *kge.Model) (p Paths) {
	if m.Training == nil {
		return p
	}
	text, err := json.Marshal(m.Training.TaskSettings)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || len(p.Hops) == 0 {
		p.Hops = []int{1}
	}
	return p
}

// Training returns the training queries as data for [kge.Train], with the MRR of the validation
// queries, if any, as validation score. Each epoch draws one of the answers of a query as its
// target. A length without training queries is an error.
func (d *Data) Training(p Paths) (*kge.Data, error) {
	data := &kge.Data{
		Name: d.Name, Source: cmp.Or(d.Folder, d.Name), Entities: d.Entities, Relations: d.Relations,
		Fingerprint: func() string { return d.Fingerprint(p.TrainingHops()...) }, TaskSettings: p,
		Occurrences: func() kge.Occurrences { return d.occurrences(p.TrainingHops()) },
		Batches:     func(s kge.Settings, epoch int) kge.Batches { return kge.BatchesOf(d.batches(s, p, epoch)...) },
	}
	for _, hops := range p.TrainingHops() {
		if err := d.require(InTrain, hops); err != nil {
			return nil, err
		}
		data.Count += len(d.Queries(InTrain, hops))
		data.Hops = max(data.Hops, hops)
	}
	if slices.ContainsFunc(p.Hops, func(hops int) bool { return d.require(InValid, hops) != nil }) {
		return data, nil
	}
	data.HeldOut = len(d.queriesWith(InValid, p.Hops))
	data.Validate = func(ctx context.Context, r kge.Ranker, most int) ([]kge.Validation, error) {
		queries := d.queriesWith(InValid, p.Hops)
		sample := eval.Sample(queries, most)
		all := make([]kge.Validation, r.Models())
		for i := range all {
			each, err := evaluateEach(ctx, r, i, sample)
			if err != nil {
				return nil, err
			}
			e := summarizeSample(sample, each, queries)
			all[i].MRR, all[i].Error = e.MRR, e.MRRError
		}
		return all, nil
	}
	return data, nil
}

// occurrences returns the expected uses per epoch of each row by the training queries: their
// anchors, relations, and drawn answers.
func (d *Data) occurrences(hops []int) kge.Occurrences {
	n := kge.Occurrences{
		Entities: make([]float64, len(d.Entities)), Relations: make([]float64, len(d.Relations)),
	}
	for _, q := range d.queriesWith(InTrain, hops) {
		n.Entities[q.Anchor]++
		for _, r := range q.Relations {
			n.Relations[r/2]++
		}
		for _, answer := range q.Hard {
			n.Entities[answer] += 1 / float64(len(q.Hard))
		}
	}
	return n
}

// ErrNoQueries reports a split without queries of a length. Its text is the fix.
var ErrNoQueries = errors.New("draw some first")

// require returns an error if a split has no queries with a number of hops.
func (d *Data) require(split Split, hops int) error {
	if d.Queries(split, hops) == nil {
		return fmt.Errorf("%s has no %v queries of %s: %w", d.Name, split, format.Count(hops, "hop"),
			ErrNoQueries)
	}
	return nil
}

// queriesWith returns the queries of a split with several numbers of hops.
func (d *Data) queriesWith(split Split, hops []int) (all []Query) {
	for _, h := range hops {
		all = append(all, d.Queries(split, h)...)
	}
	return all
}

// batches returns the training queries of an epoch in random order, each with one of its answers,
// limited to the maximum number of steps. The paths of a batch have the same length.
func (d *Data) batches(s kge.Settings, p Paths, epoch int) (all [][]kge.Example) {
	rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
	for _, hops := range p.TrainingHops() {
		queries := d.Queries(InTrain, hops)
		order := make([]kge.Example, len(queries))
		for i, place := range rng.Perm(len(queries)) {
			q := &queries[place]
			order[i] = kge.Example{
				Question: q.Question(), Target: q.Hard[rng.IntN(len(q.Hard))], Targets: q.Hard,
				Weight: float32(math.Pow(float64(len(q.Hard)), p.AnswerPower)),
			}
		}
		all = slices.AppendSeq(all, slices.Chunk(order, s.Batch))
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if s.MaxSteps > 0 {
		all = all[:min(s.MaxSteps, len(all))]
	}
	return all
}
