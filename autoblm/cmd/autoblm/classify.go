package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// classifyBackend chooses the engine.
type classifyBackend struct {
	Backend string `group:"Compute" default:"auto" brief:"GoMLX backend, as for train." help:"GoMLX backend, as for train."`
}

func (f classifyBackend) open() (classify.Engine, error) {
	compute := autoblm.Compute{Backend: f.Backend}
	if err := compute.Check(); err != nil {
		return nil, cli.Usage(err)
	}
	return compute.OpenClassify()
}

// classifierFlags name trained models and their graph.
type classifierFlags struct {
	Model   []string `required:"" sep:"none" placeholder:"DIR" brief:"Folder of a model or search; repeat for an ensemble." help:"Folder of a model or of a search. If repeated, the models classify together by the mean of their probabilities."`
	Dataset string   `placeholder:"DIR" brief:"Where the graph is now, if it moved." help:"Where the graph of the model is now, if it moved."`
}

// load reads the models and opens the graph of the first.
func (f classifierFlags) load(
	ctx context.Context, o *output,
) (classify.Ensemble, *rdf.Graph, error) {
	var ensemble classify.Ensemble
	for _, folder := range f.Model {
		m, err := loadClassifier(folder)
		if err != nil {
			return nil, nil, err
		}
		ensemble = append(ensemble, m)
	}
	g, err := read(ctx, o, ensemble[0].Graph, f.Dataset)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (name the graph of the model with --dataset)", err)
	}
	warn(o, g.Warnings())
	return ensemble, g, nil
}

// withDatasetHint adds a hint if the graph is not that of the model.
func withDatasetHint(err error) error {
	if errors.Is(err, classify.ErrOtherGraph) {
		return fmt.Errorf("%w: name the original graph with --dataset", err)
	}
	return err
}

// encoderName returns the name of the encoder, or the title of its structure.
func encoderName(e classify.Encoder, s *structure.Structure) string {
	if s != nil {
		return s.Title()
	}
	return e.String()
}
