package probe

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Machine is where to look. [This] is the one that the program runs on; tests
// make up others.
type Machine struct {
	// System and Processor are as GOOS and GOARCH.
	System, Processor string
	// Env is as [os.LookupEnv].
	Env func(name string) (value string, set bool)
	// Files is the whole file system, its root the root.
	Files fs.FS
	// AskGPUs is what nvidia-smi prints when it is run with the given arguments.
	AskGPUs func(ctx context.Context, arguments ...string) ([]byte, error)
}

// This is the machine that the program runs on.
func This() Machine {
	return Machine{
		System:    runtime.GOOS,
		Processor: runtime.GOARCH,
		Env:       os.LookupEnv,
		Files:     os.DirFS("/"),
		AskGPUs:   runSMI,
	}
}

func runSMI(ctx context.Context, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second) // a driver that hangs lets it hang
	defer cancel()
	return exec.CommandContext(ctx, "nvidia-smi", arguments...).Output()
}

// Problem is why something cannot be used, and what helps.
type Problem struct{ Why, Mend string }

// Error is both in one line.
func (p *Problem) Error() string { return p.Why + ": " + p.Mend }

// variable is the value of a variable, or empty.
func (m Machine) variable(name string) string {
	value, _ := m.Env(name)
	return value
}

// list are the entries of a folder, sorted; none when it cannot be read.
func (m Machine) list(folder string) []fs.DirEntry {
	entries, _ := fs.ReadDir(m.Files, inFS(folder))
	return entries
}

func (m Machine) exists(file string) bool {
	_, err := fs.Stat(m.Files, inFS(file))
	return err == nil
}

func (m Machine) read(file string) string {
	content, _ := fs.ReadFile(m.Files, inFS(file))
	return string(content)
}
