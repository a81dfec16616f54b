package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

type installCommand struct {
	Gopls      bool   `help:"Install gopls too, for completion in cells."`
	CUDAPlugin string `name:"cuda-plugin" help:"CUDA plugin of XLA (default: the installed one)." type:"path" placeholder:"FILE"`
}

// Run installs the kernels and prints each step.
func (c installCommand) Run(ctx context.Context, out io.Writer, folders install.Folders) error {
	fmt.Fprintln(out, "Installing the kernels. The first installation compiles for a few minutes.")
	err := install.Install(ctx, install.Settings{
		Folders: folders,
		Pins:    pins,
		Gopls:   c.Gopls,
		Plugin:  c.CUDAPlugin,
		Report:  func(step string) { fmt.Fprintln(out, " ", step) },
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Done. Start Jupyter, open a notebook and choose %q.\n", install.CPU.Title)
	if hint := checkJupyter(ctx, folders.Jupyter); hint != "" {
		fmt.Fprintln(out, "But", hint)
	}
	return nil
}

// checkJupyter returns what to do if Jupyter does not find the kernels in a folder, or "".
func checkJupyter(ctx context.Context, folder string) string {
	const missing = "Jupyter is missing: pip install jupyterlab, or sudo apt install jupyter-notebook"
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "jupyter", "kernelspec", "list", "--json").Output()
	var list struct {
		Kernels map[string]struct {
			Folder string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if err != nil || json.Unmarshal(out, &list) != nil {
		return missing
	}
	found := list.Kernels[install.CPU.Name].Folder
	foundInfo, foundErr := os.Stat(found)
	wantInfo, wantErr := os.Stat(filepath.Dir(install.CPU.File(folder)))
	switch {
	case foundErr != nil || wantErr != nil:
		return `Jupyter does not find the kernels: install with --user-dir "$(jupyter --data-dir)"`
	case !os.SameFile(foundInfo, wantInfo):
		return "Jupyter uses other kernels: remove the folder " + found
	}
	return ""
}
