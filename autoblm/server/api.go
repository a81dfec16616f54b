package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// apiVersion is the version of the API, which is also in its paths.
const apiVersion = "1"

// addAPI adds the routes of the API, and its description at /openapi.json.
func (s *Server) addAPI(mux *http.ServeMux) huma.API {
	config := huma.DefaultConfig("AutoBLM", apiVersion)
	config.Info.Description = "Answers questions about trained models of knowledge graphs."
	// Pages of other sites and links to schemas are left out.
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil
	config.Transformers = append(config.Transformers, clipError)
	config.RejectUnknownQueryParameters = true
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.Schemas.RegisterTypeAlias(
		reflect.TypeFor[eval.Known](), reflect.TypeFor[*bool]())
	if s.options.Token != "" {
		config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
			"token": {Type: "http", Scheme: "bearer"},
		}
		config.Security = []map[string][]string{{"token": {}}}
	}
	api := humago.New(mux, config)
	add(s, api, http.MethodGet, "models", "List the models", s.models)
	get(s, api, "relations", "List the relations of a model", (*loaded).relations)
	get(s, api, "entities", "Search the entities of a model by a part of their labels",
		(*loaded).entities)
	get(s, api, "facts", "List the known facts of an entity", (*loaded).facts)
	get(s, api, "neighbors", "List the entities with the most similar embeddings",
		(*loaded).neighbors)
	get(s, api, "map", "Place entities on the plane in which embeddings vary most",
		(*loaded).entityMap)
	post(s, api, "predict", "Answer queries: triples with one missing part", (*loaded).predict)
	post(s, api, "score", "Score and rank triples", (*loaded).score)
	post(s, api, "explain", "List the training triples that speak most for triples",
		(*loaded).explain)
	post(s, api, "paths", "Answer queries of several hops", (*loaded).paths)
	post(s, api, "classes", "Classify nodes", (*loaded).classes)
	add(s, api, http.MethodPost, "reload", "Load all models again", s.reload)
	return api
}

// Limits of an error, which repeats parts of the request.
const (
	maxErrorDetails = 10
	maxErrorText    = 1000 // bytes
)

// clipError shortens an error: it would otherwise repeat the whole body of the request, once for each
// fault in it.
func clipError(_ huma.Context, _ string, answer any) (any, error) {
	err, is := answer.(error)
	if !is {
		return answer, nil
	}
	model, is := errors.AsType[*huma.ErrorModel](err)
	if !is {
		return answer, nil
	}
	model.Detail = clip(model.Detail)
	if more := len(model.Errors) - maxErrorDetails; more > 0 {
		model.Errors = append(model.Errors[:maxErrorDetails:maxErrorDetails],
			&huma.ErrorDetail{Message: fmt.Sprintf("%d more errors", more)})
	}
	for _, e := range model.Errors {
		if e == nil {
			continue
		}
		e.Message, e.Location = clip(e.Message), clip(e.Location)
		if text, is := e.Value.(string); is {
			e.Value = clip(text)
		} else if text, err := json.Marshal(e.Value); err != nil || len(text) > maxErrorText {
			e.Value = clip(string(text))
		}
	}
	return answer, nil
}

// clip cuts a text after the largest size of an error's parts.
func clip(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + "…"
}

// schemaName returns the name of a type in the description. Classes have answers of their own.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if strings.HasSuffix(t.PkgPath(), "/classify") {
		return "Class" + name
	}
	return name
}

// message is a request or an answer with a body.
type message[Body any] struct{ Body Body }

// ModelChoice is the part of a request that chooses a model. Embedded types are exported, so that
// the description has their fields.
type ModelChoice struct {
	Model string `json:"model,omitempty" query:"model" doc:"Name of the model; the first if it is missing."`
}

func (c ModelChoice) chosen() string { return c.Model }

// ModelName is the part of an answer that names the model.
type ModelName struct {
	Model string `json:"model" doc:"Name of the model."`
}

// get adds a route that reads from a model. The description of a request is in its address.
func get[In interface{ chosen() string }, Out any](
	s *Server, api huma.API, name, summary string, f func(*loaded, In) (Out, error),
) {
	add(s, api, http.MethodGet, name, summary, func(ctx context.Context, in *In) (out Out, err error) {
		l, err := s.use((*in).chosen())
		if err != nil {
			return out, err
		}
		return until(ctx, s, func() (Out, error) {
			defer l.release()
			return f(l, *in)
		})
	})
}

// until returns what f returns, or the error of ctx if that ends before. f then still counts as a
// request.
func until[Out any](ctx context.Context, s *Server, f func() (Out, error)) (out Out, err error) {
	var value Out
	var failed error
	fault := ""
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if panicked := recover(); panicked != nil {
				fault = fmt.Sprintf("%v\n%s", panicked, debug.Stack())
			}
		}()
		value, failed = f()
	}()
	select {
	case <-ended:
		if fault != "" {
			panic(fault)
		}
		return value, failed
	case <-ctx.Done():
		s.metrics.inFlight.Add(1)
		go func() {
			<-ended
			s.metrics.inFlight.Add(-1)
			if fault != "" {
				s.options.logger().Print("internal error: " + fault)
			}
		}()
		return out, ctx.Err()
	}
}

// batch is the body of a request with several queries to a model.
type batch interface {
	chosen() string
	// size returns the number of queries, and that of answers to each with its default; nil if no
	// answers are listed.
	size() (queries int, top *int, usual int)
}

// results are the answers to a batch in its order.
type results[Result any] struct {
	ModelName
	Results []Result `json:"results" nullable:"false" doc:"A result for each query, in their order."`
}

// post adds a route that answers the queries of a batch.
func post[Body any, Request interface {
	*Body
	batch
}, Result any](
	s *Server, api huma.API, name, summary string,
	f func(*loaded, context.Context, Body) ([]Result, error),
) {
	answer := func(ctx context.Context, in *message[Body]) (out results[Result], err error) {
		request := Request(&in.Body)
		queries, top, usual := request.size()
		if err := s.checkBatch(queries, top, usual); err != nil {
			return out, err
		}
		l, err := s.use(request.chosen())
		if err != nil {
			return out, err
		}
		defer l.release()
		s.metrics.countQueries(l.name, queries)
		out.Model = l.name
		out.Results, err = f(l, ctx, in.Body)
		return out, err
	}
	add(s, api, http.MethodPost, name, summary, answer)
}

// add adds a route.
func add[In, Out any](
	s *Server, api huma.API, method, name, summary string,
	f func(context.Context, *In) (Out, error),
) {
	faults := []int{http.StatusForbidden, http.StatusNotFound, http.StatusServiceUnavailable}
	if method == http.MethodPost {
		faults = append(faults, http.StatusBadRequest, http.StatusRequestTimeout,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if s.options.Token != "" {
		faults = append(faults, http.StatusUnauthorized)
	}
	operation := huma.Operation{
		OperationID: name, Method: method, Path: "/v1/" + name, Summary: summary,
		MaxBodyBytes: int64(s.options.MaxBody), BodyReadTimeout: s.options.Timeout,
		Errors: faults,
	}
	huma.Register(api, operation, func(ctx context.Context, in *In) (*message[Out], error) {
		body, err := f(ctx, in)
		if err != nil {
			return nil, s.statusOf(err)
		}
		return &message[Out]{body}, nil
	})
}

// statusOf returns an error with its status.
func (s *Server) statusOf(err error) error {
	if _, has := errors.AsType[huma.StatusError](err); has {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		wait := http.Header{"Retry-After": {strconv.Itoa(retrySeconds)}}
		return huma.ErrorWithHeaders(huma.Error503ServiceUnavailable(fmt.Sprintf(
			"no answer within %v: ask for less, or try again", s.options.Timeout)), wait)
	}
	s.options.logger().Print(err)
	return huma.Error500InternalServerError(err.Error())
}

// use returns a model by name, or the first for "". The caller releases it.
func (s *Server) use(name string) (*loaded, error) {
	if name == "" {
		return s.slots[0].acquire()
	}
	if slot := s.slot(name); slot != nil {
		return slot.acquire()
	}
	var names []string
	for _, slot := range s.slots {
		names = append(names, slot.Name)
	}
	return nil, huma.Error404NotFound(
		fmt.Sprintf("no model %q: there is %s", name, strings.Join(names, ", ")))
}

// lacking returns an error: the model cannot do what is asked.
func (l *loaded) lacking(format string, arguments ...any) error {
	return huma.Error404NotFound("the model " + l.name + " " + fmt.Sprintf(format, arguments...))
}

// checkBatch returns an error if a batch or its answers are too large. A missing number of answers
// becomes usual, or the limit if that is lower.
func (s *Server) checkBatch(queries int, top *int, usual int) error {
	if queries > s.options.MaxBatch {
		return huma.Error422UnprocessableEntity(fmt.Sprintf(
			"%d queries: at most %d are possible in one request", queries, s.options.MaxBatch))
	}
	if top == nil {
		return nil
	}
	if *top == 0 {
		*top = min(usual, s.options.MaxTop)
	}
	if *top > s.options.MaxTop {
		return huma.Error422UnprocessableEntity(fmt.Sprintf(
			"top is %d: at most %d answers are possible", *top, s.options.MaxTop))
	}
	return nil
}
