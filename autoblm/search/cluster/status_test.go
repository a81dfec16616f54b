package cluster

import (
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestStatusAsksTheConnection loses and regains a connection on a clock that was set back in between.
func TestStatusAsksTheConnection(t *testing.T) {
	test := newTestCluster(t)
	c := test.connect()
	c.lost.Store(time.Now().Add(time.Hour).UnixNano())
	_, err := c.Status(t.Context())
	require.NoError(t, err)
	c.lost.Store(0)
	test.server.Close()
	for c.conn.IsConnected() {
		time.Sleep(time.Millisecond)
	}
	_, err = c.Status(t.Context())
	require.Error(t, err, "not connected since "+time.Now().Format("Jan 2"))
}
