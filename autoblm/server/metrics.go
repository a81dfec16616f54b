package server

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of the histogram of times, in seconds.
var bounds = []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}

// metrics counts what the server does.
type metrics struct {
	inFlight atomic.Int64
	mu       sync.Mutex
	requests map[requestKind]int
	seconds  map[string]*histogram // by route
	queries  map[string]int        // by model
	reloads  map[string]int        // by result
}

type requestKind struct {
	route  string
	status int
}

// histogram has the number of times up to each bound.
type histogram struct {
	counts []int
	count  int
	sum    float64
}

func newMetrics() *metrics {
	return &metrics{
		requests: map[requestKind]int{}, seconds: map[string]*histogram{},
		queries: map[string]int{}, reloads: map[string]int{"failure": 0, "success": 0},
	}
}

// observe counts a request.
func (m *metrics) observe(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[requestKind{route, status}]++
	h := m.seconds[route]
	if h == nil {
		h = &histogram{counts: make([]int, len(bounds))}
		m.seconds[route] = h
	}
	h.count++
	h.sum += took.Seconds()
	for i, bound := range bounds {
		if took.Seconds() <= bound {
			h.counts[i]++
		}
	}
}

// countQueries counts queries to a model.
func (m *metrics) countQueries(model string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queries[model] += n
}

// countReload counts a reload by its result.
func (m *metrics) countReload(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.reloads["failure"]++
	} else {
		m.reloads["success"]++
	}
}

// writeMetrics sends all metrics in the text format of Prometheus. It does so without the lock, which
// every other request needs: the client may read slowly.
func (s *Server) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	s.formatMetrics(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // the client may have left
}

// formatMetrics writes all metrics.
func (s *Server) formatMetrics(w *bytes.Buffer) {
	m := s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	about(w, "autoblm_requests_total", "counter", "Requests by route and status.")
	byRoute := func(a, b requestKind) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.status, b.status))
	}
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), byRoute) {
		fmt.Fprintf(w, "autoblm_requests_total{route=%s,status=\"%d\"} %d\n",
			quoted(k.route), k.status, m.requests[k])
	}
	about(w, "autoblm_request_seconds", "histogram", "Time of a request by route.")
	for _, route := range slices.Sorted(maps.Keys(m.seconds)) {
		h := m.seconds[route]
		for i, bound := range bounds {
			fmt.Fprintf(w, "autoblm_request_seconds_bucket{route=%s,le=\"%v\"} %d\n",
				quoted(route), bound, h.counts[i])
		}
		fmt.Fprintf(w, "autoblm_request_seconds_bucket{route=%s,le=\"+Inf\"} %d\n"+
			"autoblm_request_seconds_sum{route=%[1]s} %[3]v\n"+
			"autoblm_request_seconds_count{route=%[1]s} %[2]d\n", quoted(route), h.count, h.sum)
	}
	about(w, "autoblm_requests_in_flight", "gauge", "Requests that are being answered.")
	fmt.Fprintf(w, "autoblm_requests_in_flight %d\n", m.inFlight.Load())
	writeCounts(w, "autoblm_queries_total", "model", "Queries by model.", m.queries)
	writeCounts(w, "autoblm_reloads_total", "result", "Loads of a model after the first.", m.reloads)
	about(w, "autoblm_model_loaded_seconds", "gauge", "Time when the model was loaded (Unix).")
	for _, slot := range s.slots {
		if l := slot.current.Load(); l != nil {
			fmt.Fprintf(w, "autoblm_model_loaded_seconds{model=%s} %d\n",
				quoted(slot.Name), l.since.Unix())
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	about(w, "go_memstats_heap_inuse_bytes", "gauge", "Memory of the heap in use.")
	fmt.Fprintf(w, "go_memstats_heap_inuse_bytes %d\n", memory.HeapInuse)
	about(w, "go_goroutines", "gauge", "Number of goroutines.")
	fmt.Fprintf(w, "go_goroutines %d\n", runtime.NumGoroutine())
}

func about(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, help, kind)
}

// writeCounts writes counters with one label.
func writeCounts(w io.Writer, name, label, help string, counts map[string]int) {
	about(w, name, "counter", help)
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%s{%s=%s} %d\n", name, label, quoted(value), counts[value])
	}
}

// quoted returns the value of a label as Prometheus writes it.
func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}
