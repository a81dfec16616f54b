package autoblm

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/server"
	"github.com/autoblm/autoblm-go/datasets"
)

// ServeOptions are the limits, the token and the log of [Serve].
type ServeOptions = server.Options

// DefaultServe returns options for the users of this machine, without a token.
func DefaultServe() ServeOptions { return server.DefaultOptions() }

// Served is a predictor that [Serve] asks by its name.
type Served struct {
	Name      string
	Predictor Predictor
	// Graph has the known facts and the kinds of entities; nil serves without them.
	Graph *datasets.Graph
}

// Serve answers questions about predictors over HTTP, with a JSON API and a page, until ctx ends.
// Then it finishes the requests that have begun. The first predictor is the default one. An address
// that other machines reach, unlike 127.0.0.1:8090, needs a token in the options.
func Serve(ctx context.Context, addr string, models []Served, o ServeOptions) error {
	listener, err := server.Listen(ctx, addr, o)
	if err != nil {
		return err
	}
	defer listener.Close()
	s, err := NewServer(ctx, models, o)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Serve(ctx, listener)
}

// NewServer returns a server like that of [Serve], whose Handler belongs into a server of your own.
// Its Close frees the memory of the models' answerers after their last requests.
func NewServer(ctx context.Context, models []Served, o ServeOptions) (*server.Server, error) {
	var sources []server.Source
	for _, m := range models {
		if m.Predictor == nil {
			return nil, fmt.Errorf("served model %q has no predictor: set Predictor", m.Name)
		}
		open := func(context.Context) (*server.Model, error) {
			answerer, err := m.Predictor.Answerer(m.Graph)
			if err != nil {
				return nil, err
			}
			return server.NewModel(answerer), nil
		}
		sources = append(sources, server.Source{Name: m.Name, Open: open})
	}
	return server.New(ctx, sources, o)
}
