package backend

import (
	"os"
	"sync"

	"golang.org/x/term"
)

// stdoutLock keeps two calls from taking each other's replacement for the real one.
var stdoutLock sync.Mutex

// keepStdout keeps what the work prints out of the standard output, where the
// results of a program belong: GoMLX reports there. It goes
// to the standard error, if that is a terminal.
func keepStdout(work func() error) error {
	stdoutLock.Lock()
	defer stdoutLock.Unlock()
	elsewhere := os.Stderr
	if !term.IsTerminal(int(elsewhere.Fd())) { // what spins is no use in a file
		nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer nowhere.Close()
		elsewhere = nowhere
	}
	stdout := os.Stdout
	os.Stdout = elsewhere
	defer func() { os.Stdout = stdout }()
	return work()
}
