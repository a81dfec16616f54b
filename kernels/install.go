package main

import (
	"context"
	"fmt"
	"io"

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
	fmt.Fprintf(out, "If something fails, run: %s doctor\n", install.Command())
	return nil
}
