//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// program is the program under attack.
type program struct{ path string }

// invocation describes one run of the program.
type invocation struct {
	folder    string
	arguments []string
	signal    syscall.Signal // 0: none
	after     time.Duration  // of the signal
	// end asks the program to end with an interrupt; nil for none.
	end      context.Context
	fileSize uint64   // limit in bytes; 0: none
	stdout   *os.File // nil: a buffer
}

// result describes how a run ended.
type result struct {
	status         int // -1 after a signal
	signal         syscall.Signal
	signalled      bool // the program was running when the signal was sent
	hung           bool // it did not end within gracePeriod after the signal
	stdout, stderr []byte
	duration       time.Duration
}

// gracePeriod is the time within which a program must end after a signal.
const gracePeriod = 20 * time.Second

// environment restricts a run to its own folder.
func environment(folder string) []string {
	return append(os.Environ(), "AUTOBLM_DATA="+folder, "XDG_CACHE_HOME="+folder+"/cache",
		"HOME="+folder, "TMPDIR="+folder+"/tmp", "GOMAXPROCS=1", "AUTOBLM_BACKEND=",
		"GOMLX_BACKEND=", "NO_COLOR=1")
}

// run runs the program. Its error is a failure of the attack itself.
func (p program) run(ctx context.Context, i invocation) (result, error) {
	running := ctx
	if i.end != nil {
		running = i.end
	}
	if i.signal != 0 {
		timed, cancel := context.WithTimeout(running, i.after)
		defer cancel()
		running = timed
	}
	command := exec.CommandContext(running, p.path, i.arguments...)
	command.Dir, command.Env = i.folder, environment(i.folder)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if i.stdout != nil {
		command.Stdout = i.stdout
	}
	var r result
	sent := cmp.Or(i.signal, syscall.SIGKILL)
	command.Cancel = func() error {
		if i.end != nil && i.end.Err() != nil {
			sent = syscall.SIGINT
		}
		err := command.Process.Signal(sent)
		r.signalled = err == nil
		return err
	}
	command.WaitDelay = gracePeriod
	began := time.Now()
	if err := command.Start(); err != nil {
		return result{}, fmt.Errorf("cannot run the program: %w", err)
	}
	if i.fileSize > 0 { // fails if the program has ended
		limit := unix.Rlimit{Cur: i.fileSize, Max: i.fileSize}
		_ = unix.Prlimit(command.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil)
	}
	_ = command.Wait() // the state tells how it ended
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.duration, r.stdout, r.stderr = time.Since(began), stdout.Bytes(), stderr.Bytes()
	r.status = command.ProcessState.ExitCode()
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		r.signal = status.Signal()
		r.hung = r.signalled && r.signal != sent
	}
	return r, nil
}

// killed reports whether the signal ended the program.
func (r result) killed() bool { return r.signalled && r.status < 0 }

// misbehavior describes what no run may do under any circumstances, or returns "".
func (r result) misbehavior() string {
	text := string(r.stderr)
	for _, sign := range []string{
		"panic:", "fatal error:", "goroutine ", "SIGSEGV", "runtime error",
	} {
		if strings.Contains(text, sign) {
			return "stack trace: " + text
		}
	}
	if r.hung {
		return "it still ran " + gracePeriod.String() + " after the signal"
	}
	if r.status < 0 {
		return ""
	}
	last := strings.TrimSuffix(text, "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	switch {
	case r.status > 2:
		return fmt.Sprintf("exit status %d: %s", r.status, text)
	case r.status > 0 && !strings.HasPrefix(last, "autoblm: "):
		return "the last line is no error: " + text
	case strings.ContainsRune(text, '\x1b'):
		return fmt.Sprintf("escape sequence in a message: %q", text)
	}
	return ""
}

func (i invocation) String() string {
	line := "autoblm " + strings.Join(i.arguments, " ")
	if i.signal != 0 {
		line += fmt.Sprintf(" [%v after %.3f s]", i.signal, i.after.Seconds())
	}
	return line
}

func (r result) String() string {
	how := fmt.Sprintf("status %d", r.status)
	if r.status < 0 {
		how = r.signal.String()
	}
	return fmt.Sprintf("  %s after %.3f s: %.2000s", how, r.duration.Seconds(), r.stderr)
}
