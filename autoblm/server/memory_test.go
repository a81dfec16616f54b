package server

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
)

// TestMemoryStaysFlat loads a model again and again while requests come. No request is lost, and
// neither memory nor goroutines grow.
func TestMemoryStaysFlat(t *testing.T) {
	s, h := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			for ctx.Err() == nil {
				for _, r := range []struct{ path, body string }{
					{"predict", `{"queries":[{"head":"Portugal","relation":"borders"}]}`},
					{"entities?q=portu", ""}, {"facts?entity=Spain", ""}, {"map", ""},
				} {
					if status, text := ask(t, h.URL+"/v1/"+r.path, r.body); status != 200 {
						t.Errorf("%s: status %d, %s", r.path, status, text)
						return
					}
				}
			}
		})
	}
	// used returns the memory and the goroutines after some loads, when all earlier models are closed.
	used := func(loads int) (bytes uint64, goroutines int) {
		for range loads {
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		bytes = math.MaxUint64
		for range 10 { // requests in progress take memory too
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			bytes = min(bytes, m.HeapAlloc)
		}
		return bytes, runtime.NumGoroutine()
	}
	first, before := used(20)
	last, after := used(180)
	cancel()
	clients.Wait()
	const ofModel = 100_000 // bytes of the engine's copy and the indexes, at least
	if last > first+40*ofModel || after > before+40 {
		t.Errorf("%d bytes became %d, %d goroutines became %d", first, last, before, after)
	}
}
