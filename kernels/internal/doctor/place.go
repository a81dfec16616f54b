package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

// temporaryFolder sees whether programs run in the folder for temporary files,
// where each cell is compiled and started.
func (p Patient) temporaryFolder(ctx context.Context) Finding {
	const subject = "folder for temporary files"
	const mend = "set TMPDIR to a folder that you can write to, on a file system without the option noexec, before you start Jupyter"
	dir, err := os.MkdirTemp("", "autoblm-doctor-")
	if err != nil {
		return bad(subject, err.Error(), mend)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		return bad(subject, err.Error(), mend)
	}
	if err := exec.CommandContext(ctx, program).Run(); err != nil {
		return bad(subject, fmt.Sprintf("programs do not run in %s: %v", os.TempDir(), err), mend)
	}
	return good(subject, os.TempDir())
}

// jupyter sees whether Jupyter is there and looks for kernels where they are.
func (p Patient) jupyter(ctx context.Context) Finding {
	const subject = "Jupyter"
	program, err := exec.LookPath("jupyter")
	if err != nil {
		return note(subject, "it is not installed; notebooks can be executed, but not opened",
			"install it: sudo apt install jupyter-notebook, or pip install jupyterlab")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "kernelspec", "list", "--json").Output()
	var list struct {
		Specs map[string]struct {
			Folder string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	name := install.CPU.Name
	seen, want := list.Specs[name].Folder, filepath.Dir(install.CPU.File(p.Jupyter))
	if err != nil { // Debian packs this command apart, and notebooks do without it
		var paths error
		if seen, paths = inPaths(ctx, program, name); paths != nil {
			return note(subject, fmt.Sprintf("neither %s kernelspec list nor --paths works: %v; %v", program, err, paths),
				"install it anew: sudo apt install jupyter-notebook, or pip install jupyterlab")
		}
	}
	if _, err := os.Stat(want); err != nil {
		return good(subject, program) // that there is no kernel is said elsewhere
	}
	switch {
	case seen == "":
		return bad(subject, fmt.Sprintf("it does not see the kernel %s in %s", name, want),
			"install into the folder that Jupyter names; "+reinstall+` --user-dir "$(jupyter --data-dir)"`)
	case !sameFile(seen, want):
		return bad(subject, fmt.Sprintf("it takes the kernel %s from %s, not from %s", name, seen, want),
			"remove the folder "+seen)
	}
	return good(subject, program+" sees the kernels")
}

// inPaths is the first folder of a kernel in those that Jupyter looks in, or "".
func inPaths(ctx context.Context, program, name string) (string, error) {
	out, err := exec.CommandContext(ctx, program, "--paths", "--json").Output()
	var paths struct {
		Data []string `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(out, &paths)
	}
	for _, data := range paths.Data {
		folder := filepath.Join(data, "kernels", name)
		if _, err := os.Stat(filepath.Join(folder, "kernel.json")); err == nil {
			return folder, nil
		}
	}
	return "", err
}

func sameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}
