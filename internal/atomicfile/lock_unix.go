//go:build unix && !aix && !solaris

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file or a folder until it is closed, also by the end of the process, or says
// [errInUse]. Other errors say that it cannot be locked where it lies.
func lock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errInUse
		default:
			return err
		}
	}
}
