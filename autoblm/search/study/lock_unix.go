//go:build unix && !aix && !solaris && !illumos

package study

import (
	"io"
	"os"
	"syscall"
)

// SQLite locks bytes of the file from here on: one for who waits to write, one
// for who is about to, and 510 for readers.
const (
	firstLockByte = 0x40000000
	lockBytes     = 512
)

// lockHolder is the number of the process that has a lock on the study, 0 where
// the system does not say. It must not be called for a file that this process
// itself has locked: closing a file ends all locks that a process has on it.
func lockHolder(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: firstLockByte, Len: lockBytes}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil || lock.Type == syscall.F_UNLCK {
		return 0
	}
	return int(max(0, lock.Pid)) // -1 is a process on another machine
}
