package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

type installCommand struct {
	Checkout   string `help:"Checkout of the library that cells import (default: the current one)." type:"path" placeholder:"DIR" xor:"library"`
	Release    string `help:"Release of the library that cells import." placeholder:"VERSION" xor:"library"`
	Gopls      bool   `help:"Install gopls too, for completion in cells."`
	CUDAPlugin string `name:"cuda-plugin" help:"CUDA plugin of XLA (default: the installed one)." type:"path" placeholder:"FILE"`
}

// Run installs the kernels and prints each step.
func (c installCommand) Run(ctx context.Context, out io.Writer, folders install.Folders) error {
	library, err := c.library()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Installing the kernels. The first installation compiles for a few minutes.")
	err = install.Install(ctx, install.Settings{
		Folders: folders,
		Library: library,
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

// library returns the library that the flags name, or the one of this program.
func (c installCommand) library() (install.Library, error) {
	switch {
	case c.Checkout != "":
		return install.AtCheckout(c.Checkout)
	case c.Release != "":
		return install.Library{Version: c.Release}, nil
	}
	return install.FindLibrary(".")
}
