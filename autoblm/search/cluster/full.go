package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// fullWait is the time for which a search waits for room on the cluster.
const fullWait = 10 * time.Minute

// storeFailed is the code of an error whose description has the reason why a message was not stored.
const storeFailed = 10077

// isFull reports whether a call failed because a store of the cluster has no room.
func isFull(err error) bool {
	const account, server, storage = 10002, 10023, 10047
	refused, is := errors.AsType[*jetstream.APIError](err)
	if !is {
		return false
	}
	switch refused.ErrorCode {
	case account, server, storage:
		return true
	case storeFailed:
		return strings.Contains(refused.Description, "maximum bytes exceeded") ||
			strings.Contains(refused.Description, "no space left on device")
	}
	return false
}

// withFix adds what to do about a full store.
func withFix(err error) error {
	return fmt.Errorf("the store of the cluster is full: %w; free disk space there, or start "+
		"autoblm cluster serve with a larger max-gb", err)
}

// withRoom adds what to do about an error if a store is full.
func withRoom(err error) error {
	if isFull(err) {
		return withFix(err)
	}
	return err
}

// patience waits for room in a store.
type patience struct {
	cluster      *Cluster
	what         string
	began, noted time.Time
}

func (c *Cluster) newPatience(what string) *patience { return &patience{cluster: c, what: what} }

// wait notes the error of a full store, once a minute. It returns it after the longest wait.
func (p *patience) wait(err error) error {
	now := time.Now()
	if p.began.IsZero() {
		p.began = now
	}
	longest := p.cluster.fullWait
	if longest > 0 && now.Sub(p.began) >= longest {
		return fmt.Errorf("%s: %w; there was no room for %v", p.what, err, longest)
	}
	if now.Sub(p.noted) >= time.Minute {
		p.noted = now
		text := fmt.Sprintf("%s: %v; waiting for room", p.what, err)
		if longest > 0 {
			text += fmt.Sprintf(" for at most %v", longest)
		}
		p.cluster.trouble(text)
	}
	return nil
}
