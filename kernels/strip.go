package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
)

type stripCommand struct {
	Check     bool     `help:"Change nothing, but fail when a notebook has outputs."`
	Notebooks []string `arg:"" help:"The notebooks."`
}

func (c stripCommand) Run(out io.Writer) error {
	found := false
	for _, path := range c.Notebooks {
		n, err := notebook.Read(path)
		if err != nil {
			return err
		}
		if !n.Strip() {
			continue
		}
		found = true
		if c.Check {
			fmt.Fprintf(out, "%s has outputs; take them away: %s strip %s\n", path, install.Command(), path)
			continue
		}
		if err := n.Write(path); err != nil {
			return err
		}
		fmt.Fprintln(out, "stripped", path)
	}
	if c.Check && found {
		return errFailed
	}
	return nil
}
