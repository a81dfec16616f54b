package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/wire"
	"github.com/go-zeromq/zmq4"
)

// startLimit is how long a kernel may take until it answers.
const startLimit = time.Minute

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

// Start starts a kernel in a working folder, with variables on top of those of
// this program and of the spec, and waits until it answers.
func Start(ctx context.Context, spec kernelspec.Spec, dir string, variables map[string]string) (_ *Kernel, err error) {
	k := &Kernel{
		spec:    spec,
		id:      rand.Text(),
		key:     []byte(rand.Text()),
		ended:   make(chan struct{}),
		replies: make(chan received),
		says:    make(chan received),
		takers:  map[string]func(wire.Message){},
	}
	k.open, k.close = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, k.Close())
		}
	}()
	if k.folder, err = privateFolder(); err != nil {
		return nil, err
	}
	place := newConnection(k.folder, string(k.key))
	if err := k.launch(place, dir, variables); err != nil {
		return nil, err
	}
	if err := k.connect(ctx, place); err != nil {
		return nil, fmt.Errorf("the kernel %s does not start: %w%s", spec.DisplayName, err, k.lastWords())
	}
	return k, nil
}

// launch starts the process.
func (k *Kernel) launch(place connection, dir string, variables map[string]string) error {
	var random [16]byte
	rand.Read(random[:])
	file := filepath.Join(k.folder, "kernel-"+hex.EncodeToString(random[:])+".json") // GoNB reads the number from this name
	if err := place.write(file); err != nil {
		return err
	}
	temporary := filepath.Join(k.folder, "tmp")
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return err
	}
	log, err := os.Create(k.log())
	if err != nil {
		return err
	}
	defer log.Close()

	arguments := slices.Clone(k.spec.Argv)
	for i, a := range arguments {
		arguments[i] = strings.ReplaceAll(a, kernelspec.ConnectionFile, file)
	}
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Dir = dir
	command.Stdout, command.Stderr = log, log
	command.Env = os.Environ()
	for _, more := range []map[string]string{k.spec.Env, variables, {"TMPDIR": temporary}} {
		for _, name := range slices.Sorted(maps.Keys(more)) {
			command.Env = append(command.Env, name+"="+more[name])
		}
	}
	if k.group, err = newGroup(); err != nil {
		return err
	}
	if err := k.group.start(command); err != nil {
		return fmt.Errorf("the kernel %s does not start: %w", k.spec.DisplayName, err)
	}
	k.process = command
	go func() {
		command.Wait()
		close(k.ended)
	}()
	return nil
}

// connect joins the sockets and waits for the first answer.
func (k *Kernel) connect(ctx context.Context, place connection) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("no answer within %v", startLimit))
	defer cancel()
	ctx, stop := k.whileRunning(ctx)
	defer stop()

	k.shell = zmq4.NewDealer(k.open, quiet)
	k.control = zmq4.NewDealer(k.open, quiet)
	output := zmq4.NewSub(k.open, quiet)
	if err := output.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		return err
	}
	for _, end := range []struct {
		socket zmq4.Socket
		port   int
	}{{k.shell, place.Shell}, {k.control, place.Control}, {output, place.Output}} {
		if err := place.dial(ctx, end.socket, end.port); err != nil {
			return err
		}
	}
	go k.receive(k.shell, k.replies)
	go k.receive(output, k.says)
	return k.hello(ctx)
}

// hello asks the kernel who it is until something is heard on the output. Only
// then has the kernel taken note of the subscription, and nothing is lost.
func (k *Kernel) hello(ctx context.Context) error {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if _, err := k.send(k.shell, "kernel_info_request", struct{}{}); err != nil {
			return err
		}
		soon := time.After(50 * time.Millisecond)
		for waiting := true; waiting; {
			select {
			case m := <-k.says:
				return m.err
			case m := <-k.replies: // what the kernel says of itself is of no interest
				if m.err != nil {
					return m.err
				}
			case <-soon:
				waiting = false
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// whileRunning is done when the kernel's process is gone, too.
func (k *Kernel) whileRunning(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-k.ended:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
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
