package dashboard

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
)

// workers is the JSON of a cluster.
type workers struct {
	cluster.Status
	// Rate is the number of trained trials per hour, in the last minutes; null at first.
	Rate *float64 `json:"rate"`
	// Failed is the number of errors of all workers.
	Failed int `json:"failed"`
}

// clusterView looks at a cluster for all pages.
type clusterView struct {
	status func(context.Context) (cluster.Status, error)

	mu   sync.Mutex
	next time.Time // of the next look
	data []byte
	err  error
	rate rate
}

const (
	lookTime    = 10 * time.Second // limits a look
	rateWindow  = 10 * time.Minute
	minRateTime = 10 * time.Second
)

// current returns the cluster as JSON. Requests within a second share a look.
func (v *clusterView) current(ctx context.Context) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if time.Now().Before(v.next) {
		return v.data, v.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	status, err := v.status(ctx)
	now := time.Now()
	v.next = now.Add(time.Second)
	if v.data, v.err = nil, err; err != nil {
		return nil, err
	}
	w := workers{Status: status, Rate: v.rate.add(now, status.Workers)}
	for _, worker := range status.Workers {
		w.Failed += worker.Failed
	}
	v.data, v.err = json.Marshal(w)
	return v.data, v.err
}

// rate counts the trials that workers train.
type rate struct {
	trained map[string]int // by worker, also of those that are away
	total   int            // since the first look
	samples []sample       // oldest first
}

type sample struct {
	at    time.Time
	total int
}

// add adds a look and returns the number of trials per hour; nil at first.
func (r *rate) add(now time.Time, workers []cluster.WorkerState) *float64 {
	isFirst := r.trained == nil
	if isFirst {
		r.trained = map[string]int{}
	}
	for _, w := range workers {
		before := r.trained[w.Name]
		if before > w.Trained { // it was started again
			before = 0
		}
		if !isFirst {
			r.total += w.Trained - before
		}
		r.trained[w.Name] = w.Trained
	}
	r.samples = append(r.samples, sample{now, r.total})
	for len(r.samples) > 2 && now.Sub(r.samples[1].at) >= rateWindow {
		r.samples = r.samples[1:]
	}
	first := r.samples[0]
	elapsed := now.Sub(first.at)
	if elapsed < minRateTime {
		return nil
	}
	// Rounded, it changes rarely: a page gets the state only when that changes.
	perHour := math.Round(float64(r.total-first.total) / elapsed.Hours())
	return &perHour
}

func (s *Server) clusterEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, s.cluster.current)
}
