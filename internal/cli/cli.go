// Package cli is what the command-line programs have in common: how they begin and end,
// where they write, and how they tell how far they are.
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

// Main runs a program and ends it. An interruption ends its context, and a second one the
// program at once. A reader who closes its end of a pipe ends nothing: what is written to it
// fails, and whoever writes decides.
func Main(run func(ctx context.Context, arguments []string, stdout, stderr io.Writer) int) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // not Ignore, which processes inherit
	collectInTime()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// collectInTime has garbage collected before it fills the memory: the heap may otherwise grow
// to twice of what is in use, and the process be killed for that. What GOMEMLIMIT says counts.
func collectInTime() {
	if free := memory.Free(os.DirFS("/")); free > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(free / 10 * 9)
	}
}

// usageError is a mistake in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error as a mistake in the arguments; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// Status says in one line what went wrong, if anything did, and returns the exit status.
func Status(stderr io.Writer, name string, err error) int {
	var wrong usageError
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errEnough):
		return Failed
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "%s: %s (%[1]s --help says what is possible)\n", name, format.OneLine(err))
		return Misuse
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, format.OneLine(err))
	return Failed
}

// Version is that of the module, as it was built.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
