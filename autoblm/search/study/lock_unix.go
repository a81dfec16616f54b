//go:build unix && !aix && !solaris && !illumos

package study

import (
	"io"
	"os"
	"syscall"
)

// SQLite locks bytes of the file from here on: one for a process that waits to write, one for a
// process that is about to write, and 510 for readers.
const (
	firstLockByte = 0x40000000
	lockBytes     = 512
)

// lockHolder returns the id of the process that has locked a study, 0 if the system does not
// report it. It must not be called for a file that this process has locked: closing a file ends
// all locks that a process has on it.
func lockHolder(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	lock := syscall.Flock_t{
		Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: firstLockByte, Len: lockBytes,
	}
	err = syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock)
	if err != nil || lock.Type == syscall.F_UNLCK {
		return 0
	}
	return int(max(0, lock.Pid)) // -1 for a process on another machine
}
