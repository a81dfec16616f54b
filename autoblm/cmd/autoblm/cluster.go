package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type clusterCommands struct {
	Serve  clusterServeCommand  `cmd:"" help:"Run the queue of a cluster."`
	Status clusterStatusCommand `cmd:"" help:"Show the workers of a cluster and its queue."`
	Keys   clusterKeysCommand   `cmd:"" help:"Make the keys of a cluster."`
}

// clusterFlags reach a cluster.
type clusterFlags struct {
	NKey    string `group:"Cluster" name:"nkey" placeholder:"FILE" help:"Secret key of this program, from cluster keys."`
	Creds   string `group:"Cluster" placeholder:"FILE" help:"NATS credentials of this program: a JWT and its key."`
	Context string `group:"Cluster" placeholder:"NAME" brief:"Context of the nats tool with address and keys." help:"Context of the nats tool, which gives the address, keys and certificates that flags leave out."`
	TLSCert string `group:"Cluster" name:"tls-cert" placeholder:"FILE" help:"TLS certificate of this program, in PEM."`
	TLSKey  string `group:"Cluster" name:"tls-key" placeholder:"FILE" help:"Key of --tls-cert, in PEM."`
	TLSCA   string `group:"Cluster" name:"tls-ca" placeholder:"FILE" help:"Authority that signed the other certificates, in PEM."`
}

// connectCluster connects to a cluster, and prints its messages.
func connectCluster(ctx context.Context, o *output, options cluster.Options) (*cluster.Cluster, error) {
	options.Note = func(text string) { o.Message("autoblm: %s", text) }
	return cluster.Connect(ctx, options)
}

// options returns the options to connect to the cluster at an address.
func (f clusterFlags) options(url, name string) cluster.Options {
	return cluster.Options{
		URL: url, Name: name, NKey: f.NKey, Credentials: f.Creds, TLSCert: f.TLSCert, TLSKey: f.TLSKey,
		TLSCA: f.TLSCA, Context: f.Context,
	}
}

type clusterServeCommand struct {
	Store   string        `output:"" required:"" placeholder:"DIR" help:"Folder of the queue, the results and the data."`
	Addr    string        `default:"127.0.0.1:4222" placeholder:"HOST:PORT" brief:"Address to serve on." help:"Address to serve on; port 0 takes any free port. Another address than 127.0.0.1 needs --users and TLS."`
	Users   string        `placeholder:"FILE" help:"Public keys of coordinators and workers, from cluster keys."`
	TLSCert string        `name:"tls-cert" placeholder:"FILE" help:"TLS certificate of the server, in PEM."`
	TLSKey  string        `name:"tls-key" placeholder:"FILE" help:"Key of --tls-cert, in PEM."`
	TLSCA   string        `name:"tls-ca" placeholder:"FILE" help:"Authority that must have signed the certificates of clients."`
	Lease   time.Duration `default:"30s" min:"1s" brief:"Time after which a silent worker counts as lost." help:"Time without a sign of life after which a worker counts as lost, and its trial goes to another one; at least 1s."`
	MaxGB   int64         `name:"max-gb" default:"0" min:"0" max:"1000000" help:"Limit of the store in GB; 0 for three quarters of the free space."`
	metricsFlag
}

// clusterServeSummary is the JSON of cluster serve.
type clusterServeSummary struct {
	URL     string `json:"url"`
	Metrics string `json:"metrics,omitempty"` // URL
}

// Run runs the queue until the program is interrupted.
func (c *clusterServeCommand) Run(ctx context.Context, o *output) error {
	options := cluster.ServerOptions{
		Addr: c.Addr, Store: c.Store, MaxStore: c.MaxGB << 30, Lease: c.Lease,
		TLSCert: c.TLSCert, TLSKey: c.TLSKey, TLSCA: c.TLSCA,
		Note: func(text string) { o.Message("autoblm: %s", text) },
	}
	if c.Users != "" {
		content, err := os.ReadFile(c.Users)
		if err == nil {
			options.Users, err = cluster.ReadUsers(bytes.NewReader(content))
		}
		if err != nil {
			return fmt.Errorf("read the public keys %s: %w", c.Users, err)
		}
	}
	s, err := cluster.Serve(options)
	if err != nil {
		return err
	}
	defer s.Close()
	connection, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	metrics, err := c.serveMetrics(ctx, o, connection, clusterMetrics(connection))
	if err != nil {
		return err
	}
	err = o.Result(clusterServeSummary{s.URL(), metrics}, func(w io.Writer) {
		fmt.Fprintf(w, "The queue is at %s\nEnd with ctrl-c.\n", s.URL())
	})
	if err != nil {
		return err
	}
	return s.Wait(ctx)
}

type clusterStatusCommand struct {
	Cluster string `placeholder:"URL" help:"Address of the cluster; by default that of --context or nats://127.0.0.1:4222."`
	clusterFlags
}

// Run prints the workers and the queue.
func (c *clusterStatusCommand) Run(ctx context.Context, o *output) error {
	options := c.options(c.Cluster, "autoblm cluster status")
	options.IsViewer = true
	connection, err := connectCluster(ctx, o, options)
	if err != nil {
		return err
	}
	defer connection.Close()
	status, err := connection.Status(ctx)
	if err != nil {
		return err
	}
	return o.Result(status, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s waiting, %d in training\n",
			format.Count(len(status.Workers), "worker"), format.Count(status.Waiting, "trial"),
			status.Training)
		if len(status.Workers) == 0 {
			fmt.Fprintf(w, "Start one on each machine: autoblm worker --cluster %s\n", connection.URL())
			return
		}
		rows := table.New("worker", "computes with", "trains", "since", "done", "failed", "last error")
		for _, s := range status.Workers {
			trains, since := "-", time.Since(s.Since).Round(time.Second).String()
			if s.Trial != "" {
				trains = fmt.Sprintf("%s, %.0f %%", s.Dataset, 100*s.Share)
			}
			rows.Add(s.Name, s.Arithmetic, trains, since, format.Int(s.Trained), format.Int(s.Failed),
				s.Error)
		}
		rows.Print(w)
	})
}

type clusterKeysCommand struct {
	Out string `output:"" required:"" placeholder:"DIR" help:"Folder for the keys."`
}

// Run writes a key for coordinators, one for workers, and the public parts for the server.
func (c *clusterKeysCommand) Run(o *output) error {
	if err := os.MkdirAll(c.Out, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"coordinator.nk", "worker.nk", "users.json"} {
		if _, err := os.Lstat(filepath.Join(c.Out, name)); err == nil {
			return fmt.Errorf("make keys in %s: it has %s; use another --out", c.Out, name)
		}
	}
	var users cluster.Users
	for name, public := range map[string]*string{
		"coordinator": &users.Coordinator, "worker": &users.Worker,
	} {
		key, err := cluster.NewKey()
		if err != nil {
			return err
		}
		*public = key.Public
		if err := writeNew(filepath.Join(c.Out, name+".nk"), key.Seed+"\n"); err != nil {
			return err
		}
	}
	content, err := json.MarshalIndent(users, "", "  ")
	if err != nil {
		return err
	}
	if err := writeNew(filepath.Join(c.Out, "users.json"), string(content)+"\n"); err != nil {
		return err
	}
	return o.Result(users, func(w io.Writer) {
		fmt.Fprintf(w, "%s has coordinator.nk for searches, worker.nk for workers, and users.json for "+
			"the server.\n", c.Out)
	})
}

// writeNew writes a secret file, which must not exist.
func writeNew(path, content string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return cmp.Or(err, file.Close())
}

// safeName returns a name of letters, digits, - and _.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}
