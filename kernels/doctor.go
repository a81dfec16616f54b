package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/kernels/internal/doctor"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

type doctorCommand struct {
	JSON bool `help:"Print one JSON object instead of text."`
}

func (c doctorCommand) Run(ctx context.Context, out io.Writer, where places) error {
	library, _ := install.FindLibrary(".") // where there is none, any library is right
	findings := doctor.Examine(ctx, doctor.Patient{Home: where.home, Jupyter: where.jupyter, Pins: pins, Library: library})
	if err := ctx.Err(); err != nil {
		return err
	}
	healthy := doctor.Healthy(findings)
	if !c.JSON {
		tell(out, findings)
	} else if err := json.NewEncoder(out).Encode(map[string]any{"healthy": healthy, "findings": findings}); err != nil {
		return err
	}
	if !healthy {
		return errFailed
	}
	return nil
}

// tell prints findings for people.
func tell(out io.Writer, findings []doctor.Finding) {
	marks := map[doctor.Level]string{doctor.Good: "ok  ", doctor.Note: "note", doctor.Bad: "BAD "}
	for _, f := range findings {
		fmt.Fprintf(out, "%s  %s: %s\n", marks[f.Level], f.Subject, f.Says)
		if f.Mend != "" {
			fmt.Fprintf(out, "        %s\n", f.Mend)
		}
	}
	if doctor.Healthy(findings) {
		fmt.Fprintln(out, "All that cells need is there.")
	} else {
		fmt.Fprintln(out, "Something that cells need is wrong.")
	}
}
