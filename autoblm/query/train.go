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
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Settings are those of a training on paths. [Default] and [DefaultSettings] are the places
// to start from.
type Settings struct {
	// Settings are those of all embeddings, but for LabelSmoothing, which paths do not
	// have. A batch is of queries whose paths have one length. Reciprocal gives the
	// reverse of a relation an embedding of its own; else it is the transpose of its
	// relation.
	kge.Settings
	Paths
}

// Paths are what models of paths are for, and how they learn them.
type Paths struct {
	// Hops are the lengths of the paths that a model is for: it is trained on them,
	// and validated on all of them together.
	Hops []int `json:"hops" min:"1" max:"99" brief:"Lengths of the paths to train on and to rank." help:"Length of the paths to train on and to rank."`
	With []int `json:"with,omitempty" min:"1" max:"99" brief:"Lengths of further paths to train on." help:"Lengths of further paths to train on, separated by commas."`
	// AnswerPower 0 lets queries count the same, 1 their answers.
	AnswerPower float64 `json:"answer_power" min:"0" max:"1" help:"A query with n answers counts n to this power as much as one with one; 0 to 1."`
}

// TaskSettings are the settings that only paths have, as a study keeps them.
type TaskSettings struct {
	Paths
	kge.Sampling
}

// Settings are those of all embeddings with those of paths.
func (o TaskSettings) Settings(s kge.Settings) Settings {
	s.Sampling = o.Sampling
	return Settings{s, o.Paths}
}

// Default is how models of a form learn where nothing else is said, and a member for that
// whose structure is yet to be chosen. Bilinear ones learn paths of one hop beside those of two,
// with much dropout and a little DURA, which let them learn for longer, at a rate that goes down
// where validation does not get better; that was chosen by validation on four graphs. Others
// are trained as [DefaultSettings] say.
func Default(f form.Form) (Settings, kge.Member) {
	s, m := DefaultSettings(), kge.DefaultMember(structure.Structure{})
	m.Form = f
	if f != form.Bilinear {
		return s, m
	}
	s.With = []int{1}
	s.Dim, s.Batch, s.Epochs, s.Dropout = 256, 256, 50, 0.5
	s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 1, 6, 2, 0.5
	m.LearningRate, m.EntityL2, m.Products = 0.2, 0.02, 0.02
	return s, m
}

// DefaultSettings are small ones, of the first version: paths of two hops, d 64, 60 epochs,
// reverses of their own.
func DefaultSettings() Settings {
	s := Settings{Settings: kge.DefaultSettings(), Paths: Paths{Hops: []int{2}, AnswerPower: 0.5}}
	s.Batch, s.Reciprocal = 512, true
	return s
}

// Trained are the lengths of all paths to train on, ascending.
func (p Paths) Trained() []int {
	all := slices.Concat(p.Hops, p.With)
	slices.Sort(all)
	return slices.Compact(all)
}

// UsualSampling is what a form of models has where it is not to learn from all
// entities: for distances the numbers of Query2box, whose margin of 24 for 400
// coordinates shrinks with these (Ren et al., 2020). Products have none.
func UsualSampling(f form.Form, dim int) kge.Sampling {
	if f.Capabilities().Products {
		return kge.Sampling{}
	}
	return kge.Sampling{Negatives: 128, Margin: 24 * float64(dim) / 400}
}

// Validate says what is wrong with a member under the settings. L2, N3, RelationL2
// and EntityL2 of a member are of the anchor, the relations of the path and the drawn
// answer; Products is of |e0ᵀR|² + |R e|², where R is the product of the path.
func (s Settings) Validate(m kge.Member) error {
	switch {
	case s.LabelSmoothing != 0:
		return fmt.Errorf("label smoothing is %v: queries have none", s.LabelSmoothing)
	case s.Frequency != 0:
		return fmt.Errorf("frequency is %v: answers of queries are weighed by answer-power", s.Frequency)
	case s.AnswersPerQuery != 0:
		return fmt.Errorf("answers-per-query is %d: a query learns all its answers at once", s.AnswersPerQuery)
	case m.RelationPrediction != 0:
		return fmt.Errorf("relation-prediction is %v: queries have none", m.RelationPrediction)
	}
	if err := s.ValidateFor(m); err != nil {
		return err
	}
	if len(s.Hops) == 0 {
		return errors.New("there are no lengths of paths to train on: give one, such as 2")
	}
	return settings.Check(s.Paths)
}

// PathsOf are the paths that a model is for and was trained on; none where that is not
// known. A model of completion was trained on triples, which are paths of one hop.
func PathsOf(m *kge.Model) (p Paths) {
	if m.Training == nil {
		return p
	}
	own, err := json.Marshal(m.Training.TaskSettings)
	if err == nil {
		err = json.Unmarshal(own, &p)
	}
	if err != nil || len(p.Hops) == 0 {
		p.Hops = []int{1}
	}
	return p
}

// Training are the training queries of some lengths as data to train on. Each epoch
// draws one of the answers of each as its target. The validation queries, where there
// are some, decide by their MRR. It is an error if there are no queries of a length to
// train on.
func (d *Data) Training(p Paths) (*kge.Data, error) {
	data := &kge.Data{
		Name: d.Name, Source: cmp.Or(d.Folder, d.Name), Entities: d.Entities, Relations: d.Relations,
		Fingerprint: func() string { return d.Fingerprint(p.Trained()...) }, TaskSettings: p,
		Batches: func(s kge.Settings, epoch int) [][]kge.Example { return d.batches(s, p, epoch) },
	}
	for _, hops := range p.Trained() {
		if err := d.Needs(InTrain, hops); err != nil {
			return nil, err
		}
		data.Count += len(d.Queries(InTrain, hops))
	}
	if slices.ContainsFunc(p.Hops, func(hops int) bool { return d.Needs(InValid, hops) != nil }) {
		return data, nil
	}
	data.HeldOut = len(d.together(InValid, p.Hops))
	data.Validate = func(ctx context.Context, r kge.Ranker, most int) ([]float64, error) {
		queries := eval.Sample(d.together(InValid, p.Hops), most)
		scores := make([]float64, r.Models())
		for i := range scores {
			e, err := Evaluate(ctx, r, i, queries)
			if err != nil {
				return nil, err
			}
			scores[i] = e.MRR
		}
		return scores, nil
	}
	return data, nil
}

// ErrNoQueries says that a split has no queries of a length.
var ErrNoQueries = errors.New("draw some first")

// Needs says so if a split has no queries of a length.
func (d *Data) Needs(split Split, hops int) error {
	if d.Queries(split, hops) == nil {
		return fmt.Errorf("%s has no %v queries of %d hops: %w", d.Name, split, hops, ErrNoQueries)
	}
	return nil
}

// together are the queries of a split of several lengths.
func (d *Data) together(split Split, hops []int) (all []Query) {
	for _, h := range hops {
		all = append(all, d.Queries(split, h)...)
	}
	return all
}

// batches are the training queries in the order of the given epoch, each with one
// of its answers, cut to the steps that the settings allow. The paths of a batch
// have one length; batches of different lengths are shuffled.
func (d *Data) batches(s kge.Settings, p Paths, epoch int) (all [][]kge.Example) {
	rng := rand.New(rand.NewPCG(s.DataSeed, uint64(epoch)))
	for _, hops := range p.Trained() {
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
