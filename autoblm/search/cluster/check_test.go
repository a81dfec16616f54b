package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestCheckCredentials accepts credentials with a JWT and a key, and refuses others, without a
// server.
func TestCheckCredentials(t *testing.T) {
	key, err := NewKey()
	require.NoError(t, err)
	token := "-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n"
	seed := "-----BEGIN USER NKEY SEED-----\n" + key.Seed + "\n------END USER NKEY SEED------\n"
	path := filepath.Join(t.TempDir(), "user.creds")
	for content, want := range map[string]string{
		token + seed: "", token: "read the credentials " + path, seed[:40]: "read the credentials " + path,
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		err := Options{Credentials: path}.Check()
		if want == "" {
			require.NoError(t, err)
		} else {
			require.Error(t, err, want)
		}
	}
}
