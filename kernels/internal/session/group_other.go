//go:build !unix

package session

import (
	"errors"
	"os"
	"os/exec"
)

type group struct{}

func newGroup() (*group, error) {
	return nil, errors.New("notebooks run from here on Linux and macOS only: open them in Jupyter")
}

func (*group) start(*exec.Cmd) error { return nil }
func (*group) kill() error           { return nil }

func interrupt(p *os.Process) error { return p.Kill() }
