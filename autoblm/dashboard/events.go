package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"
)

const (
	heartbeat    = 15 * time.Second
	writeTimeout = 10 * time.Second
)

// versionOf identifies a state of what a page shows.
func versionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// stream sends a line of JSON at once if it is not the version that the page has, and then each
// time it changes, until the page or the server is gone.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, current func() ([]byte, error)) {
	sent := r.Header.Get("Last-Event-ID") // of a page that connects again
	if sent == "" {
		sent = r.URL.Query().Get("version")
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	send := func(format string, arguments ...any) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		_, err := fmt.Fprintf(w, format, arguments...)
		return err == nil && control.Flush() == nil
	}
	tick := time.NewTicker(s.interval)
	defer tick.Stop()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	if !send("retry: 2000\n\n") {
		return
	}
	for {
		// A study that cannot be read now keeps the last state of its page.
		if data, err := current(); err == nil {
			if version := versionOf(data); version != sent {
				if !send("id: %s\ndata: %s\n\n", version, data) {
					return
				}
				sent = version
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			if !send(": heartbeat\n\n") {
				return
			}
		case <-tick.C:
		}
	}
}
