package prometheus

import (
	"strings"
	"testing"
)

// TestMetrics checks the text format: help and type, one line per label, and quoted values.
func TestMetrics(t *testing.T) {
	var m Metrics
	m.Counter("done_total", "Finished.", 3)
	m.Labeled("by_worker", "gauge", "worker", "Each.", map[string]int{"b": 1, "a\"\\\n": 2})
	want := "# HELP done_total Finished.\n# TYPE done_total counter\ndone_total 3\n" +
		"# HELP by_worker Each.\n# TYPE by_worker gauge\n" +
		"by_worker{worker=\"a\\\"\\\\\\n\"} 2\nby_worker{worker=\"b\"} 1\n"
	if m.String() != want {
		t.Errorf("%q, want %q", m.String(), want)
	}
	m.Process()
	if !strings.Contains(m.String(), "\n# TYPE go_goroutines gauge\ngo_goroutines ") {
		t.Errorf("there are no goroutines:\n%s", m.String())
	}
}
