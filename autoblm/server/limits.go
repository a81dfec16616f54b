package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/internal/webserver"
)

// Limits keep single requests from using up the machine.
type Limits struct {
	MaxBody     int           `default:"1048576" min:"1" max:"1073741824" brief:"Largest body of a request, in bytes." help:"Largest body of a request, in bytes."`
	MaxBatch    int           `default:"1000" min:"1" max:"1000000" brief:"Most queries of a request." help:"Most queries of a request."`
	MaxTop      int           `default:"1000" min:"1" max:"1000000000" brief:"Most answers to a query." help:"Most answers to a query."`
	MaxRequests int           `default:"256" min:"1" max:"1000000" brief:"Most requests at a time; others get status 503." help:"Most requests at a time. Others get the status 503 and the time to wait."`
	Timeout     time.Duration `default:"10s" min:"1ms" brief:"Longest time of a request, such as 30s." help:"Longest time of a request, such as 30s or 2m, which then gets the status 503."`
}

// Options of a server.
type Options struct {
	Limits
	// Token, if not empty, must be in the header Authorization of all requests but the page.
	Token string
	// Hosts are further names of this machine that requests may use; see Host of HTTP.
	Hosts []string
	// Log gets a line for each fault of the server, nil for none.
	Log io.Writer
}

// DefaultOptions returns options for a server of this machine's users, without a token.
func DefaultOptions() Options {
	return Options{Limits: Limits{
		MaxBody: 1 << 20, MaxBatch: 1000, MaxTop: 1000, MaxRequests: 256, Timeout: 10 * time.Second,
	}}
}

func (o Options) logger() *log.Logger {
	if o.Log == nil {
		return log.New(io.Discard, "", 0)
	}
	return log.New(o.Log, "autoblm: ", 0)
}

// ErrNeedsToken means that a server would be open to others without a token.
var ErrNeedsToken = errors.New("other machines could ask without a token")

// checkAddress returns an error if an address is open to others and there is no token.
func (o Options) checkAddress(address net.Addr) error {
	tcp, is := address.(*net.TCPAddr)
	if o.Token == "" && (!is || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("serve on %v: %w; give a token, or use 127.0.0.1", address, ErrNeedsToken)
	}
	return nil
}

// authorize lets requests with the token pass.
func (s *Server) authorize(next http.Handler) http.Handler {
	if s.options.Token == "" {
		return next
	}
	want := sha256.Sum256([]byte(s.options.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimLeft(token, " ")))
		isRight := subtle.ConstantTimeCompare(got[:], want[:]) == 1
		if !isRight || !strings.EqualFold(scheme, "Bearer") { // RFC 9110, section 11.1
			w.Header().Set("WWW-Authenticate", "Bearer")
			webserver.Refuse(w, http.StatusUnauthorized, "the token is missing or wrong: "+
				"send it in the header Authorization: Bearer TOKEN")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withProblems answers requests without a route in the form of the API.
func withProblems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fallback, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		r.Pattern = "" // of the metrics
		text := &statusWriter{ResponseWriter: discard{w.Header()}}
		fallback.ServeHTTP(text, r) // sets the header Allow for another method
		detail := "not found: /openapi.json lists what there is"
		if text.status == http.StatusMethodNotAllowed {
			detail = r.Method + " is not possible here: use " + w.Header().Get("Allow")
		}
		webserver.Refuse(w, text.status, detail)
	})
}

// discard is a ResponseWriter that keeps the headers only.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// retrySeconds is the time after which a client may try again.
const retrySeconds = 1

// limit counts and times requests. It refuses those above the limit, and sets a deadline.
func (s *Server) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		answer := &statusWriter{ResponseWriter: w, writeTime: s.writeTime}
		defer func() {
			fault := recover()
			if fault != nil {
				s.refuseFault(answer, fault)
			}
			s.metrics.inFlight.Add(-1)
			s.metrics.observe(cmp.Or(r.Pattern, "none"), answer.status, time.Since(began))
			if fault != nil && answer.isPartial {
				panic(http.ErrAbortHandler) // the client must not take a part for the answer
			}
		}()
		if s.metrics.inFlight.Add(1) > int64(s.options.MaxRequests) {
			w.Header().Set("Retry-After", strconv.Itoa(retrySeconds))
			webserver.Refuse(answer, http.StatusServiceUnavailable, "too many requests at a time: try again")
		} else {
			ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
			defer cancel()
			r = r.WithContext(ctx)
			next.ServeHTTP(answer, r)
		}
	})
}

// refuseFault logs a panic of a handler, and sends the status 500 if no answer has begun.
func (s *Server) refuseFault(answer *statusWriter, fault any) {
	isAbort := fault == http.ErrAbortHandler
	if !isAbort && !answer.failed { // a client that left is no fault
		s.options.logger().Printf("internal error: %v\n%s", fault, debug.Stack())
	}
	answer.isPartial = isAbort || answer.status != 0
	if !answer.isPartial {
		webserver.Refuse(answer, http.StatusInternalServerError, "internal error: see the log of the server")
	}
}

// writeTime is the longest time in which a client must read an answer.
const writeTime = time.Minute

// statusWriter keeps the status of an answer, and limits the time in which the client reads it.
type statusWriter struct {
	http.ResponseWriter
	writeTime time.Duration
	status    int
	failed    bool // a write failed
	isPartial bool // the handler panicked after the answer began
}

func (w *statusWriter) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(p)
	w.failed = w.failed || err != nil
	return n, err
}

// begin sets the deadline for reading the answer. It starts with the answer, so that a long reload
// leaves as much time as a short request.
func (w *statusWriter) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	// Only writers without a connection, such as those of tests, have no deadline.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.writeTime))
}

// Unwrap lets the read deadline of a request be set.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
