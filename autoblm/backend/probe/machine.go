package probe

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Machine is a machine to search. Tests make artificial ones.
type Machine struct {
	// System and Processor are GOOS and GOARCH.
	System, Processor string
	// Env looks up a variable like [os.LookupEnv].
	Env func(name string) (value string, set bool)
	// Files is the file system from the root.
	Files fs.FS
	// RunSMI runs nvidia-smi and returns its output.
	RunSMI func(ctx context.Context, arguments ...string) ([]byte, error)
}

// This returns the machine that runs the program.
func This() Machine {
	return Machine{
		System:    runtime.GOOS,
		Processor: runtime.GOARCH,
		Env:       os.LookupEnv,
		Files:     os.DirFS("/"),
		RunSMI:    runSMI,
	}
}

func runSMI(ctx context.Context, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second) // it hangs if the driver hangs
	defer cancel()
	return exec.CommandContext(ctx, "nvidia-smi", arguments...).Output()
}

// Problem says why something cannot be used, and how to fix it.
type Problem struct{ Reason, Fix string }

func (p *Problem) Error() string { return p.Reason + "; " + p.Fix }

// variable returns the value of a variable, or "".
func (m Machine) variable(name string) string {
	value, _ := m.Env(name)
	return value
}

// list returns the sorted entries of a folder, or none if it is unreadable.
func (m Machine) list(folder string) []fs.DirEntry {
	entries, _ := fs.ReadDir(m.Files, fsPath(folder))
	return entries
}

// read returns the content of a file, or "" if it is unreadable.
func (m Machine) read(file string) string {
	content, _ := fs.ReadFile(m.Files, fsPath(file))
	return string(content)
}
