package seccomptest

import (
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Start starts a command whose requests for the state of tiles are answered by an error
// number. The error is the filter's, where a sandbox allows none, or the start's.
func Start(command *exec.Cmd, answer syscall.Errno) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its filter with it
		err := refuse(answer)
		if err == nil {
			err = command.Start()
		}
		started <- err
	}()
	return <-started
}

// refuse filters the system calls of this thread and of what it starts.
func refuse(answer syscall.Errno) error {
	const (
		numberAt, architectureAt, firstArgumentAt = 0, 4, 16 // in struct seccomp_data
		requestPermission                         = 0x1023
		load, isEqual, answerBy                   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	)
	filter := []unix.SockFilter{
		{Code: load, K: architectureAt},
		{Code: isEqual, K: unix.AUDIT_ARCH_X86_64, Jf: 5},
		{Code: load, K: numberAt},
		{Code: isEqual, K: unix.SYS_ARCH_PRCTL, Jf: 3},
		{Code: load, K: firstArgumentAt},
		{Code: isEqual, K: requestPermission, Jf: 1},
		{Code: answerBy, K: unix.SECCOMP_RET_ERRNO | uint32(answer)},
		{Code: answerBy, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
