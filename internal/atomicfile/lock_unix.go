//go:build unix && !aix && !solaris

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file or a folder until it is closed or the process ends. If another process has
// locked it, the error is [errInUse]. Other errors mean that the file system has no locks.
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
