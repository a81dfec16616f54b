package labtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const (
	starting = 3 * time.Minute  // the longest that JupyterLab may take to start
	stopping = 30 * time.Second // and to end its kernels
)

// Lab is a JupyterLab that serves one folder until the test ends.
type Lab struct{ page *url.URL } // with the token

// Start starts a JupyterLab on a folder of notebooks. It knows the kernels that
// Jupyter knows here and nothing else of this user: no settings, no windows that
// were open. Temporary files go to a folder of the test.
func Start(t *testing.T, folder string) *Lab {
	t.Helper()
	command := program(t)
	home := t.TempDir()
	for _, each := range []string{"config/labconfig", "runtime", "tmp"} {
		if err := os.MkdirAll(filepath.Join(home, each), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// The offer to show news would ask the network and lie over the page.
	quiet := `{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}`
	if err := os.WriteFile(filepath.Join(home, "config/labconfig/page_config.json"), []byte(quiet), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, command[0], append(command[1:],
		"--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", fmt.Sprintf("--ServerApp.port=%d", freePort(t)),
		"--ServerApp.root_dir="+folder,
	)...)
	server.Env = append(os.Environ(),
		"TMPDIR="+filepath.Join(home, "tmp"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(home, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(home, "runtime"),
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(home, "settings"),
		"JUPYTERLAB_WORKSPACES_DIR="+filepath.Join(home, "workspaces"),
	)
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) } // upon which it ends its kernels
	server.WaitDelay = stopping
	if err := server.Start(); err != nil {
		t.Fatalf("JupyterLab does not start: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		server.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if t.Failed() {
			t.Logf("JupyterLab said:\n%s", &said)
		}
	})
	return &Lab{address(t, filepath.Join(home, "runtime"), ended)}
}

// program is the command that starts JupyterLab.
func program(t *testing.T) []string {
	t.Helper()
	if python := os.Getenv("AUTOBLM_JUPYTERLAB"); python != "" {
		return []string{python, "-m", "jupyterlab"}
	}
	lab, err := exec.LookPath("jupyter-lab")
	if err != nil {
		t.Skipf("there is no JupyterLab: %v: pip install jupyterlab into a virtual environment, and name its Python by AUTOBLM_JUPYTERLAB", err)
	}
	return []string{lab}
}

// freePort is a port that nobody listens on; should somebody take it now,
// JupyterLab tries others.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// address waits until the server has written where it is.
func address(t *testing.T, runtime string, ended <-chan struct{}) *url.URL {
	t.Helper()
	for limit := time.After(starting); ; {
		if page := written(runtime); page != nil {
			return page
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ended:
			t.Fatal("JupyterLab ended as it began")
		case <-limit:
			t.Fatalf("JupyterLab has not started in %v", starting)
		}
	}
}

// written is what the server's file says, if there is one and it is whole.
func written(runtime string) *url.URL {
	files, _ := filepath.Glob(filepath.Join(runtime, "jpserver-*.json"))
	if len(files) == 0 {
		return nil
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		return nil
	}
	var server struct{ URL, Token string }
	if err := json.Unmarshal(content, &server); err != nil {
		return nil
	}
	page, err := url.Parse(server.URL)
	if err != nil {
		return nil
	}
	page.RawQuery = url.Values{"token": {server.Token}}.Encode()
	return page
}
