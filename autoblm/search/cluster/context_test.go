package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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
	for _, o := range []Options{{Context: "mine"}, {Context: "mine", NKey: other}} {
		cluster, err := Connect(t.Context(), o)
		require.NoError(t, err)
		cluster.Close()
		if cluster.URL() != c.server.URL() {
			t.Errorf("connected to %s, want %s", cluster.URL(), c.server.URL())
		}
	}
	_, err := Connect(t.Context(), Options{Context: "mine", URL: "nats://127.0.0.1:1"})
	require.Error(t, err, "connect to nats://127.0.0.1:1", "no servers available")
}

// TestContextFields takes all supported fields, and refuses others that change the connection.
func TestContextFields(t *testing.T) {
	writeContext(t, "mine", map[string]any{
		"url": "nats://a", "user": "u", "password": "p", "token": "t", "creds": "~/c", "cert": "/x",
		"key": "/y", "ca": "/z", "inbox_prefix": "_INBOX_u", "tls_first": true,
	})
	o, err := Options{Context: "mine"}.withContext()
	require.NoError(t, err)
	want := Options{
		Context: "mine", URL: "nats://a", Credentials: filepath.Join(xdg.Home, "c"), TLSCert: "/x",
		TLSKey: "/y", TLSCA: "/z", user: "u", password: "p", token: "t", inbox: "_INBOX_u", tlsFirst: true,
	}
	if diff := cmp.Diff(want, o, cmp.AllowUnexported(Options{})); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", "../mine", "missing"} {
		_, err := readContext(name)
		require.Error(t, err, "nats context ls")
	}
	for _, field := range []string{"socks_proxy", "windows_cert_store"} {
		writeContext(t, "far", map[string]string{field: "a"})
		_, err = readContext("far")
		require.Error(t, err, field+" is not supported")
	}
}

// TestContextOptions gives the options that are set before those of the context. The prefix of a
// context's inbox belongs to its user.
func TestContextOptions(t *testing.T) {
	writeContext(t, "mine", map[string]string{
		"url": "nats://a", "user": "u", "inbox_prefix": "_INBOX_u",
	})
	for name, c := range map[string]struct{ given, want Options }{
		"nothing":    {Options{}, Options{URL: defaultURL}},
		"an address": {Options{URL: "nats://b"}, Options{URL: "nats://b"}},
		"a context and the default address": {
			Options{Context: "mine", URL: defaultURL},
			Options{Context: "mine", URL: defaultURL, user: "u", inbox: "_INBOX_u"},
		},
		"a context and a key": {
			Options{Context: "mine", NKey: "k"}, Options{Context: "mine", URL: "nats://a", NKey: "k"},
		},
		"a context and credentials": {
			Options{Context: "mine", Credentials: "c"},
			Options{Context: "mine", URL: "nats://a", Credentials: "c"},
		},
	} {
		got, err := c.given.withContext()
		require.NoError(t, err)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(Options{})); diff != "" {
			t.Errorf("%s: options (-want +got):\n%s", name, diff)
		}
	}
}

// TestContextFolder reads contexts from ~/.config on all systems, as the program nats does.
func TestContextFolder(t *testing.T) {
	writeContext(t, "mine", map[string]string{"url": "nats://a"})
	config := os.Getenv("XDG_CONFIG_HOME")
	home := t.TempDir()
	t.Cleanup(xdg.Reload) // after HOME is restored
	require.NoError(t, os.Rename(config, filepath.Join(home, ".config")))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", home)
	xdg.Reload()
	c, err := readContext("mine")
	require.NoError(t, err)
	if c.URL != "nats://a" {
		t.Errorf("address %q", c.URL)
	}
}

// TestNoPasswords keeps passwords out of what is printed.
func TestNoPasswords(t *testing.T) {
	const address = "nats://me:secret@127.0.0.1:1,nats://127.0.0.1:2"
	_, err := Connect(t.Context(), Options{URL: address})
	if err == nil || strings.Contains(err.Error(), "secret") ||
		!strings.Contains(err.Error(), "nats://me:xxxxx@127.0.0.1:1,nats://127.0.0.1:2") {
		t.Errorf("%v", err)
	}
}
