package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/prometheus"
)

type workerCommand struct {
	Cluster string `placeholder:"URL" brief:"Address of the cluster." help:"Address of the cluster; by default that of --context or nats://127.0.0.1:4222."`
	Name    string `placeholder:"NAME" brief:"Name of the worker; made up if not given." help:"Name of the worker in cluster status. The default is the name of the machine and a random part."`
	Cache   string `output:"" placeholder:"DIR" brief:"Folder for data and models." help:"Folder for the data of searches and for models. The default is one in the cache of the user."`
	clusterFlags
	metricsFlag
	computeFlags
}

// workerSummary is the JSON of worker.
type workerSummary struct {
	Name       string `json:"name"`
	Cluster    string `json:"cluster"`
	Arithmetic string `json:"arithmetic"`
	Metrics    string `json:"metrics,omitempty"` // URL
}

// Run trains trials until the program is interrupted.
func (c *workerCommand) Run(ctx context.Context, o *output) error {
	compute, err := c.compute()
	if err != nil {
		return err
	}
	arithmetic, err := compute.Arithmetic()
	if err != nil {
		return err
	}
	others := otherArithmetics(compute, arithmetic)
	if c.Name == "" {
		host, _ := os.Hostname() // the random part suffices
		c.Name = host + "-" + rand.Text()[:6]
	}
	c.Name = safeName(c.Name)
	if c.Cache == "" {
		c.Cache = filepath.Join(xdg.CacheHome, "autoblm", "worker")
	}
	options := c.options(c.Cluster, "autoblm worker "+c.Name)
	options.IsWorker = true
	connection, err := connectCluster(ctx, o, options)
	if err != nil {
		return err
	}
	defer connection.Close()
	w := &cluster.Worker{
		Cluster: connection, Name: c.Name, Arithmetic: arithmetic, Threads: compute.Threads,
		Folder: c.Cache, Others: others, Engine: trialEngine(compute, arithmetic, others),
		Open: func(ctx context.Context, d cluster.Data, path, engine string) (task.Task, func(), error) {
			compute := compute
			compute.Engine = engine
			return openTask(ctx, d, path, compute)
		},
	}
	if o.Verbose {
		w.OnTrained = func(trial string) { o.Message("autoblm: trained trial %s", trial) }
	}
	metrics, err := c.serveMetrics(ctx, o, connection, func(_ context.Context, m *prometheus.Metrics) error {
		w.State().Metrics(m)
		return nil
	})
	if err != nil {
		return err
	}
	err = o.Result(workerSummary{w.Name, connection.URL(), arithmetic, metrics}, func(out io.Writer) {
		fmt.Fprintf(out, "%s trains trials of %s with %s.\nEnd with ctrl-c.\n", w.Name, connection.URL(),
			arithmetic)
	})
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// trialEngine returns the function that names the engine of a trial, of a worker with an arithmetic and
// others. It never returns "auto", because a worker opens the data again for an engine with another name.
func trialEngine(
	c autoblm.Compute, own string, others []string,
) func(arithmetic string, t task.Trial) string {
	ownEngine, _, _ := strings.Cut(own, " ")
	return func(arithmetic string, t task.Trial) string {
		if slices.Contains(others, arithmetic) {
			return gomlxEngine
		}
		if engine := c.ForTraining(t.Recipe.Training, t.Form).Engine; engine != "auto" {
			return engine
		}
		return ownEngine
	}
}

// otherArithmetics returns that of gomlx for a worker that may choose the engine, as only gomlx trains
// some models. It returns none if gomlx cannot be opened.
func otherArithmetics(c autoblm.Compute, first string) []string {
	if c.Engine != "auto" {
		return nil
	}
	c.Engine = gomlxEngine
	arithmetic, err := c.Arithmetic()
	if err != nil || arithmetic == first {
		return nil
	}
	return []string{arithmetic}
}

// checkEmbedded returns an error for a name that opens other data than the embedded graph, such as a
// folder of this machine.
func checkEmbedded(name string) error {
	if name != datasets.World().Name {
		return fmt.Errorf("open the embedded data %q: there are none with this name", name)
	}
	_, err := os.Lstat(name)
	place := datasets.Choose(name, datasets.Folders(name), datasets.HasGraph)
	if err == nil || place.Folder != "" {
		return fmt.Errorf("open the embedded data %s: a file or folder has this name; start the worker "+
			"in another folder", name)
	}
	return nil
}

// openTask opens the task of a search.
func openTask(
	ctx context.Context, d cluster.Data, path string, c autoblm.Compute,
) (task.Task, func(), error) {
	if d.IsEmbedded {
		if err := checkEmbedded(path); err != nil {
			return nil, nil, err
		}
	}
	registration, err := tasks.Find(d.Task)
	if err != nil {
		return nil, nil, err
	}
	c.Note = func(string) {} // the coordinator warns about the data
	t, err := registration.Open(ctx, path, d.TaskSettings, c)
	if err != nil {
		return nil, nil, err
	}
	return t.Task, t.Close, nil
}
