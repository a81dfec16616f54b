package autoblm

import (
	"context"
	"io/fs"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Query asks for the missing end of a triple.
type Query = completion.Query

// PredictOptions say which answers a [Predictor] returns. The zero value returns all entities of the
// right kind that are not known answers.
type PredictOptions = completion.PredictOptions

// Predictor predicts facts that a graph lacks. It is a model or an ensemble of models.
type Predictor interface {
	// Predict returns entities, or relations if the query has none, as answers to a query, best
	// first. g has the known answers and the kinds of entities; with nil, none is known and all
	// entities are candidates. Scores are in float64 by the definition of the form, so they are
	// equal on every machine. A label that the predictor lacks is an error, which names similar ones.
	Predict(g *datasets.Graph, q Query, o PredictOptions) ([]eval.Answer, error)
	// Answerer returns an answerer, which answers many queries faster than Predict.
	Answerer(g *datasets.Graph) (*completion.Answerer, error)
	// Score returns the score that Predict gives the tail of a triple as an answer to its head
	// and relation. Higher is more plausible. Only scores of the same head and relation compare.
	Score(head, relation, tail string) (float64, error)
	// Evaluate ranks a split of g, "train", "valid" or "test", with filtered pessimistic ranks.
	// The zero value of c chooses an engine. g needs the labels of the predictor, with any ids.
	Evaluate(
		ctx context.Context, g *datasets.Graph, split string, c Compute,
	) (completion.Evaluation, error)
	// Save writes a folder that [LoadModel] and other programs can read. After an error, such as
	// a full disk, a model that was in the folder is unchanged.
	Save(dir string) error
	// Models returns the model, or the members of the ensemble in the order of their selection.
	Models() []*kge.Model
}

// LoadModel reads a model or an ensemble that [Predictor.Save] or the command line wrote: its
// folder, or that of the search that found it.
func LoadModel(dir string) (Predictor, error) {
	return opened(completion.Load(modelfolder.Find(dir)))
}

// LoadModelFS reads a model or an ensemble from the root of a file system, such as one of package
// embed.
func LoadModelFS(fsys fs.FS) (Predictor, error) { return opened(completion.LoadFS(fsys)) }

// PredictorOf returns the predictor of a model, an ensemble, or the files of either that a study
// has; nil for no artifact.
func PredictorOf(a task.Artifact) (Predictor, error) { return opened(completion.PredictorOf(a)) }

// predictor adds the choice of an engine.
type predictor struct{ completion.Predictor }

// opened returns a predictor, or nil for none.
func opened(p completion.Predictor, err error) (Predictor, error) {
	if p == nil || err != nil {
		return nil, err
	}
	return predictor{p}, nil
}

// ownPredictor returns the predictor of this package in p, which may be the result of a search.
func ownPredictor(p Predictor) (own predictor, is bool) {
	if found, isFound := p.(*Found); isFound {
		p = found.Predictor
	}
	own, is = p.(predictor)
	return own, is
}

// Answerer implements [Predictor] with the native engine.
func (p predictor) Answerer(g *datasets.Graph) (*completion.Answerer, error) {
	return completion.NewAnswerer(p.Predictor, g, cpu.New(0))
}

// Evaluate implements [Predictor].
func (p predictor) Evaluate(
	ctx context.Context, g *datasets.Graph, split string, c Compute,
) (e completion.Evaluation, err error) {
	if err := g.Validate(); err != nil {
		return e, err
	}
	aligned, err := completion.Align(p.Models()[0], g)
	if err != nil {
		return e, err
	}
	engine, err := c.Open()
	if err != nil {
		return e, err
	}
	defer engine.Close()
	_, ranks, err := p.Rank(ctx, engine, kge.AutoPrecision, aligned, split, 0)
	return completion.Summarize(ranks, eval.Pessimistic), err
}
