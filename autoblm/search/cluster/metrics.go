package cluster

import "github.com/autoblm/autoblm-go/internal/prometheus"

// IsConnected reports whether the queue can be reached now.
func (c *Cluster) IsConnected() bool { return c.conn.IsConnected() }

// Metrics writes the workers, the queue and what was trained.
func (s Status) Metrics(m *prometheus.Metrics) {
	workers, trained, failed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, w := range s.Workers {
		workers[w.Arithmetic]++
		trained[w.Name] += w.Trained
		failed[w.Name] += w.Failed
	}
	m.Labeled("autoblm_cluster_workers", "gauge", "arithmetic", "Workers by arithmetic.", workers)
	m.Gauge("autoblm_cluster_trials_waiting", "Trials in the queue without a worker.", s.Waiting)
	m.Gauge("autoblm_cluster_trials_training", "Trials with a worker.", s.Training)
	m.Labeled("autoblm_cluster_trained_total", "counter", "worker", "Trained trials by worker.", trained)
	m.Labeled("autoblm_cluster_failed_total", "counter", "worker", "Errors by worker.", failed)
}

// Metrics writes what the worker does.
func (s WorkerState) Metrics(m *prometheus.Metrics) {
	training := 0
	if s.Trial != "" {
		training = 1
	}
	m.Counter("autoblm_worker_trained_total", "Trained trials.", s.Trained)
	m.Counter("autoblm_worker_failed_total", "Errors.", s.Failed)
	m.Gauge("autoblm_worker_training", "1 while a trial trains.", training)
	m.Gauge("autoblm_worker_share", "Finished share of this trial.", s.Share)
}
