package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
)

// Level says how bad a finding is.
type Level string

// The levels. With a note, cells of the CPU kernel work all the same.
const (
	Good Level = "good"
	Note Level = "note"
	Bad  Level = "bad"
)

// Finding is the result of one check.
type Finding struct {
	Subject string `json:"subject"`
	Level   Level  `json:"level"`
	Says    string `json:"says"`
	Mend    string `json:"mend,omitempty"`
}

// Patient is what is looked at.
type Patient struct {
	Home    install.Home
	Jupyter string // Jupyter's folder of the user's data
	Pins    install.Pins
	// Library is the one that cells are to import; the zero value stands for any.
	Library install.Library
}

// reinstall is the mend for most things.
var reinstall = "run: " + install.Command() + " install"

// Examine makes all checks. Those that cannot succeed because of an earlier
// finding are left out.
func Examine(ctx context.Context, p Patient) []Finding {
	findings := []Finding{p.temporaryFolder(ctx)}
	_, err := install.ReadManifest(p.Home)
	if errors.Is(err, fs.ErrNotExist) {
		return append(findings, bad("installation", fmt.Sprintf("nothing is installed in %s", p.Home), reinstall), p.jupyter(ctx))
	}
	if err != nil {
		return append(findings, bad("installation", err.Error(), reinstall))
	}
	for _, tool := range install.Tools {
		findings = append(findings, p.tool(tool))
	}
	findings = append(findings, p.library())
	for _, v := range install.Variants() {
		findings = append(findings, p.spec(v))
	}
	findings = append(findings, p.jupyter(ctx))
	for _, v := range install.Variants() {
		// What has been found bad so far is reason enough for cells to fail.
		if spec, err := kernelspec.Read(v.File(p.Jupyter)); err == nil && Healthy(findings) {
			findings = append(findings, p.kernel(ctx, v, spec)...)
		}
	}
	return findings
}

// Healthy says whether nothing is bad.
func Healthy(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == Bad {
			return false
		}
	}
	return true
}

func good(subject, says string) Finding       { return Finding{subject, Good, says, ""} }
func note(subject, says, mend string) Finding { return Finding{subject, Note, says, mend} }
func bad(subject, says, mend string) Finding  { return Finding{subject, Bad, says, mend} }
