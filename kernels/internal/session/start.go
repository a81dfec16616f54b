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
