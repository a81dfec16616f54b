package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/kerneltest"
	"github.com/autoblm/autoblm-go/kernels/internal/wire"
)

// holder is the variable that makes the test program one that holds a kernel.
const holder = "AUTOBLM_TEST_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holder) != "" {
		os.Unsetenv(holder)
		hold()
	}
	kerneltest.Main(m)
}

// hold starts a kernel with a process below it, prints the numbers of both, and waits to be killed.
func hold() {
	k, err := Start(context.Background(), kerneltest.Spec(), "", nil)
	if err != nil {
		panic(err)
	}
	var child string
	if _, err := k.Execute(context.Background(), "spawn", func(m wire.Message) { child += text(m) }); err != nil {
		panic(err)
	}
	fmt.Println(k.process.Process.Pid, strings.TrimSpace(child))
	select {}
}

func TestExecute(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k := start(t, dir, map[string]string{"MINE": "yes"})
	for i, test := range []struct{ cell, want string }{
		{"print a\nprint b", "a\nb\n"},
		{"", ""},
		{"variable MINE", "yes\n"},
		{"folder", dir + "\n"},
		{"print before\nfail x\nprint after", "before\n"},
		{"flood 3000000", strings.Repeat("x", 3_000_000)},
	} {
		var got strings.Builder
		count, err := k.Execute(t.Context(), test.cell, func(m wire.Message) { got.WriteString(text(m)) })
		if err != nil || count != i+1 || got.String() != test.want {
			t.Errorf("%q: execution %d, error %v, %d bytes of output that begin %.50q, want %.50q", test.cell, count, err, got.Len(), got.String(), test.want)
		}
	}
}

func TestLateOutputsGoToTheirCell(t *testing.T) {
	k := start(t, "", nil)
	outputs := make([]int, 2)
	for i, cell := range []string{"late x", "print y"} {
		if _, err := k.Execute(t.Context(), cell, func(wire.Message) { outputs[i]++ }); err != nil {
			t.Fatal(err)
		}
	}
	before := outputs[0]
	if err := k.Settle(t.Context(), 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if outputs[0] != before+1 {
		t.Errorf("the first cell has %d outputs, before the late one %d", outputs[0], before)
	}
}

var errTime = errors.New("too long")

func TestInterruptedCellSaysItsLastWords(t *testing.T) {
	k := start(t, "", nil)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errTime)
	defer cancel()
	var last wire.Message
	_, err := k.Execute(ctx, "hang", func(m wire.Message) {
		if m.Header.Type == "error" {
			last = m
		}
	})
	if !errors.Is(err, errTime) {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(string(last.Content), "interrupted") {
		t.Errorf("last words %s", last.Content)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	k := start(t, "", nil)
	var out string
	if _, err := k.Execute(t.Context(), "spawn\ntemporary x", func(m wire.Message) { out += text(m) }); err != nil {
		t.Fatal(err)
	}
	child, file, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if _, err := os.Stat(file); err != nil || !strings.HasPrefix(file, k.folder) {
		t.Errorf("temporary file %q outside of the kernel's folder: %v", file, err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errTime)
	defer cancel()
	if _, err := k.Execute(ctx, "ignore", func(wire.Message) {}); !errors.Is(err, errTime) {
		t.Errorf("error %v", err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	gone(t, fmt.Sprint(k.process.Process.Pid), child)
	if _, err := os.Stat(k.folder); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", k.folder, err)
	}
}

func TestNothingOutlivesAKilledProgram(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), holder+"=1", "TMPDIR="+t.TempDir())
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var kernel, child string
	_, scanned := fmt.Fscan(out, &kernel, &child)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait()
	if scanned != nil {
		t.Fatal(scanned)
	}
	gone(t, kernel, child)
}

func TestKernelsThatDie(t *testing.T) {
	k := start(t, "", nil)
	_, err := k.Execute(t.Context(), "die", func(wire.Message) {})
	if err == nil || !strings.Contains(err.Error(), "its process ended") || !strings.Contains(err.Error(), "a reason to die") {
		t.Errorf("error %v, want one with the kernel's last words", err)
	}

	for name, argv := range map[string][]string{
		"its process ended\nno luck": {"/bin/sh", "-c", "echo no luck; exit 1"},
		"no such file":               {filepath.Join(t.TempDir(), "none")},
	} {
		_, err := Start(t.Context(), kernelspec.Spec{DisplayName: "Bad", Argv: argv}, "", nil)
		if err == nil || !strings.Contains(err.Error(), "Bad does not start") || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: error %v, want one with %q", argv, err, name)
		}
	}
}

func TestStartCanBeGivenUp(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errTime)
	defer cancel()
	silent := kernelspec.Spec{Argv: []string{"/bin/sh", "-c", "sleep 1000"}}
	if _, err := Start(ctx, silent, "", nil); !errors.Is(err, errTime) {
		t.Errorf("error %v", err)
	}
}

func TestLongTemporaryFolder(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	k := start(t, "", nil)
	if _, err := k.Execute(t.Context(), "print x", func(wire.Message) {}); err != nil {
		t.Error(err)
	}
}

func start(t *testing.T, dir string, variables map[string]string) *Kernel {
	t.Helper()
	k, err := Start(t.Context(), kerneltest.Spec(), dir, variables)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// gone waits until processes are no more, or only wait for their parent to notice.
func gone(t *testing.T, processes ...string) {
	t.Helper()
	for _, number := range processes {
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if syscall.Kill(pid, 0) != nil || isZombie(number) {
				break
			}
			if time.Now().After(until) {
				t.Errorf("process %d is still there", pid)
				break
			}
		}
	}
}

// isZombie says whether a process is dead, but its parent has not noticed.
func isZombie(number string) bool {
	if stat, err := os.ReadFile("/proc/" + number + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z")
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", number).Output()
	return err == nil && strings.HasPrefix(string(state), "Z")
}

// text is what a message of a stream says.
func text(m wire.Message) string {
	if m.Header.Type != "stream" {
		return ""
	}
	var content struct{ Text string }
	if err := json.Unmarshal(m.Content, &content); err != nil {
		return err.Error()
	}
	return content.Text
}
