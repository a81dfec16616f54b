package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
)

type checkCommand struct {
	Notebooks []string `arg:"" help:"The notebooks."`
}

// Run says which notebooks have outputs of other code than they have now. One without any
// outputs is as it should be, too.
func (c checkCommand) Run(out io.Writer) error {
	old := false
	for _, path := range c.Notebooks {
		n, err := notebook.Read(path)
		if err != nil {
			return err
		}
		if there, current := n.OutputsAre(); there && !current {
			old = true
			fmt.Fprintf(out, "%s has outputs of other code: %s run --write %[1]s, or take them away: %[2]s strip %[1]s\n", path, install.Command())
		}
	}
	if old {
		return errFailed
	}
	return nil
}
