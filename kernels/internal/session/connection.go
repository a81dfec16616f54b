package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/go-zeromq/zmq4"
)

// connection is the content of the file that tells a kernel where to listen:
// https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files.
// Sockets in a private folder cannot meet those of another kernel, and nobody
// else reaches them.
type connection struct {
	Transport       string `json:"transport"`
	Address         string `json:"ip"`
	Shell           int    `json:"shell_port"`
	Output          int    `json:"iopub_port"`
	Input           int    `json:"stdin_port"`
	Control         int    `json:"control_port"`
	Heartbeat       int    `json:"hb_port"`
	SignatureScheme string `json:"signature_scheme"`
	Key             string `json:"key"`
	KernelName      string `json:"kernel_name"`
}

func newConnection(folder, key string) connection {
	return connection{
		Transport: "ipc", Address: filepath.Join(folder, "socket"),
		Shell: 1, Output: 2, Input: 3, Control: 4, Heartbeat: 5,
		SignatureScheme: "hmac-sha256", Key: key,
	}
}

func (c connection) write(path string) error {
	content, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// dial connects a socket to one of the kernel's once that is there.
func (c connection) dial(ctx context.Context, socket zmq4.Socket, port int) error {
	path := fmt.Sprintf("%s-%d", c.Address, port)
	for {
		_, err := os.Stat(path)
		if err == nil {
			return socket.Dial("ipc://" + path)
		}
		if !os.IsNotExist(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// privateFolder is a new folder for one kernel. Names of sockets must be short,
// so it lies in /tmp where the usual place has a long name.
func privateFolder() (string, error) {
	const longest = 80 // systems allow 104 bytes or more, with the name of the socket
	folder, err := os.MkdirTemp("", "autoblm-")
	if err == nil && len(folder) > longest {
		if err := os.Remove(folder); err != nil {
			return "", err
		}
		folder, err = os.MkdirTemp("/tmp", "autoblm-")
	}
	if err != nil {
		return "", fmt.Errorf("no room for a kernel's files: %w", err)
	}
	return folder, nil
}

var quiet = zmq4.WithLogger(log.New(io.Discard, "", 0))
