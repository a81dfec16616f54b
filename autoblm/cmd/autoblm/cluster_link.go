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
	out   *output
	known chan struct{} // closed at the first connection or problem

	mu         sync.Mutex
	connection *cluster.Cluster // nil before it is connected
	problem    error            // why it is not connected, nil at first
	isClosed   bool
}

const (
	retryTime   = 2 * time.Second // between two attempts to connect
	connectTime = 2 * time.Second // in which most clusters are connected
)

var errConnecting = errors.New("connecting to the cluster")

// link connects until ctx ends.
func (f clusterFlags) link(ctx context.Context, o *output, url, name string) *clusterLink {
	l := &clusterLink{out: o, known: make(chan struct{})}
	go func() {
		for ctx.Err() == nil {
			connection, err := f.connectNoting(ctx, url, name, true, l.note)
			if l.set(connection, err) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(retryTime):
			}
		}
	}()
	return l
}

// set keeps the result of an attempt and reports whether it was the last one.
func (l *clusterLink) set(connection *cluster.Cluster, err error) (isDone bool) {
	if err != nil {
		l.note(format.OneLine(err))
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.markKnown()
	l.connection = connection
	if l.isClosed {
		go connection.Close()
	}
	return true
}

// note prints a message, such as what the connection waits for, unless the last one was the same.
func (l *clusterLink) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed || l.problem != nil && l.problem.Error() == text {
		return
	}
	l.markKnown()
	l.problem = errors.New(text)
	l.out.Message("autoblm: %s", text)
}

// markKnown ends the wait of Status. The caller holds mu.
func (l *clusterLink) markKnown() {
	if l.problem == nil && l.connection == nil {
		close(l.known)
	}
}

// Status returns the state of the cluster, or why it is not connected.
func (l *clusterLink) Status(ctx context.Context) (cluster.Status, error) {
	select {
	case <-l.known:
	case <-time.After(connectTime):
		return cluster.Status{}, errConnecting
	case <-ctx.Done():
		return cluster.Status{}, errConnecting
	}
	l.mu.Lock()
	connection, problem := l.connection, l.problem
	l.mu.Unlock()
	if connection == nil {
		return cluster.Status{}, problem
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
