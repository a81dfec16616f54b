package dashboard

import (
	"context"
	"errors"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/internal/browsertest"
)

// TestRate checks the rate of a cluster whose workers come, go and start again.
func TestRate(t *testing.T) {
	var r rate
	start := time.Now()
	for _, look := range []struct {
		after   time.Duration
		trained map[string]int
		want    float64 // -1 for none
	}{
		{0, map[string]int{"a": 100}, -1},
		{5 * time.Second, map[string]int{"a": 101}, -1},
		{36 * time.Second, map[string]int{"a": 103, "b": 1}, 400},
		{72 * time.Second, map[string]int{"a": 2, "b": 1}, 300},
		{time.Hour, map[string]int{"b": 3}, 2},                         // 2.04 since the last look in the window
		{time.Hour + 6*time.Minute, map[string]int{"a": 5, "b": 3}, 5}, // a returns: 5 in 64.8 minutes is 4.6
	} {
		var workers []cluster.WorkerState
		for name, trained := range look.trained {
			workers = append(workers, cluster.WorkerState{Name: name, Trained: trained})
		}
		got := r.add(start.Add(look.after), workers)
		switch {
		case (got == nil) != (look.want < 0):
			t.Errorf("after %v: %v, want %v", look.after, got, look.want)
		case got != nil && (*got < look.want-1e-6 || *got > look.want+1e-6):
			t.Errorf("after %v: %v trials an hour, want %v", look.after, *got, look.want)
		}
	}
}

// TestClusterInBrowser checks that the list of studies shows the workers and the queue, and what
// becomes of them.
func TestClusterInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	hour := time.Now().Add(-time.Hour)
	states := []cluster.Status{
		{Workers: []cluster.WorkerState{}}, // as a cluster lists none
		{Waiting: 1234, Training: 1, Workers: []cluster.WorkerState{
			{Name: "gpu-1", Arithmetic: "gomlx/xla:cuda NVIDIA H100", Threads: 16, Trained: 1208, Since: hour,
				Trial: "0123456789abcdef", Dataset: "fb15k-237", Share: .4},
			{Name: "laptop-with-a-long-name-ABCDEF", Arithmetic: "cpu/avx2", Threads: 1, Since: hour, Failed: 2,
				Error: "store the result: no space left on device"},
		}},
	}
	for _, v := range browsertest.Views {
		t.Run(v.String(), func(t *testing.T) {
			var state atomic.Int32
			s := newServer(folder(t))
			s.cluster = &clusterView{status: func(context.Context) (cluster.Status, error) {
				if n := int(state.Load()); n < len(states) {
					return states[n], nil
				}
				return cluster.Status{}, errors.New("read the queue: no answer")
			}}
			server := httptest.NewServer(s.Handler())
			t.Cleanup(server.Close) // after the tabs
			p := b.Open(t, server.URL, v)
			queue := `document.getElementById("queue").textContent`
			p.Wait(queue + ` === "0 workers, 0 trials waiting, 0 in training"`)
			p.Wait(`!document.getElementById("no-workers").hidden`)
			state.Store(1)
			p.Wait(queue + ` === "2 workers, 1,234 trials waiting, 1 in training, 2 errors"`)
			p.Wait(`document.getElementById("cluster-live").textContent === "live"`)
			p.Wait(`document.querySelectorAll(".workers tbody tr").length === 2`)
			p.Wait(`document.querySelector(".workers").textContent.includes("trial 01234567, 40 %")`)
			p.Wait(`document.querySelector(".workers .error").textContent.includes("no space left")`)
			p.Wait(`document.querySelectorAll("tr[data-id]").length === 3`) // the studies
			p.Fits()
			p.Screenshot("cluster-" + v.String())
			state.Store(2)
			p.Wait(`document.getElementById("cluster-live").textContent === ` +
				`"not up to date: read the queue: no answer"`)
			p.Wait(`document.getElementById("live").textContent === "live"`)
			p.Fits()
			state.Store(1)
			p.Wait(`document.getElementById("cluster-live").textContent === "live"`)
		})
	}
}
