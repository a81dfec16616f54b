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

// childVariable marks the child process of a test.
const childVariable = "AUTOBLM_TEST_PERMISSION"

// childCommand returns a command that runs this test in a child process.
func childCommand(t *testing.T) (command *exec.Cmd, output *bytes.Buffer) {
	t.Helper()
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 {
		t.Skip("this processor has no AMX")
	}
	command, output = exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$"), &bytes.Buffer{}
	command.Env = append(os.Environ(), childVariable+"=1", "GODEBUG=asyncpreemptoff=1")
	command.Stdout, command.Stderr = output, output
	return command, output
}

// printSets prints the available sets and why AMX is not one of them.
func printSets() {
	names := ""
	for _, u := range kernel.BF16Sets() {
		names += u.Name + " "
	}
	os.Stdout.WriteString("sets " + names + "\nrefusal: " + kernel.AMXRefusal() + "\n")
}

// checkFallback checks that AVX512-BF16 replaces AMX and that the output has the reason.
func checkFallback(t *testing.T, output string, reason syscall.Errno) {
	t.Helper()
	if !strings.Contains(output, "sets avx512-bf16 go") ||
		!strings.Contains(output, "refusal: the processor has AMX") ||
		!strings.Contains(output, reason.Error()) {
		t.Errorf("AMX refused with %v, output:\n%s", reason, output)
	}
}

// TestAMXRefused checks the fallback for an old kernel, a sandbox and another system.
func TestAMXRefused(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		printSets()
		return
	}
	for _, answer := range []syscall.Errno{unix.EINVAL, unix.EPERM, unix.ENOSYS} {
		command, output := childCommand(t)
		if err := seccomptest.Start(command, answer); err != nil {
			t.Skip("seccomp is not available:", err)
		}
		if err := command.Wait(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		checkFallback(t, output.String(), answer)
	}
}

// TestAMXRefusedForSmallStack checks the fallback for a thread whose signal stack is too small
// for the tiles, as a C library may create one. Once a process has AMX, Linux refuses such
// stacks, so no signal finds its stack too small.
func TestAMXRefusedForSmallStack(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		command, output := childCommand(t)
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		checkFallback(t, output.String(), unix.ENOSPC)
		return
	}
	runtime.LockOSThread()
	small := make([]byte, 8<<10) // the size of the tiles alone
	var before stack
	signalStack(t, &stack{base: &small[0], size: uintptr(len(small))}, &before)
	printSets()
	signalStack(t, &before, nil)
	runtime.KeepAlive(small)
}

// stack is Linux's stack_t.
type stack struct {
	base  *byte
	flags int32
	size  uintptr
}

// signalStack sets the signal stack of this thread.
func signalStack(t *testing.T, to, before *stack) {
	t.Helper()
	if _, _, errno := unix.RawSyscall(unix.SYS_SIGALTSTACK, uintptr(unsafe.Pointer(to)),
		uintptr(unsafe.Pointer(before)), 0); errno != 0 {
		t.Fatal(errno)
	}
}
