package kernel

import "golang.org/x/sys/unix"

// requestAMX asks Linux to save the tile state when it switches threads. It fails with EINVAL
// before Linux 5.16, and with ENOSPC if a thread's signal stack is too small for the tiles.
func requestAMX() error {
	const requestPermission, tileData = 0x1023, 18
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
