package seccomptest

import (
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Start starts a command whose requests for the state of the matrix unit fail with an error number.
// It returns an error if a sandbox allows no filter.
func Start(command *exec.Cmd, answer syscall.Errno) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread and its filter end with the goroutine
		err := refuse(answer)
		if err == nil {
			err = command.Start()
		}
		started <- err
	}()
	return <-started
}

// refuse filters the system calls of this thread and of the processes that it starts.
func refuse(answer syscall.Errno) error {
	const (
		numberAt, architectureAt, firstArgumentAt = 0, 4, 16 // in struct seccomp_data
		requestPermission                         = 0x1023

		load     = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		isEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answerBy = unix.BPF_RET | unix.BPF_K
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
	address := uintptr(unsafe.Pointer(&program))
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, address, 0, 0)
}
