package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/adrg/xdg"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
)

// writeContext writes a context of the program nats into a new folder of settings.
func writeContext(t *testing.T, name string, content any) {
	t.Helper()
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	folder := filepath.Join(config, "nats", "context")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	text, err := json.Marshal(content)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".json"), text, 0o600))
}

// TestContext connects with the address and the key of a context. Options that are set come first.
func TestContext(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease}
	key := newKeyFile(t, &c.users.Coordinator)
	other := newKeyFile(t, &c.users.Worker)
	c.start("127.0.0.1:0")
	t.Setenv("KEYS", filepath.Dir(key))
	writeContext(t, "mine", map[string]string{
		"description": "test", "url": c.server.URL(), "nkey": "$KEYS/" + filepath.Base(key),
	})
	for _, o := range []Options{{Context: "mine"}, {Context: "mine", URL: DefaultURL, NKey: other}} {
		cluster, err := Connect(t.Context(), o)
		require.NoError(t, err)
		cluster.Close()
	}
	_, err := Connect(t.Context(), Options{Context: "mine", URL: "nats://127.0.0.1:1"})
	require.Error(t, err, "connect to nats://127.0.0.1:1", "no servers available")
}

// TestContextFields takes all supported fields, and refuses others that change the connection.
func TestContextFields(t *testing.T) {
	writeContext(t, "mine", map[string]string{
		"url": "nats://a", "user": "u", "password": "p", "token": "t", "creds": "~/c", "cert": "/x",
		"key": "/y", "ca": "/z", "inbox_prefix": "_INBOX_u",
	})
	o, err := Options{Context: "mine"}.withContext()
	require.NoError(t, err)
	want := Options{
		Context: "mine", URL: "nats://a", Credentials: filepath.Join(xdg.Home, "c"), TLSCert: "/x",
		TLSKey: "/y", TLSCA: "/z", user: "u", password: "p", token: "t", inbox: "_INBOX_u",
	}
	if diff := cmp.Diff(want, o, cmp.AllowUnexported(Options{})); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", "../mine", "missing"} {
		_, err := readContext(name)
		require.Error(t, err, "nats context ls")
	}
	writeContext(t, "far", map[string]string{"socks_proxy": "socks5://a"})
	_, err = readContext("far")
	require.Error(t, err, "socks_proxy is not supported")
}
