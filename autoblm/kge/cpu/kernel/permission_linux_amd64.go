package kernel

import "golang.org/x/sys/unix"

// askForTiles asks for the state of tiles to be kept at switches of threads. Kernels before
// 5.16 answer EINVAL, and where a thread's stack for signals is too small for it, ENOSPC.
func askForTiles() error {
	const requestPermission, tileData = 0x1023, 18
	if _, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0); errno != 0 {
		return errno
	}
	return nil
}
