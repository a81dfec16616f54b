package completion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Predictor predicts the missing ends of triples: a [Single] model or an [Ensemble].
type Predictor interface {
	task.Artifact
	// Models returns the model, or the members of the ensemble in the order of their selection.
	// All have the same ids.
	Models() []*kge.Model
	// Predict returns entities as answers to a query, best first. g has the known answers and the
	// kinds of entities; with nil, none is known and all entities are candidates. Scores are in
	// float64 by the definition of the form, so they are equal on every machine. A label that the
	// models lack is an error, which names similar ones. An [Answerer] is faster.
	Predict(g *datasets.Graph, q Query, o PredictOptions) ([]eval.Answer, error)
	// Score returns the score that Predict gives the tail of a triple as an answer to its head
	// and relation. Higher is more plausible. Only scores of the same head and relation compare.
	Score(head, relation, tail string) (float64, error)
	// Rank ranks the triples of a split of g ("train", "valid" or "test"), or an [eval.Sample] of
	// that size; 0 ranks all. It returns the triples and a rank for each. g has the ids of the
	// models; see [Align]. The precision affects the speed only; ensembles refuse bfloat16.
	Rank(
		ctx context.Context, engine kge.Engine, precision kge.Precision, g *datasets.Graph,
		split string, sample int,
	) ([]datasets.Triple, []eval.Ranked, error)
	// Save writes the folder that [Load] reads; see [kge.Model.Save]. A predictor without
	// probabilities removes those of the folder.
	Save(dir string) error

	// scores returns the score, by id, of an answer to a question. kept may be nil. The function is
	// not safe for concurrent use.
	scores(q question, kept *kge.CoreMatrices) func(id int32) float64
	// weights returns the weights of Models() for the queries of a relation, with sum 1; nil for
	// equal ones.
	weights(relation int32) []float64
	// calibration returns the map from scores to probabilities, nil for none.
	calibration() *Calibration
	// loaded returns the fingerprint of the model.json that it was loaded from, "" for none.
	loaded() string
}

// Single is a [Predictor] with one model.
type Single struct {
	*kge.Model
	Calibration *Calibration // nil without probabilities

	fingerprint string // of the loaded model.json, or ""
}

// Models returns the model.
func (s Single) Models() []*kge.Model { return []*kge.Model{s.Model} }

// Predict implements [Predictor].
func (s Single) Predict(g *datasets.Graph, q Query, o PredictOptions) ([]eval.Answer, error) {
	return predict(s, g, q, o)
}

// Score implements [Predictor].
func (s Single) Score(head, relation, tail string) (float64, error) {
	return score(s, head, relation, tail)
}

// Rank implements [Predictor] with [RankSplit].
func (s Single) Rank(
	ctx context.Context, engine kge.Engine, precision kge.Precision, g *datasets.Graph,
	split string, sample int,
) ([]datasets.Triple, []eval.Ranked, error) {
	triples, ranks, err := RankSplit(ctx, engine, precision, s.Models(), g, split, sample)
	if err != nil {
		return nil, nil, err
	}
	return triples, ranks[0], nil
}

// Save implements [Predictor].
func (s Single) Save(dir string) error {
	if err := s.Model.Save(dir); err != nil {
		return err
	}
	return s.Calibration.saveAnew(dir)
}

func (s Single) calibration() *Calibration { return s.Calibration }

func (s Single) loaded() string { return s.fingerprint }

func (s Single) weights(int32) []float64 { return nil }

func (s Single) scores(q question, kept *kge.CoreMatrices) func(id int32) float64 {
	return q.scores(s.Model, kept)
}

// PredictorOf returns the model or the ensemble of an artifact; nil for none.
func PredictorOf(a task.Artifact) (Predictor, error) {
	switch a := a.(type) {
	case nil:
		return nil, nil
	case Predictor:
		return a, nil
	case *kge.Model:
		return Single{Model: a}, nil
	}
	files, err := a.Files()
	if err != nil {
		return nil, err
	}
	var about struct{ Task string } // only other tasks name theirs
	_ = json.Unmarshal(files[modelfolder.Description], &about)
	if about.Task == "classify" {
		return nil, errors.New("the model classifies nodes, so it predicts no triples: use package classify")
	}
	return load("", modelfolder.FromFiles(files))
}

// Load reads a model or an ensemble from its folder; see [kge.Load].
func Load(dir string) (Predictor, error) { return loadWith(dir, inputfile.Read) }

// LoadMapped works like [Load], but maps large files into memory. It never frees them, and their
// folder must not change while the process runs, unless by Save.
func LoadMapped(dir string) (Predictor, error) { return loadWith(dir, mapped.ReadFile) }

func loadWith(dir string, read func(path string) ([]byte, error)) (Predictor, error) {
	return load(dir, func(name string) ([]byte, error) {
		return read(filepath.Join(dir, filepath.FromSlash(name)))
	})
}

// LoadFS reads a model or an ensemble from the root of a file system.
func LoadFS(fsys fs.FS) (Predictor, error) {
	return load("", func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) })
}

// load reads a model or an ensemble. Errors name the folder, if it is not empty.
func load(dir string, files modelfolder.Reader) (Predictor, error) {
	read := "" // before the model, so that a change in between does not pass unseen
	description, err := files(modelfolder.Description)
	switch {
	case err == nil:
		read = fingerprint(description)
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s is a file: a model is a folder", dir)
	} // otherwise reading the model gives the error
	calibration, err := loadCalibration(dir, files, read)
	if err != nil {
		return nil, err
	}
	if isEnsemble(files) {
		e, err := loadEnsemble(dir, files)
		if err != nil {
			return nil, err
		}
		e.Calibration, e.fingerprint = calibration, read
		return e, nil
	}
	m, err := kge.LoadFrom(dir, files)
	if err != nil {
		return nil, err
	}
	return Single{m, calibration, read}, nil
}
