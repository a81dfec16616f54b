//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attacked is the program that is attacked.
type attacked struct{ path string }

// trial is one run of it.
type trial struct {
	folder    string // where
	arguments []string
	// after so long it gets the signal, if that is not 0.
	after  time.Duration
	signal syscall.Signal
	// fileSize and memory are limits in bytes, where not 0.
	fileSize, memory uint64
	stdout           *os.File // in place of a buffer
}

// ended is how it ended.
type ended struct {
	status         int // -1 after a signal
	signal         syscall.Signal
	signalled      bool // it was still running when the signal came
	stuck          bool // and did not end within patience
	stdout, stderr []byte
	took           time.Duration
	memory         int64 // the most that it had, in bytes
}

// patience is how long a program that is asked to end may go on.
const patience = 20 * time.Second

// environment is that of each trial: all that it finds is in its folder.
func environment(folder string) []string {
	return append(os.Environ(), "AUTOBLM_DATA="+folder, "XDG_CACHE_HOME="+folder+"/cache", "HOME="+folder, "TMPDIR="+folder+"/tmp",
		"GOMAXPROCS=1", "AUTOBLM_BACKEND=", "GOMLX_BACKEND=", "NO_COLOR=1")
}

// run runs the program; an error is one of the attack itself.
func (p attacked) run(ctx context.Context, t trial) (ended, error) {
	command := exec.Command(p.path, t.arguments...)
	command.Dir, command.Env = t.folder, environment(t.folder)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if t.stdout != nil {
		command.Stdout = t.stdout
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return ended{}, fmt.Errorf("cannot run the program: %w", err)
	}
	for resource, most := range map[int]uint64{unix.RLIMIT_FSIZE: t.fileSize, unix.RLIMIT_AS: t.memory} {
		if most > 0 { // before it has done anything; it may have ended, though
			_ = unix.Prlimit(command.Process.Pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
		}
	}
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	var e ended
	var moment, last <-chan time.Time
	if t.signal != 0 {
		moment = time.After(t.after)
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-moment:
			moment, last = nil, time.After(patience)
			e.signalled = command.Process.Signal(t.signal) == nil
		case <-last:
			e.stuck = true
			_ = command.Process.Kill()
		case <-ctx.Done():
			_ = command.Process.Kill()
			<-done
			return e, ctx.Err()
		}
	}
	e.took, e.stdout, e.stderr, e.status = time.Since(began), stdout.Bytes(), stderr.Bytes(), command.ProcessState.ExitCode()
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		e.memory = usage.Maxrss * 1024
	}
	return e, nil
}

// killed says whether the signal ended it.
func (e ended) killed() bool { return e.signalled && e.status < 0 }

// misbehaviour is what no run may do, whatever happens to it; "" where there is none.
func (e ended) misbehaviour() string {
	said := string(e.stderr)
	for _, sign := range []string{"panic:", "fatal error:", "goroutine ", "SIGSEGV", "runtime error"} {
		if strings.Contains(said, sign) {
			return "a stack trace: " + said
		}
	}
	if e.stuck {
		return "it does not listen: it went on for " + patience.String() + " after the signal"
	}
	if e.status < 0 {
		return "" // a signal
	}
	last := strings.TrimSuffix(said, "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	switch {
	case e.status > 2:
		return fmt.Sprintf("the exit status is %d: %s", e.status, said)
	case e.status > 0 && !strings.HasPrefix(last, "autoblm: "):
		return "the last line is no error: " + said
	case strings.ContainsRune(said, '\x1b'):
		return "an escape sequence in a message: " + fmt.Sprintf("%q", said)
	}
	return ""
}

func (t trial) String() string { return "autoblm " + strings.Join(t.arguments, " ") }

func (e ended) String() string {
	how := fmt.Sprintf("status %d", e.status)
	if e.status < 0 {
		how = e.signal.String()
	}
	return fmt.Sprintf("  %s after %.3f s: %.2000s", how, e.took.Seconds(), e.stderr)
}
