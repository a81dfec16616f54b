//go:build unix && !aix && !solaris

package wholefile

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file or a folder until it is closed, also by the end of the process. It
// waits for another that has it, or says [errInUse]. Other errors say that it cannot be
// locked where it lies.
func lock(file *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(file.Fd()), how)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errInUse
		default:
			return err
		}
	}
}
