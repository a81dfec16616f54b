package dashboard

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/webserver"
)

// Options describe the studies to serve.
type Options struct {
	// Folder has the studies, also in its subfolders.
	Folder string
	// Data returns what the page of a study shows, without measures.
	Data func(path string, contents *study.Contents) report.Data
	// Measure adds what needs the graph of a study, or the reason why it is missing. It begins
	// while no search runs. nil adds nothing.
	Measure func(ctx context.Context, path string, d *report.Data) error
	// Cluster returns the state of a cluster, which the list of studies shows; nil for none.
	Cluster func(context.Context) (cluster.Status, error)
	// StartWorker is the command that adds a worker to the cluster.
	StartWorker string
	// Log gets a line for each fault of the server, nil for none.
	Log io.Writer
}

// Server serves the studies below a folder.
type Server struct {
	studies  *catalog
	cluster  *clusterView // nil without a cluster
	log      io.Writer
	interval time.Duration // between two looks at the files

	startWorker string // the command
}

// New returns a server. It reads nothing before the first request.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &Server{studies: newCatalog(o), log: o.Log, startWorker: o.StartWorker, interval: time.Second}
	if o.Cluster != nil {
		s.cluster = &clusterView{status: o.Cluster}
	}
	return s
}

// Handler returns the pages. It answers only requests that name one of the hosts, this machine or
// an IP address.
func (s *Server) Handler(hosts ...string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.list)
	mux.HandleFunc("GET /events", s.listEvents)
	if s.cluster != nil {
		mux.HandleFunc("GET /cluster/events", s.clusterEvents)
	}
	mux.HandleFunc("GET /study/{id}", s.study)
	mux.HandleFunc("GET /study/{id}/events", s.studyEvents)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	return webserver.Guard(onlyReading(mux), hosts, webserver.PrintedAddress)
}

// onlyReading lets only reading requests pass.
func onlyReading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the dashboard only shows studies: use GET", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// shutdownTime limits the time for open requests at the end.
const shutdownTime = 2 * time.Second

// Serve answers requests until the context ends. hosts are as for [Server.Handler].
func (s *Server) Serve(ctx context.Context, listener net.Listener, hosts ...string) error {
	s.studies.ctx = ctx
	server := webserver.Server(s.Handler(hosts...), log.New(s.log, "autoblm: ", 0))
	// Streams of events end with their context.
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	return webserver.Serve(ctx, listener, server, shutdownTime)
}
