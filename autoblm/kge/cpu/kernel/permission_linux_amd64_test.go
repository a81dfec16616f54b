package kernel_test

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/internal/seccomptest"
)

// askedVariable makes a test, in a process of its own, say what it is told there.
const askedVariable = "AUTOBLM_TEST_PERMISSION"

// asks is this test in a process of its own.
func asks(t *testing.T) (command *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 {
		t.Skip("this processor has no AMX")
	}
	command, said = exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$"), &bytes.Buffer{}
	command.Env = append(os.Environ(), askedVariable+"=1", "GODEBUG=asyncpreemptoff=1")
	command.Stdout, command.Stderr = said, said
	return command, said
}

// tell writes what there is without the matrix unit.
func tell() {
	names := ""
	for _, u := range kernel.Units() {
		names += u.Name + " "
	}
	os.Stdout.WriteString("units " + names + "\nrefused: " + kernel.Refused() + "\n")
}

// hold wants the next unit to stand in, and the reason.
func hold(t *testing.T, said string, reason syscall.Errno) {
	t.Helper()
	if !strings.Contains(said, "units avx512-bf16 go") || !strings.Contains(said, "refused: the processor has AMX") || !strings.Contains(said, reason.Error()) {
		t.Errorf("refused for %v, it has:\n%s", reason, said)
	}
}

// TestRefused: where the kernel does not let the matrix unit be used, the next one stands in.
func TestRefused(t *testing.T) {
	if os.Getenv(askedVariable) != "" {
		tell()
		return
	}
	for _, answer := range []syscall.Errno{unix.EINVAL, unix.EPERM, unix.ENOSYS} { // an old kernel, a sandbox, another one
		command, said := asks(t)
		if err := seccomptest.Start(command, answer); err != nil {
			t.Skip("no filter of system calls:", err)
		}
		if err := command.Wait(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		hold(t, said.String(), answer)
	}
}

// TestRefusedForASmallStack: a thread whose stack for signals has no room for the tiles, as a
// library in C may have made one, has the kernel refuse them. The other way round it refuses
// such stacks to a process that has the permission: no signal finds too little room.
func TestRefusedForASmallStack(t *testing.T) {
	if os.Getenv(askedVariable) == "" {
		command, said := asks(t)
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		hold(t, said.String(), unix.ENOSPC)
		return
	}
	runtime.LockOSThread()
	small := make([]byte, 8<<10) // the tiles alone are that
	var before stack
	signalStack(t, &stack{base: &small[0], size: uintptr(len(small))}, &before)
	tell()
	signalStack(t, &before, nil)
	runtime.KeepAlive(small)
}

// stack is the kernel's stack_t.
type stack struct {
	base  *byte
	flags int32
	size  uintptr
}

// signalStack sets the stack for signals of this thread.
func signalStack(t *testing.T, to, before *stack) {
	t.Helper()
	if _, _, errno := unix.RawSyscall(unix.SYS_SIGALTSTACK, uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(before)), 0); errno != 0 {
		t.Fatal(errno)
	}
}
