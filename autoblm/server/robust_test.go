package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestNewLabels serves a model with data that have an entity and a relation that the model lacks.
func TestNewLabels(t *testing.T) {
	g, m := world()
	changed := &datasets.Graph{
		Name:      g.Name,
		Entities:  append([]string{"Atlantis"}, g.Entities...),
		Relations: append(append([]string{}, g.Relations...), "sank_in"),
	}
	for _, x := range g.Train {
		changed.Train = append(changed.Train,
			datasets.Triple{Head: x.Head + 1, Relation: x.Relation, Tail: x.Tail + 1})
	}
	sankIn := int32(len(g.Relations))
	changed.Train = append(changed.Train, datasets.Triple{Head: 0, Relation: sankIn, Tail: 1})
	answerer, err := completion.NewAnswerer(completion.Single{Model: m}, changed, cpu.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer answerer.Close()
	served := NewModel(answerer)
	if got := len(served.Graph.Train); got != len(g.Train) {
		t.Errorf("%d facts, not the %d with known labels", got, len(g.Train))
	}

	strange := &datasets.Graph{
		Entities: []string{"a"}, Relations: []string{"r"}, Train: []datasets.Triple{{}},
	}
	if _, err := completion.NewAnswerer(completion.Single{Model: m}, strange, nil); err == nil ||
		!strings.Contains(err.Error(), "a") {
		t.Errorf("data without any known label: %v", err)
	}
}

// pathSource returns a model with the name other that answers paths with a function.
func pathSource(answer func() []eval.Answer) Source {
	return Source{"other", func(context.Context) (*Model, error) {
		return &Model{Entities: []string{"a"}, Paths: func(
			context.Context, query.Path, completion.PredictOptions,
		) ([]eval.Answer, error) {
			return answer(), nil
		}}, nil
	}}
}

const pathRequest = `{"model":"other","queries":[{"anchor":"a","path":["r"]}]}`

// TestSlowReader checks that a client that does not read its answer does not keep its place.
func TestSlowReader(t *testing.T) {
	o := DefaultOptions()
	var faults bytes.Buffer
	o.MaxRequests, o.Log = 1, &faults
	large := []eval.Answer{{Entity: strings.Repeat("x", 64<<20)}} // more than a socket buffers
	begun := make(chan struct{})
	s, err := New(t.Context(), []Source{pathSource(func() []eval.Answer {
		close(begun)
		return large
	})}, o)
	if err != nil {
		t.Fatal(err)
	}
	s.writeTime = 100 * time.Millisecond
	h := httptest.NewServer(s.Handler())
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer s.Close()
	defer h.Close()
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := http.NewRequest(http.MethodPost, h.URL+"/v1/paths", strings.NewReader(pathRequest))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(c); err != nil {
		t.Fatal(err)
	}
	<-begun
	waitFor(t, "the end of the request", func() bool { return s.metrics.inFlight.Load() == 0 })
	s.writeTime = writeTime // for a client that reads
	if status, text := ask(t, h.URL+"/v1/models", ""); status != 200 {
		t.Errorf("status %d, %s", status, text)
	}
	if faults.Len() > 0 {
		t.Errorf("a slow client is logged as a fault: %s", faults.String())
	}
}

// waitFor waits until a condition holds, or fails the test.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestPanic checks that a panic in a handler gets the status 500 and leaves its place.
func TestPanic(t *testing.T) {
	var faults bytes.Buffer
	s, h := start(t, func(o *Options) { o.MaxRequests, o.Log = 1, &faults },
		pathSource(func() []eval.Answer { panic("a fault of the test") }))
	for range 3 {
		status, text := ask(t, h.URL+"/v1/paths", pathRequest)
		if status != 500 || !strings.Contains(text, "internal error") ||
			strings.Contains(text, "of the test") {
			t.Errorf("status %d, %s", status, text)
		}
	}
	if status, text := ask(t, h.URL+"/metrics", ""); status != 200 || !strings.Contains(text,
		`autoblm_requests_total{route="POST /v1/paths",status="500"} 3`) {
		t.Errorf("status %d, %s", status, text)
	}
	if !strings.Contains(faults.String(), "a fault of the test") {
		t.Errorf("the log is %q", faults.String())
	}

	// A part of an answer ends without an end.
	handler := s.limit(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "a part")
		panic("a late fault")
	}))
	defer func() {
		if fault := recover(); fault != http.ErrAbortHandler || s.metrics.inFlight.Load() != 0 {
			t.Errorf("%v, %d requests in flight", fault, s.metrics.inFlight.Load())
		}
	}()
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
}

// TestClosed checks that a closed server refuses requests, also with a model that is opened
// meanwhile.
func TestClosed(t *testing.T) {
	opened, finish := make(chan struct{}, 1), make(chan struct{}, 1)
	finish <- struct{}{} // of the first
	s, err := New(t.Context(), []Source{{"world", func(ctx context.Context) (*Model, error) {
		opened <- struct{}{}
		<-finish
		return openWorld(ctx)
	}}}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	<-opened
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	ended := make(chan error)
	go func() { ended <- s.Reload(context.Background()) }()
	<-opened
	s.Close()
	finish <- struct{}{}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.Close() // has no effect

	for path, body := range map[string]string{
		"models": "", "relations": "", "facts?entity=Spain": "",
		"predict": `{"model":"world","queries":[{"head":"Portugal","relation":"borders"}]}`,
	} {
		if status, text := ask(t, h.URL+"/v1/"+path, body); status != 503 {
			t.Errorf("%s: status %d, %s", path, status, text)
		}
	}
	if status, _ := ask(t, h.URL+"/v1/reload", "{}"); status != 500 {
		t.Errorf("a reload has the status %d", status)
	}
	if status, text := ask(t, h.URL+"/metrics", ""); status != 200 {
		t.Errorf("metrics: status %d, %s", status, text)
	}
}

// lockChecker is a client that checks that nobody holds the lock of the metrics.
type lockChecker struct {
	*httptest.ResponseRecorder
	t *testing.T
	m *metrics
}

func (c lockChecker) Write(p []byte) (int, error) {
	if c.m.mu.TryLock() {
		c.m.mu.Unlock()
	} else {
		c.t.Error("the metrics are locked while the client reads")
	}
	return c.ResponseRecorder.Write(p)
}

func TestMetricsLock(t *testing.T) {
	s := &Server{metrics: newMetrics()}
	s.writeMetrics(lockChecker{httptest.NewRecorder(), t, s.metrics}, nil)
}

// TestShortErrors checks that errors do not repeat a large request.
func TestShortErrors(t *testing.T) {
	_, h := start(t, nil)
	long := strings.Repeat("é", 100_000)
	for name, c := range map[string]struct {
		body, want string
		status     int
	}{
		"syntax":   {`{"queries":"` + long, "unexpected end", 400},
		"type":     {`{"queries":"` + long + `"}`, "expected array", 422},
		"property": {`{"queries":[{"` + long + `":1}]}`, "unexpected property", 422},
		"parts":    {`{"queries":[{"x":["` + long + `"]}]}`, "unexpected property", 422},
		"model":    {`{"model":"` + long + `","queries":[{"head":"a"}]}`, "no model", 404},
		"many": {
			`{"queries":[` + strings.Repeat(`{"x":1},`, 999) + `{"x":1}]}`, "more errors", 422,
		},
	} {
		status, text := ask(t, h.URL+"/v1/predict", c.body)
		if status != c.status || len(text) > 20_000 || !strings.Contains(text, c.want) {
			t.Errorf("%s: status %d, %d bytes: %.300s", name, status, len(text), text)
		}
	}
}

// lines is a log that passes its lines on.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestUntil checks that reading from a model ends with the request, that it counts until it has
// ended, and that a panic is kept.
func TestUntil(t *testing.T) {
	log := make(lines)
	s := &Server{metrics: newMetrics(), options: Options{Log: log}}
	if got, err := until(t.Context(), s, func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	wait := make(chan struct{})
	cancel()
	_, err := until(ctx, s, func() (int, error) {
		<-wait
		panic("a late fault")
	})
	if n := s.metrics.inFlight.Load(); !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("error %v, %d requests", err, n)
	}
	close(wait)
	line := <-log
	if n := s.metrics.inFlight.Load(); !strings.Contains(line, "a late fault") || n != 0 {
		t.Errorf("the log has %q with %d requests", line, n)
	}
	defer func() {
		if fault := fmt.Sprint(recover()); !strings.Contains(fault, "a fault") || !strings.Contains(fault, "robust_test.go") {
			t.Errorf("panic %s", fault)
		}
	}()
	_, _ = until(t.Context(), s, func() (int, error) { panic("a fault") })
}
