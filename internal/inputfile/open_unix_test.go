//go:build unix

package inputfile_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestOpen checks that only regular files are opened, and that a pipe does not block.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(path("file"), []byte("it"), 0o644))
	require.NoError(t, syscall.Mkfifo(path("pipe"), 0o644))
	t.Chdir(dir) // a socket has a short name
	socket, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer socket.Close()
	for _, name := range []string{"file", "pipe"} {
		require.NoError(t, os.Symlink(name, path("to "+name)))
	}
	for name, want := range map[string]string{
		"file": "", "to file": "", "nothing": "no such file", ".": "is a folder, not a file",
		"pipe": "is a named pipe, not a file", "to pipe": "is a named pipe", "socket": "is a socket",
		"/dev/zero": "is a device",
	} {
		if filepath.Base(name) == name {
			name = path(name)
		}
		content, err := inputfile.Read(name)
		if want == "" && (err != nil || string(content) != "it") || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: %q, %v; want %q", name, content, err, want)
		}
	}
}
