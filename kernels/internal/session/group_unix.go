//go:build unix

package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// group is a process group. Its leader is a shell that kills the group when its
// input ends, which also happens when this program dies, however it does.
type group struct {
	leader *exec.Cmd
	input  io.Closer
}

func newGroup() (*group, error) {
	leader := exec.Command("/bin/sh", "-c", "read -r line; kill -KILL 0")
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := leader.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := leader.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a process group: %w", err)
	}
	return &group{leader, input}, nil
}

// start starts a command in the group.
func (g *group) start(command *exec.Cmd) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.leader.Process.Pid}
	return command.Start()
}

// kill ends all processes of the group.
func (g *group) kill() error {
	// The leader has not been waited for, so its number is not given anew.
	err := syscall.Kill(-g.leader.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		err = nil
	}
	g.input.Close()
	g.leader.Wait() // it was killed, so this is an error
	return err
}

// interrupt sends the process what Ctrl-C sends.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
