package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// distributeFlags let the workers of a cluster train the trials of a search.
type distributeFlags struct {
	Cluster string `group:"Cluster" placeholder:"URL" brief:"Train the trials on the workers of this cluster." help:"Address of a cluster whose workers train the trials, such as nats://127.0.0.1:4222."`
	clusterFlags
	metricsFlag
}

// coordinator is a connection for the trials of searches.
type coordinator struct {
	connection *cluster.Cluster
	arithmetic string // of the workers, "" for any
}

// coordinate connects to the cluster and reports its workers. It returns nil without a cluster.
func (f distributeFlags) coordinate(
	ctx context.Context, o *output, c autoblm.Compute, mixEngines bool, roundSize int,
) (*coordinator, error) {
	if f.Cluster == "" && f.Context == "" {
		if f.Metrics != "" {
			return nil, cli.Usage(errors.New("--metrics is for the coordinator of a cluster: add --cluster"))
		}
		if f.clusterFlags != (clusterFlags{}) {
			return nil, cli.Usage(errors.New("keys and certificates are for a cluster: add --cluster, " +
				"or leave --nkey, --creds and --tls-… out"))
		}
		return nil, nil
	}
	arithmetic := ""
	if !mixEngines {
		var err error
		if arithmetic, err = c.Arithmetic(); err != nil {
			return nil, err
		}
	}
	connection, err := connectCluster(ctx, o, f.options(f.Cluster, "autoblm coordinator"))
	if err != nil {
		return nil, err
	}
	workers, err := connection.Workers(ctx)
	if err != nil {
		connection.Close()
		return nil, err
	}
	if _, err := f.serveMetrics(ctx, o, connection, clusterMetrics(connection)); err != nil {
		connection.Close()
		return nil, err
	}
	o.Message("cluster: %s", workersLine(workers, arithmetic, roundSize, connection.URL()))
	return &coordinator{connection, arithmetic}, nil
}

// task returns a task whose trials train on the cluster.
func (c *coordinator) task(ctx context.Context, t task.Task) (task.Task, error) {
	identity, err := t.Identity()
	if err != nil {
		return nil, err
	}
	source := datasets.SourceFolder(identity.Source)
	if _, missing := os.Stat(source); missing != nil {
		source = "" // embedded
	}
	return cluster.NewTask(ctx, c.connection, t, source, c.arithmetic)
}

// close ends the connection.
func (c *coordinator) close() {
	if c != nil {
		c.connection.Close()
	}
}

// onTask returns the function that lets the cluster train the trials of tasks, nil without a
// cluster.
func (c *coordinator) onTask() func(context.Context, task.Task) (task.Task, error) {
	if c == nil {
		return nil
	}
	return c.task
}

// distribute returns a task that trains the trials of a search on the cluster until disconnect is
// called; nil without a cluster.
func (f distributeFlags) distribute(
	ctx context.Context, o *output, t task.Task, s autoblm.SearchSettings,
) (distributed task.Task, disconnect func(), err error) {
	c, err := f.coordinate(ctx, o, s.Compute, s.MixEngines, s.RoundSize)
	if err != nil || c == nil {
		return nil, func() {}, err
	}
	if distributed, err = c.task(ctx, t); err != nil {
		c.close()
		return nil, nil, err
	}
	return distributed, c.close, nil
}

// workersLine says how many workers a search has and can use.
func workersLine(
	workers []cluster.WorkerState, arithmetic string, roundSize int, url string,
) string {
	n, otherVersion := 0, 0
	for _, w := range workers {
		switch {
		case w.CanTrain(arithmetic):
			n++
		case w.IsOtherVersion():
			otherVersion++
		}
	}
	line := format.Count(n, "worker")
	if arithmetic != "" {
		line += " with " + arithmetic
	}
	if otherVersion > 0 {
		line += fmt.Sprintf("; %d of another version or build of the program stay idle", otherVersion)
	}
	if others := len(workers) - n - otherVersion; others > 0 {
		line += fmt.Sprintf("; %d with other arithmetic stay idle (--mix-engines uses them)", others)
	}
	if n == 0 {
		line += "; start one with autoblm worker --cluster " + url
	}
	if n > roundSize {
		line += fmt.Sprintf("; --round-size %d trains at most %d trials at a time", roundSize, roundSize)
	}
	return line
}
