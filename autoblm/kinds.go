package autoblm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// own reads the settings that a task has for itself.
func own[S any](text json.RawMessage) (settings S, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil {
		err = fmt.Errorf("the settings of the task cannot be read: %w", err)
	}
	return settings, err
}

var completionKind = Kind{
	Name: completion.TaskName, Purpose: "completion of the graph", Recipes: true, Holds: datasets.CanOpen,
	Open: func(_ context.Context, source string, _ json.RawMessage, c Compute) (*OpenTask, error) {
		g, err := datasets.Open(source)
		if err != nil {
			return nil, err
		}
		c.warn(g.Warnings("valid", "test"))
		engine, err := c.Open()
		if err != nil {
			return nil, err
		}
		return &OpenTask{&completion.Task{Graph: g, Engine: engine}, engine.Close}, nil
	},
	Words: func(json.RawMessage) (task.Words, error) { return completion.Words(), nil },
}

var queryKind = Kind{
	Name: query.TaskName, Purpose: "the ends of paths of relations", Holds: query.Holds,
	Usual: func(s search.Settings) search.Settings {
		usual, m := query.DefaultSettings(), kge.DefaultMember(structure.Structure{})
		if s.Known { // unlike the first procedure
			usual, m = query.Default(form.Bilinear)
		}
		s.Training.Batch, s.Training.Reciprocal, s.Training.InitScale, s.Training.Dropout = usual.Batch, usual.Reciprocal, usual.InitScale, usual.Dropout
		s.LearningRate, s.Weights = m.LearningRate, m.Weights
		if s.Tune != nil && s.Tune.Space != nil {
			space := *s.Tune.Space
			space.RelationPredictions = nil // a path has no relation to predict
			tune := *s.Tune
			tune.Space = &space
			s.Tune = &tune
		}
		return s
	},
	Own: func(search.Settings) Own { return &ownOfQueries{query.Own{Paths: query.DefaultSettings().Paths}} },
	Check: func(s SearchSettings) error {
		if !slices.Contains([]string{"", "auto", "cpu"}, s.Compute.Engine) {
			return fmt.Errorf("queries are trained on the engine cpu only, not on %q", s.Compute.Engine)
		}
		if !slices.Contains([]string{"", backend.Auto}, s.Compute.Backend) {
			return fmt.Errorf("queries are trained on the engine cpu only, which has no backend %q", s.Compute.Backend)
		}
		return withoutTriples(s)
	},
	Open: func(ctx context.Context, source string, text json.RawMessage, c Compute) (*OpenTask, error) {
		s, err := own[query.Own](text)
		if err != nil {
			return nil, err
		}
		d, err := query.Prepare(ctx, source, c.Note, slices.Concat(s.Hops, s.With)...)
		if err != nil {
			return nil, err
		}
		c.warn(d.Warnings(s.Hops, query.InValid, query.InTest))
		return &OpenTask{&query.Task{Data: d, Own: s, Engine: cpu.New(c.Threads)}, func() {}}, nil
	},
	Words: func(text json.RawMessage) (task.Words, error) {
		s, err := own[query.Own](text)
		return query.Words(s), err
	},
}

var classKind = Kind{
	Name: classify.TaskName, Purpose: "classes of entities of an RDF graph", Holds: rdf.CanOpen,
	Usual: func(s search.Settings) search.Settings {
		usual, m, plain := classify.Defaults(classify.BLM), classify.DefaultMember(), search.Plain().Training
		s.Training.Dim, s.Training.Epochs, s.Training.Dropout = usual.Dim, usual.Epochs, m.Dropout
		s.LearningRate, s.L2, s.N3 = m.LearningRate, m.L2, 0
		s.Tune, s.Rungs = nil, 0
		if s.Planned != nil {
			s.Planned = &search.Planned{} // a part of an encoder's training tells nothing of the rest
		}
		s.Training.Batch, s.Training.ValidateEvery, s.Training.Reciprocal, s.Training.InitScale = plain.Batch, plain.ValidateEvery, plain.Reciprocal, plain.InitScale
		s.Again, s.AgainDims, s.AgainEpochs = min(s.Again, 3), nil, 0
		return s
	},
	Own: func(s search.Settings) Own {
		usual := classify.Published(classify.BLM)
		if s.Known { // unlike the first procedure
			usual = classify.Defaults(classify.BLM)
		}
		return &ownOfClasses{Settings: classify.Own{Convolution: usual}}
	},
	Check: func(s SearchSettings) error {
		if s.Tune != nil || s.Final != nil {
			return classify.ErrNoStages
		}
		if s.Rungs > 0 {
			return classify.ErrNoRungs
		}
		if s.Model != form.Bilinear {
			return errors.New("the models of classes are of an encoder, not of a form: leave model out")
		}
		if s.Training.Precision == kge.Bfloat16 {
			return errors.New("classes are told in float32 only: leave precision out")
		}
		if err := s.Compute.Check(); err != nil {
			return err
		}
		return withoutTriples(s)
	},
	Open: func(_ context.Context, source string, text json.RawMessage, c Compute) (*OpenTask, error) {
		s, err := own[classify.Own](text)
		if err != nil {
			return nil, err
		}
		g, err := rdf.Open(source, rdf.Options{})
		if err != nil {
			return nil, err
		}
		c.warn(g.Warnings())
		engine, err := c.OpenClassify()
		if err != nil {
			return nil, err
		}
		t := &classify.Task{Graph: g, Own: s, Engine: engine}
		return &OpenTask{t, func() { t.Close(); engine.Close() }}, nil
	},
	Words: func(text json.RawMessage) (task.Words, error) {
		s, err := own[classify.Own](text)
		return classify.Words(s), err
	},
}

// warn notes what data carry of warnings.
func (c Compute) warn(warnings []string) {
	for _, warning := range warnings {
		if c.Note != nil {
			c.Note("warning: " + warning)
		}
	}
}

type ownOfQueries struct {
	Settings query.Own `embed:"" group:"For the task query"`
}

func (o *ownOfQueries) For(search.Settings) any { return &o.Settings }

// ownOfClasses leave out what all tasks have, or what a search for structures has no
// choice of.
type ownOfClasses struct {
	Encoder, Dim, Epochs, Parts struct{} `kong:"-"`

	Settings classify.Own `embed:"" group:"For the task classify"`
}

func (o *ownOfClasses) For(s search.Settings) any {
	own := &o.Settings
	own.Convolution.Dim, own.Convolution.Epochs = s.Training.Dim, s.Training.Epochs
	own.Member = classify.Member{LearningRate: s.LearningRate, Dropout: s.Training.Dropout, L2: s.L2}
	return own
}

// withoutTriples says which settings are of triples alone.
func withoutTriples(s SearchSettings) error {
	if s.Training.LabelSmoothing != 0 || s.Training.Frequency != 0 || s.Training.AnswersTogether != 0 || s.RelationPrediction != 0 {
		return errors.New("label smoothing, weights by frequency, answers together and relation prediction are for completion only: leave them out")
	}
	return nil
}
