package dashboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// catalog finds the studies below a folder, again and again.
type catalog struct {
	Options
	mu      sync.Mutex
	next    time.Time // of the next scan
	entries []*entry  // sorted by path
	err     error     // of the last scan

	ctx   context.Context // of the server
	turn  sync.Mutex      // held while the measures of a study are computed
	slots chan struct{}   // one for each study that is read
}

// entry is a study of the catalog.
type entry struct {
	id, path, name string
	row            cached[row]
	page           cached[document]
	measured       atomic.Pointer[measured]
	measuring      atomic.Bool
}

// atOnce is the number of studies that are read at a time.
const atOnce = 8

func newCatalog(o Options) *catalog {
	return &catalog{Options: o, ctx: context.Background(), slots: make(chan struct{}, atOnce)}
}

const (
	scanInterval = 3 * time.Second
	// maxLoad is the largest part of the time that scans take, and reads of a study.
	maxLoad = 0.1
)

// pause returns the time to wait after work, to stay within maxLoad.
func pause(work time.Duration) time.Duration {
	return time.Duration(float64(work) * (1/maxLoad - 1))
}

// all returns the studies in the folder now. Several requests share a scan.
func (c *catalog) all() ([]*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	began := time.Now()
	if began.Before(c.next) {
		return c.entries, c.err
	}
	paths, err := study.Find(c.Folder)
	known := map[string]*entry{}
	for _, e := range c.entries {
		known[e.path] = e
	}
	c.entries, c.err = nil, err
	for _, path := range paths {
		e := known[path]
		if e == nil {
			e = &entry{id: idOf(path), path: path, name: nameOf(c.Folder, path)}
		}
		c.entries = append(c.entries, e)
	}
	c.next = time.Now().Add(max(scanInterval, pause(time.Since(began))))
	return c.entries, c.err
}

// find returns the study with an id, or nil.
func (c *catalog) find(id string) *entry {
	entries, _ := c.all()
	for _, e := range entries {
		if e.id == id {
			return e
		}
	}
	return nil
}

// idOf returns an id that stays the same when the program is started again, so that open pages find
// their studies.
func idOf(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// nameOf returns the name of a study: its path below the folder without the usual file name.
func nameOf(folder, path string) string {
	name, err := filepath.Rel(folder, path)
	if err != nil {
		name = path
	}
	dir, file := filepath.Split(name)
	switch {
	case file != "study.db":
		return filepath.ToSlash(strings.TrimSuffix(name, ".db"))
	case dir != "":
		return filepath.ToSlash(filepath.Clean(dir))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return filepath.Base(filepath.Dir(absolute))
	}
	return file
}
