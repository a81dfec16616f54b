package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/server"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/webserver"
)

type serveCommand struct {
	Model     []string `required:"" sep:"none" placeholder:"[NAME=]DIR" brief:"Folder of a model or search; repeat for several." help:"Folder of a model, of an ensemble, of a classifier or of a search. If repeated, requests choose a model by its name, which is that of the folder unless NAME is given."`
	Dataset   string   `placeholder:"NAME|DIR" brief:"Data with the known facts." help:"Data with the known facts. The default is the training data of each model."`
	Addr      string   `default:"127.0.0.1:8090" placeholder:"HOST:PORT" brief:"Address to serve on." help:"Address to serve on; port 0 takes any free port. Another address than 127.0.0.1 needs --token-file."`
	TokenFile string   `placeholder:"FILE" brief:"File with the token that requests must have." help:"File with the token that requests must have in the header Authorization: Bearer TOKEN."`

	Host []string `placeholder:"NAME" brief:"Further host name, such as that of a proxy." help:"Host name that requests may have, such as that of a proxy in front. IP addresses and the name of this machine are always allowed. Repeat for several."`

	server.Limits `group:"Limits"`
	threadsFlag
}

// serveSummary is the JSON of serve.
type serveSummary struct {
	URL    string   `json:"url"`
	Models []string `json:"models"`
}

// Run answers requests until the program is interrupted.
func (c *serveCommand) Run(ctx context.Context, o *output) error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return cli.Usage(fmt.Errorf("--addr %s: %w; use HOST:PORT, such as 127.0.0.1:8090", c.Addr, err))
	}
	for _, name := range c.Host {
		if strings.ContainsAny(name, "/: ") {
			return cli.Usage(fmt.Errorf("--host %s: give the name alone, without http:// and port", name))
		}
	}
	options := server.Options{Limits: c.Limits, Hosts: append([]string{host}, c.Host...), Log: o.Stderr}
	if options.Token, err = c.token(); err != nil {
		return err
	}
	listener, err := server.Listen(ctx, c.Addr, options)
	switch {
	case errors.Is(err, server.ErrNeedsToken):
		return cli.Usage(fmt.Errorf("%w (--token-file FILE, --addr 127.0.0.1:8090)", err))
	case err != nil:
		return fmt.Errorf("%w; use another --addr, such as 127.0.0.1:0", err)
	}
	defer listener.Close()
	var sources []server.Source
	summary := serveSummary{URL: webserver.URL(listener.Addr().(*net.TCPAddr).AddrPort())}
	for _, given := range c.Model {
		name, dir := nameOfModel(given)
		if name == "" {
			return cli.Usage(fmt.Errorf("--model %s has no name before =: use NAME=DIR or DIR", given))
		}
		if slices.Contains(summary.Models, name) {
			return cli.Usage(fmt.Errorf("two models have the name %s: give one another, as in --model NAME=%s",
				name, dir))
		}
		summary.Models = append(summary.Models, name)
		known := eval.MarkKnown
		sources = append(sources, server.Source{
			Name: name,
			Open: func(ctx context.Context) (*server.Model, error) {
				return c.open(ctx, c.outputOf(o, name), dir, &known)
			},
		})
	}
	s, err := server.New(ctx, sources, options)
	if err != nil {
		return err
	}
	defer s.Close()
	defer reloadOnHangup(ctx, s, o)()
	err = o.Result(summary, func(w io.Writer) {
		fmt.Fprintf(w, "%s serves %s\nEnd with ctrl-c.\n", summary.URL,
			format.List(summary.Models, "and"))
	})
	if err != nil {
		return err
	}
	return s.Serve(ctx, listener)
}

// outputOf returns an output whose messages name the model, if there are several.
func (c *serveCommand) outputOf(o *output, name string) *output {
	if len(c.Model) < 2 {
		return o
	}
	return &output{Stdout: o.Stdout, Stderr: namedWriter{o.Stderr, name}}
}

// namedWriter adds a name to messages, of which each is one Write.
type namedWriter struct {
	io.Writer
	name string
}

func (w namedWriter) Write(p []byte) (int, error) {
	const program = "autoblm: "
	text := program + w.name + ": " + strings.TrimPrefix(string(p), program)
	if _, err := io.WriteString(w.Writer, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// nameOfModel splits NAME=DIR. Without a name, it is the last part of the folder.
func nameOfModel(given string) (name, dir string) {
	if name, dir, found := strings.Cut(given, "="); found && !isFolder(given) {
		return name, dir
	}
	if absolute, err := filepath.Abs(given); err == nil {
		return filepath.Base(absolute), given
	}
	return filepath.Base(given), given
}

// token reads the token, "" without a file.
func (c *serveCommand) token() (string, error) {
	if c.TokenFile == "" {
		return "", nil
	}
	content, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(content))
	const shortest = 16
	if len(token) < shortest || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("read the token: %s needs one word of at least %d characters; "+
			"openssl rand -hex 32 prints one", c.TokenFile, shortest)
	}
	return token, nil
}

// reloadOnHangup loads the models again when the process gets SIGHUP, until stop is called.
func reloadOnHangup(ctx context.Context, s *server.Server, o *output) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := s.Reload(ctx); err != nil {
				o.Message("autoblm: %v", format.OneLine(withHint(err)))
			} else {
				o.Message("autoblm: loaded the models again")
			}
		}
	}()
	return func() { signal.Stop(hangups); close(hangups) }
}

// open opens the model in a folder with its data. If it finds them, it sets known to [eval.DropKnown],
// with which they are needed: a reload that cannot read them again fails.
func (c *serveCommand) open(
	ctx context.Context, o *output, path string, known *eval.KnownAnswers,
) (*server.Model, error) {
	dir, err := modelIn(path)
	if err != nil {
		return nil, err
	}
	if classify.IsModel(dir) {
		return c.openClassifier(ctx, o, dir)
	}
	p, err := completion.Load(dir)
	if err != nil {
		return nil, err
	}
	first := p.Models()[0]
	hops := query.PathsOf(first).TrainingHops()
	answersPaths := len(hops) > 0 && hops[len(hops)-1] > 1
	flags := predictFlags{Dataset: c.Dataset, Known: *known}
	g, err := flags.served(ctx, o, first, answersPaths)
	if err != nil {
		return nil, err
	}
	shareLabels(p.Models(), g)
	engine := c.engine()
	var data *query.Data
	var scorer kge.Ranker // of all entities, for paths
	if answersPaths {
		data, err = (&queryPredictCommand{predictFlags: flags}).data(ctx, first, o)
		if err != nil {
			return nil, err
		}
		scorer, err = engine.NewRanker([]kge.Parameters{first.Parameters}, kge.Float32)
		if err != nil {
			return nil, err
		}
	}
	answerer, err := completion.NewAnswerer(p, g, engine)
	if err != nil {
		if scorer != nil {
			scorer.Close()
		}
		return nil, err
	}
	warnCalibration(o, answerer, completion.PredictOptions{Shares: true})
	if g != nil || data != nil {
		*known = eval.DropKnown
	}
	m := server.NewModel(answerer)
	if answersPaths {
		m.Close = scorer.Close
		m.Paths = func(
			ctx context.Context, p query.Path, o completion.PredictOptions,
		) ([]eval.Answer, error) {
			if data == nil && o.Known == eval.DropKnown {
				return nil, errors.New("the model is served without its data: serve it with them")
			}
			return query.PredictWith(ctx, scorer, first, p, data, o)
		}
	}
	return m, nil
}

// served opens the data with the known facts, nil if they are not found and not needed. The data of
// paths may have no graph.
func (f predictFlags) served(
	ctx context.Context, o *output, m *kge.Model, quiet bool,
) (*datasets.Graph, error) {
	if quiet {
		o = &output{Stdout: o.Stdout, Stderr: io.Discard}
	}
	c := predictCommand{predictFlags: f}
	g, err := c.graph(ctx, m, o, "train --from adds them to a model", datasets.Open)
	if quiet {
		return g, nil
	}
	return g, err
}

// openClassifier opens a classifier with its graph.
func (c *serveCommand) openClassifier(
	ctx context.Context, o *output, dir string,
) (*server.Model, error) {
	flags := classifierFlags{Model: []string{dir}, Dataset: c.Dataset}
	ensemble, g, err := flags.load(ctx, o)
	if err != nil {
		return nil, err
	}
	engine, err := classifyBackend{Backend: "auto"}.open()
	if err != nil {
		return nil, err
	}
	var turn sync.Mutex
	return &server.Model{
		Entities: g.Nodes, Relations: g.Relations, Close: engine.Close,
		Classes: func(ctx context.Context, node string, top int) (classify.Prediction, error) {
			turn.Lock()
			defer turn.Unlock()
			return ensemble.Predict(ctx, engine, g, node, top)
		},
	}, nil
}
