package cluster

import (
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/require"
	"golang.org/x/sys/unix"
)

// TestFullDisk fills the disk of a server: it ends with an error, and continues when there is room.
func TestFullDisk(t *testing.T) {
	store := t.TempDir()
	if err := unix.Mount("tmpfs", store, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("mounting needs permission: %v", err)
	}
	defer unix.Unmount(store, unix.MNT_DETACH)
	c := &testCluster{t: t, store: store, lease: testLease, maxStore: 1 << 30}
	c.start("127.0.0.1:0")
	worker := &Worker{Cluster: c.connect(), Name: "w"}
	require.NoError(t, worker.store(t.Context(), "key", result{Version: version, Worker: "w"}))
	ended := make(chan error, 1)
	go func() { ended <- c.server.Wait(t.Context()) }()
	worker.Cluster.idle = 200 * time.Millisecond
	model := map[string][]byte{"model.json": noise(10 << 20)}
	for filling := true; filling; {
		if err := worker.Cluster.sendArtifact(t.Context(), "other", model); err == nil {
			t.Fatal("a model was stored without room")
		}
		select {
		case err := <-ended:
			require.Error(t, err, "no space left on device; if the disk is full, free space there")
			filling = false
		case <-time.After(100 * time.Millisecond):
		}
	}
	c.server.Close()
	require.NoError(t, unix.Mount("", store, "", unix.MS_REMOUNT, "size=64m"))
	c.start("127.0.0.1:0")
	if !(&Worker{Cluster: c.connect()}).hasResult(t.Context(), "key") {
		t.Error("the result is lost")
	}
}
