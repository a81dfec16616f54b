package autoblm

import (
	"context"
	"net/http"

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
	s, err := newServer(ctx, models, o)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Serve(ctx, listener)
}

// ServeHandler returns what [Serve] answers with, for a server of your own.
func ServeHandler(models []Served, o ServeOptions) (http.Handler, error) {
	s, err := newServer(context.Background(), models, o)
	if err != nil {
		return nil, err
	}
	return s.Handler(), nil
}

func newServer(ctx context.Context, models []Served, o ServeOptions) (*server.Server, error) {
	var sources []server.Source
	for _, m := range models {
		open := func(context.Context) (*server.Model, error) {
			answerer, err := m.Predictor.Answerer(m.Graph)
			if err != nil {
				return nil, err
			}
			return server.NewModel(m.Predictor.Models(), answerer, m.Graph)
		}
		sources = append(sources, server.Source{Name: m.Name, Open: open})
	}
	return server.New(ctx, sources, o)
}
