package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestAsk checks the counts of a load on a server that fails every fifth question.
func TestAsk(t *testing.T) {
	var count atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if count.Add(1)%5 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, `{"rank":1,"entity":"a"}`)
	}))
	defer server.Close()
	memory := func() float64 { return 7 }
	l, err := ask(t.Context(), server.URL, [][]byte{[]byte("{}")}, 500, 0.5, memory)
	if err != nil {
		t.Fatal(err)
	}
	if n := int(count.Load()); l.Questions != n || n < 250 || n > 252 || l.Failed != n/5 {
		t.Errorf("%+v of %d", l, n)
	}
	if !(0 < l.P50 && l.P50 <= l.P95 && l.P95 <= l.P99 && l.P99 <= l.Max) || l.MemoryLast != 7 {
		t.Errorf("%+v", l)
	}
}

func TestQuantile(t *testing.T) {
	var x []float64
	for i := range 200 {
		x = append(x, float64(i+1))
	}
	for share, want := range map[float64]float64{.5: 100, .99: 198, 1: 200, 0: 1} {
		if got := quantile(x, share); got != want {
			t.Errorf("quantile %v: %v, not %v", share, got, want)
		}
	}
}
