// Package prometheus writes metrics in the text format of Prometheus.
package prometheus

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
)

// Metrics is the text of all metrics.
type Metrics struct{ bytes.Buffer }

// About begins a metric: a counter, gauge or histogram.
func (m *Metrics) About(name, kind, help string) {
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, help, kind)
}

// Gauge writes a metric that rises and falls.
func (m *Metrics) Gauge(name, help string, value any) { m.single(name, "gauge", help, value) }

// Counter writes a metric that only rises.
func (m *Metrics) Counter(name, help string, value any) { m.single(name, "counter", help, value) }

func (m *Metrics) single(name, kind, help string, value any) {
	m.About(name, kind, help)
	fmt.Fprintf(m, "%s %v\n", name, value)
}

// Labeled writes a metric with one value per label.
func (m *Metrics) Labeled(name, kind, label, help string, values map[string]int) {
	m.About(name, kind, help)
	for _, value := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(m, "%s{%s=%s} %d\n", name, label, Quote(value), values[value])
	}
}

// Process writes the memory and the goroutines of this program.
func (m *Metrics) Process() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.Gauge("go_memstats_heap_inuse_bytes", "Memory of the heap in use.", memory.HeapInuse)
	m.Gauge("go_goroutines", "Number of goroutines.", runtime.NumGoroutine())
}

// Send answers a request.
func (m *Metrics) Send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(m.Bytes()) // the client may have left
}

// Quote returns the value of a label.
func Quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}
