package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/wire"
	"github.com/go-zeromq/zmq4"
)

var errEnded = errors.New("its process ended")

// Kernel is a running kernel. Its methods are for one goroutine.
type Kernel struct {
	spec    kernelspec.Spec
	id      string
	key     []byte
	folder  string // private to the kernel; its temporary files and its log are there
	group   *group
	process *exec.Cmd
	ended   chan struct{} // closed when the process is gone

	open           context.Context // until the sockets close
	close          context.CancelFunc
	shell, control zmq4.Socket
	replies, says  chan received // of the shell socket, and of the output socket

	// outputs of a cell can arrive after it is done, so all cells stay known
	takers map[string]func(wire.Message)
}

// received is a message or why there is none.
type received struct {
	wire.Message
	err error
}

func (k *Kernel) receive(socket zmq4.Socket, to chan<- received) {
	defer socket.Close()
	for k.open.Err() == nil {
		var next received
		frames, err := socket.Recv()
		if err == nil {
			next.Message, err = wire.Parse(frames.Frames, k.key)
		}
		next.err = err
		select {
		case to <- next:
		case <-k.open.Done():
		}
		if err != nil {
			return
		}
	}
}

func (k *Kernel) send(socket zmq4.Socket, kind string, content any) (id string, err error) {
	m, err := wire.New(k.id, kind, content)
	if err != nil {
		return "", err
	}
	frames, err := m.Frames(k.key)
	if err != nil {
		return "", err
	}
	if err := socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		return "", fmt.Errorf("the kernel cannot be reached: %w", err)
	}
	return m.Header.ID, nil
}

// interrupt asks the kernel to stop the cell that runs.
func (k *Kernel) interrupt() error {
	if k.spec.InterruptMode != kernelspec.InterruptByMessage {
		return interrupt(k.process.Process)
	}
	_, err := k.send(k.control, "interrupt_request", struct{}{})
	return err
}

// Close ends the kernel and all that it started, and removes its files.
func (k *Kernel) Close() error {
	if k.open.Err() != nil {
		return nil // closed before
	}
	var err error
	if k.group != nil {
		err = k.group.kill()
	}
	if k.process != nil {
		<-k.ended
	}
	k.close()
	if k.control != nil {
		k.control.Close()
	}
	if k.folder != "" {
		err = errors.Join(err, os.RemoveAll(k.folder))
	}
	return err
}

func (k *Kernel) log() string { return filepath.Join(k.folder, "log") }

// lastWords are the last lines of the kernel's log, for an error.
func (k *Kernel) lastWords() string {
	const most = 10
	content, err := os.ReadFile(k.log())
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if err != nil || len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return "\n" + strings.Join(lines[max(0, len(lines)-most):], "\n")
}
