package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

type installCommand struct {
	Checkout   string `help:"Let cells import the library from this checkout (default: the one you are in)." type:"path" placeholder:"DIR" xor:"library"`
	Release    string `help:"Let cells import this release of the library." placeholder:"VERSION" xor:"library"`
	Gopls      bool   `help:"Install gopls, too: completion and documentation in cells."`
	CUDAPlugin string `name:"cuda-plugin" help:"The CUDA plugin for XLA, a file (default: XLA finds it where go-xla installs it)." type:"path" placeholder:"FILE"`
}

func (c installCommand) Run(ctx context.Context, out io.Writer, where places) error {
	library, err := c.library()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Installing the kernels. The first time this compiles for a few minutes.")
	err = install.Install(ctx, install.Settings{
		Home:    where.home,
		Jupyter: where.jupyter,
		Library: library,
		Pins:    pins,
		Gopls:   c.Gopls,
		Plugin:  c.CUDAPlugin,
		Report:  func(step string) { fmt.Fprintln(out, " ", step) },
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Done. Start Jupyter, open a notebook and choose %q. If something does not work: %s doctor\n", install.CPU.Title, install.Command())
	return nil
}

func (c installCommand) library() (install.Library, error) {
	switch {
	case c.Checkout != "":
		return install.AtCheckout(c.Checkout)
	case c.Release != "":
		return install.Library{Version: c.Release}, nil
	}
	return install.FindLibrary(".")
}

type uninstallCommand struct{}

func (uninstallCommand) Run(out io.Writer, where places) error {
	return install.Uninstall(where.home, func(removed string) { fmt.Fprintln(out, "removed", removed) })
}
