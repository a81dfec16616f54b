package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/dashboard"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/webserver"
)

type dashboardCommand struct {
	Dir     string `arg:"" default:"." placeholder:"DIR" brief:"Folder with studies." help:"Folder whose studies are shown, also those in its subfolders."`
	Addr    string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" brief:"Address to serve on." help:"Address to serve on; port 0 takes any free port. At another address than 127.0.0.1, all who reach it can read the studies."`
	Cluster string `group:"Cluster" placeholder:"URL" brief:"Show the workers of this cluster and its queue." help:"Address of a cluster whose workers and queue are shown, such as nats://127.0.0.1:4222."`
	clusterFlags
}

// dashboardSummary is the JSON of dashboard.
type dashboardSummary struct {
	URL    string `json:"url"`
	Folder string `json:"folder"`
}

// Run serves the studies until the program is interrupted.
func (c *dashboardCommand) Run(ctx context.Context, o *output) error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return cli.Usage(fmt.Errorf("--addr %s: %w; use HOST:PORT, such as 127.0.0.1:8080", c.Addr, err))
	}
	hasCluster := c.Cluster != "" || c.Context != ""
	if !hasCluster && c.clusterFlags != (clusterFlags{}) {
		return cli.Usage(errors.New("keys and certificates are for a cluster: add --cluster URL"))
	}
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("look for studies: %s is not a folder", c.Dir)
	}
	reach := c.options(c.Cluster, "autoblm dashboard")
	if hasCluster {
		if err := reach.Check(); err != nil {
			return err
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("serve on %s: %w; use another --addr, such as 127.0.0.1:0", c.Addr, err)
	}
	defer listener.Close()
	address := listener.Addr().(*net.TCPAddr).AddrPort()
	if !address.Addr().Unmap().IsLoopback() {
		o.Message("autoblm: warning: everyone who reaches %v can read the studies", address)
	}
	options := dashboard.Options{
		Folder: c.Dir, Data: studyData, Measure: measureStudy, Log: o.Stderr,
	}
	serving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if hasCluster {
		link := newClusterLink(serving, o, reach, stop)
		defer link.close()
		options.Cluster = link.Status
		options.StartWorker = c.startWorker()
	}
	server := dashboard.New(options)
	summary := dashboardSummary{webserver.URL(address), c.Dir}
	err = o.Result(summary, func(w io.Writer) {
		fmt.Fprintf(w, "%s shows the studies below %s\nEnd with ctrl-c.\n", summary.URL, c.Dir)
	})
	if err != nil {
		return err
	}
	if err := server.Serve(serving, listener, host); err != nil || ctx.Err() != nil {
		return err
	}
	return context.Cause(serving)
}

// studyData returns what the page of a study shows without its graph.
func studyData(path string, contents *study.Contents) report.Data {
	return (&reportCommand{Study: path, Out: "report.html"}).data(contents)
}

// measureStudy adds what needs the graph of a study. One thread leaves room for other work.
func measureStudy(ctx context.Context, path string, d *report.Data) error {
	quiet := &output{Stdout: &cli.SafeWriter{W: io.Discard}, Stderr: io.Discard}
	p, err := movedData{studyFile{path}, ""}.reopen(ctx, quiet, d.About, autoblm.Compute{Threads: 1})
	if err != nil {
		return withHint(err)
	}
	defer p.Close()
	return d.Measure(ctx, p.Task)
}

// startWorker returns the command that adds a worker to the cluster that is shown.
func (c *dashboardCommand) startWorker() string {
	if c.Cluster == "" {
		return "autoblm worker --context " + c.Context
	}
	return "autoblm worker --cluster " + cluster.Redacted(c.Cluster)
}
