// Package cli has what command-line programs share: start and end, output and progress.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// The exit statuses.
const (
	Done   = 0
	Failed = 1
	Misuse = 2 // of the command line
)

// Main runs a program and exits. An interrupt ends its context, and a second one ends the program
// at once. A closed pipe does not end the program: writes to it return errors.
func Main(run func(ctx context.Context, arguments []string, stdout, stderr io.Writer) int) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // processes would inherit Ignore
	limitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// limitMemory makes the garbage collector run before memory is full. Otherwise the heap may grow to
// twice the memory in use, and the system may kill the process. GOMEMLIMIT takes precedence.
func limitMemory() {
	if free := memory.Free(os.DirFS("/")); free > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(free / 10 * 9)
	}
}

// usageError is an error in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error as an error in the arguments; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// Status prints an error of a program and returns the exit status. An error in the arguments refers
// to the help of the command.
func Status(stderr io.Writer, program, command string, err error) int {
	_, isUsage := errors.AsType[usageError](err)
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errClosedPipe):
		return Failed
	case isUsage:
		printMessage(stderr, fmt.Sprintf("%s: %s (see %s --help)", program, format.OneLine(err), command))
		return Misuse
	}
	printMessage(stderr, program+": "+format.OneLine(err))
	return Failed
}
