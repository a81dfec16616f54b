package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/autoblm/autoblm-go/internal/webserver"
)

// Server answers questions about models.
type Server struct {
	options Options
	slots   []*slot
	metrics *metrics
	// writeTime is the time in which a client must read an answer.
	writeTime time.Duration
}

// New loads the models of all sources. The first is the default one of requests.
func New(ctx context.Context, sources []Source, o Options) (*Server, error) {
	if len(sources) == 0 {
		return nil, errors.New("there is no model to serve: name one")
	}
	if l := o.Limits; min(l.MaxBody, l.MaxBatch, l.MaxTop, l.MaxRequests) < 1 || l.Timeout <= 0 {
		return nil, fmt.Errorf("the limits of the server are %+v: each must be above 0, as in DefaultOptions", l)
	}
	s := &Server{options: o, metrics: newMetrics(), writeTime: writeTime}
	for _, source := range sources {
		if source.Name == "" {
			s.Close()
			return nil, errors.New("a model has no name: requests choose models by name")
		}
		if s.slot(source.Name) != nil {
			s.Close()
			return nil, fmt.Errorf("two models have the name %q: rename one", source.Name)
		}
		opened := &slot{Source: source}
		if err := opened.load(ctx); err != nil {
			s.Close()
			return nil, err
		}
		s.slots = append(s.slots, opened)
	}
	return s, nil
}

// slot returns the place of a model, or nil.
func (s *Server) slot(name string) *slot {
	for _, slot := range s.slots {
		if slot.Name == name {
			return slot
		}
	}
	return nil
}

// Reload opens all models again. A model that fails keeps its previous version; the error names it.
func (s *Server) Reload(ctx context.Context) error {
	var all []error
	for _, slot := range s.slots {
		err := slot.load(ctx)
		s.metrics.countReload(err)
		if err != nil {
			all = append(all, fmt.Errorf("%w; the previous version still answers", err))
		}
	}
	return errors.Join(all...)
}

// Close frees the models after their last requests. Later requests get the status 503.
func (s *Server) Close() {
	for _, slot := range s.slots {
		slot.close()
	}
}

// Handler returns the API, the page and the metrics. It answers only requests that name localhost,
// an IP address, this machine or one of the Hosts.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.addAPI(mux)
	mux.HandleFunc("GET /metrics", s.writeMetrics)
	all := http.NewServeMux()
	all.Handle("/", s.authorize(s.limit(withProblems(mux))))
	// The page has no data. It asks for the token.
	all.HandleFunc("GET /{$}", s.page)
	all.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		webserver.Refuse(w, http.StatusForbidden, "a page of another site may not ask")
	}))
	return webserver.Guard(protection.Handler(all), s.options.Hosts,
		webserver.PrintedAddress+", or add the name to the hosts of the server")
}

// Listen opens an address, such as 127.0.0.1:8090. One that other machines reach needs a token.
func Listen(ctx context.Context, address string, o Options) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		if system, is := errors.AsType[*net.OpError](err); is {
			err = system.Err // without the address
		}
		return nil, fmt.Errorf("serve on %s: %w", address, err)
	}
	if err := o.checkAddress(listener.Addr()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// readTime is the time for reading a request, in addition to that for its answer.
const readTime = 10 * time.Second

// Serve answers requests until the context ends. Requests that have begun are finished.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := webserver.Server(s.Handler(), s.options.logger())
	// It ends requests without a body too, so it must be longer than theirs.
	server.ReadTimeout = max(time.Minute, s.options.Timeout+readTime)
	return webserver.Serve(ctx, listener, server, s.options.Timeout)
}
