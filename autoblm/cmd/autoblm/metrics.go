package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/prometheus"
	"github.com/autoblm/autoblm-go/internal/webserver"
)

// metricsFlag serves metrics of the parts of a cluster.
type metricsFlag struct {
	Metrics string `group:"Cluster" placeholder:"HOST:PORT" brief:"Serve metrics for Prometheus on this address." help:"Serve /metrics in the text format of Prometheus on this address, and /healthz, which is 200 while the queue can be reached. Port 0 takes any free port."`
}

// serveMetrics serves metrics until the end of ctx and returns their URL; "" without an address.
func (f metricsFlag) serveMetrics(
	ctx context.Context, o *output, connection *cluster.Cluster,
	write func(context.Context, *prometheus.Metrics) error,
) (url string, err error) {
	if f.Metrics == "" {
		return "", nil
	}
	host, _, err := net.SplitHostPort(f.Metrics)
	if err != nil {
		return "", cli.Usage(fmt.Errorf("--metrics %s: %w; use HOST:PORT, such as 127.0.0.1:9090",
			f.Metrics, err))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.Metrics)
	if err != nil {
		return "", fmt.Errorf("serve metrics on %s: %w; use another --metrics", f.Metrics, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !connection.IsConnected() {
			http.Error(w, "the queue cannot be reached", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		var m prometheus.Metrics
		ctx, cancel := context.WithTimeout(r.Context(), metricsTime)
		defer cancel()
		if err := write(ctx, &m); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		m.Process()
		m.Send(w)
	})
	guarded := webserver.Guard(mux, []string{host}, webserver.PrintedAddress)
	server := webserver.Server(guarded, log.New(o.Stderr, "autoblm: ", 0))
	go func() {
		if err := webserver.Serve(ctx, listener, server, time.Second); err != nil {
			o.Message("autoblm: serve metrics: %v", err)
		}
	}()
	url = webserver.URL(listener.Addr().(*net.TCPAddr).AddrPort()) + "metrics"
	o.Message("metrics: %s", url)
	return url, nil
}

// metricsTime limits the time of an answer. Prometheus waits for ten seconds.
const metricsTime = 8 * time.Second

// clusterMetrics writes the metrics of a whole cluster.
func clusterMetrics(c *cluster.Cluster) func(context.Context, *prometheus.Metrics) error {
	return func(ctx context.Context, m *prometheus.Metrics) error {
		status, err := c.Status(ctx)
		if err == nil {
			status.Metrics(m)
		}
		return err
	}
}
