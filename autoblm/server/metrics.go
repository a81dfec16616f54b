package server

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/internal/prometheus"
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
	var text prometheus.Metrics
	s.formatMetrics(&text)
	text.Send(w)
}

// formatMetrics writes all metrics.
func (s *Server) formatMetrics(w *prometheus.Metrics) {
	m := s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	w.About("autoblm_requests_total", "counter", "Requests by route and status.")
	byRoute := func(a, b requestKind) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.status, b.status))
	}
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), byRoute) {
		fmt.Fprintf(w, "autoblm_requests_total{route=%s,status=\"%d\"} %d\n",
			prometheus.Quote(k.route), k.status, m.requests[k])
	}
	w.About("autoblm_request_seconds", "histogram", "Time of a request by route.")
	for _, route := range slices.Sorted(maps.Keys(m.seconds)) {
		h, label := m.seconds[route], prometheus.Quote(route)
		for i, bound := range bounds {
			fmt.Fprintf(w, "autoblm_request_seconds_bucket{route=%s,le=\"%v\"} %d\n",
				label, bound, h.counts[i])
		}
		fmt.Fprintf(w, "autoblm_request_seconds_bucket{route=%s,le=\"+Inf\"} %d\n"+
			"autoblm_request_seconds_sum{route=%[1]s} %[3]v\n"+
			"autoblm_request_seconds_count{route=%[1]s} %[2]d\n", label, h.count, h.sum)
	}
	w.Gauge("autoblm_requests_in_flight", "Requests that are being answered.", m.inFlight.Load())
	w.Labeled("autoblm_queries_total", "counter", "model", "Queries by model.", m.queries)
	w.Labeled("autoblm_reloads_total", "counter", "result", "Loads of a model after the first.", m.reloads)
	w.About("autoblm_model_loaded_seconds", "gauge", "Time when the model was loaded (Unix).")
	for _, slot := range s.slots {
		if l := slot.current.Load(); l != nil {
			fmt.Fprintf(w, "autoblm_model_loaded_seconds{model=%s} %d\n",
				prometheus.Quote(slot.Name), l.since.Unix())
		}
	}
	w.Process()
}
