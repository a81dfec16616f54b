package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/internal/format"
)

// clusterLink connects to a cluster in the background, and tries again while it cannot be reached.
type clusterLink struct {
	out     *output
	started time.Time
	known   chan struct{} // closed after the first attempt to connect

	mu         sync.Mutex
	connection *cluster.Cluster // nil before it is connected
	problem    error            // of the last attempt, nil before the first one ends
	printed    string           // last message
	isClosed   bool
}

const (
	retryTime   = 2 * time.Second // between two attempts to connect
	connectTime = 2 * time.Second // in which most clusters are connected
)

var errConnecting = errors.New("connecting to the cluster")

// newClusterLink starts to connect, until ctx ends. It calls stop with the error if the cluster
// refuses the key, because only the user can change that.
func newClusterLink(
	ctx context.Context, o *output, options cluster.Options, stop context.CancelCauseFunc,
) *clusterLink {
	l := &clusterLink{out: o, started: time.Now(), known: make(chan struct{})}
	options.IsViewer, options.Note = true, l.print
	go l.connect(ctx, options, stop)
	return l
}

func (l *clusterLink) connect(
	ctx context.Context, options cluster.Options, stop context.CancelCauseFunc,
) {
	for {
		connection, err := cluster.Connect(ctx, options)
		if err != nil && ctx.Err() != nil {
			return
		}
		l.set(connection, err)
		switch {
		case err == nil:
			return
		case cluster.IsRefused(err):
			stop(err)
			return
		}
		l.print(format.OneLine(err))
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryTime):
		}
	}
}

// set keeps the result of an attempt.
func (l *clusterLink) set(connection *cluster.Cluster, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.problem == nil {
		close(l.known)
	}
	l.connection, l.problem = connection, err
	if l.isClosed && connection != nil {
		go connection.Close()
	}
}

// print prints a message unless the last one was the same.
func (l *clusterLink) print(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed || l.printed == text {
		return
	}
	l.printed = text
	l.out.Message("autoblm: %s", text)
}

// Status returns the state of the cluster, or since when it is not connected, and why.
func (l *clusterLink) Status(ctx context.Context) (cluster.Status, error) {
	select {
	case <-l.known:
	case <-time.After(connectTime):
		return cluster.Status{}, cluster.Disconnected(l.started, errConnecting)
	case <-ctx.Done():
		return cluster.Status{}, ctx.Err()
	}
	l.mu.Lock()
	connection, problem := l.connection, l.problem
	l.mu.Unlock()
	if connection == nil {
		return cluster.Status{}, cluster.Disconnected(l.started, problem)
	}
	return connection.Status(ctx)
}

// close ends the connection; nothing is printed after it.
func (l *clusterLink) close() {
	l.mu.Lock()
	connection := l.connection
	l.isClosed = true
	l.mu.Unlock()
	if connection != nil {
		connection.Close()
	}
}
