package dashboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/autoblm/autoblm-go/internal/format"
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
// time it changes, until the page or the server is gone. While there is none, the page keeps its
// last state and gets an event with the problem, and an empty one at the end of the problem.
func (s *Server) stream(
	w http.ResponseWriter, r *http.Request, current func(context.Context) ([]byte, error),
) {
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
	problem := ""
	for {
		data, text := look(r.Context(), current)
		if text != problem {
			line, _ := json.Marshal(text)
			if !send("event: problem\ndata: %s\n\n", line) {
				return
			}
			problem = text
		}
		if version := versionOf(data); data != nil && version != sent {
			if !send("id: %s\ndata: %s\n\n", version, data) {
				return
			}
			sent = version
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

// look returns the current data, or the problem in words. It does not wait for a slow study.
func look(
	ctx context.Context, current func(context.Context) ([]byte, error),
) (data []byte, problem string) {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	data, err := current(ctx)
	if err != nil {
		return nil, format.OneLine(err)
	}
	return data, ""
}
