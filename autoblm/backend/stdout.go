package backend

import (
	"os"
	"sync"

	"golang.org/x/term"
)

// stdoutLock serializes the replacement of os.Stdout.
var stdoutLock sync.Mutex

// redirectStdout runs f with standard output sent to standard error, or discarded if that
// is not a terminal. GoMLX prints reports to standard output, which is for results.
func redirectStdout(f func() error) error {
	stdoutLock.Lock()
	defer stdoutLock.Unlock()
	target := os.Stderr
	if !term.IsTerminal(int(target.Fd())) {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer null.Close()
		target = null
	}
	stdout := os.Stdout
	os.Stdout = target
	defer func() { os.Stdout = stdout }()
	return f()
}
