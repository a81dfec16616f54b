package cluster

import (
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestSmallerStore restarts a server with less room than its stores have, as after the disk filled:
// the room of the stores follows, and what they hold stays.
func TestSmallerStore(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease, maxStore: 40 << 20}
	c.start("127.0.0.1:0")
	content := noise(4 << 20)
	_, err := c.connect().data.PutBytes(t.Context(), "data", content)
	require.NoError(t, err)
	for i, mb := range []int64{31, 20, 40, 6} {
		c.server.Close()
		c.maxStore = mb << 20
		c.start("127.0.0.1:0")
		end := c.worker("w", fakeTask{})
		on := c.task()
		trainBoth(t, on, fakeTask{}, i+2) // one of them is new
		end()
		got, err := on.cluster.data.GetBytes(t.Context(), "data")
		require.NoError(t, err)
		if string(got) != string(content) {
			t.Errorf("%d MiB: other content", mb)
		}
		for _, bucket := range []string{dataBucket, artifactBucket} {
			stream, err := on.cluster.js.Stream(t.Context(), "OBJ_"+bucket)
			require.NoError(t, err)
			want := c.maxStore / 5 * 2
			if room := stream.CachedInfo().Config.MaxBytes; room != want {
				t.Errorf("%d MiB: room of %d bytes in %s, want %d", mb, room, bucket, want)
			}
		}
	}
	cluster := c.connect()
	_, err = cluster.data.PutBytes(t.Context(), "more", noise(2<<20))
	if !isFull(err) {
		t.Errorf("more data than there is room for: %v", err)
	}
	require.NoError(t, cluster.remove(t.Context(), cluster.data, "data"))
	_, err = cluster.data.PutBytes(t.Context(), "more", noise(2<<20))
	require.NoError(t, err)
}
