package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/kernels/internal/doctor"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

type doctorCommand struct{}

// Run prints the findings and fails when cells cannot run.
func (doctorCommand) Run(ctx context.Context, out io.Writer, folders install.Folders) error {
	findings := doctor.Examine(ctx, doctor.Settings{Folders: folders, Pins: pins})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, f := range findings {
		fmt.Fprintf(out, "%-4s  %s: %s\n", f.Level, f.Subject, f.Message)
		if f.Fix != "" {
			fmt.Fprintf(out, "      %s\n", f.Fix)
		}
	}
	if !doctor.Healthy(findings) {
		fmt.Fprintln(out, "Cells cannot run.")
		return errFailed
	}
	fmt.Fprintln(out, "Cells can run.")
	return nil
}
