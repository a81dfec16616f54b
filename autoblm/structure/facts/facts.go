// Package facts gathers the results of packages structure and linear for one structure.
package facts

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/linear"
)

// Facts holds the results of packages structure and linear for one structure. Witnesses are
// values of the chunks of a relation, nil if none exists.
type Facts struct {
	K                    int                 `json:"k"`
	Structure            structure.Structure `json:"structure"`
	Nonzeros             int                 `json:"nonzeros"`
	Name                 string              `json:"name"`
	Degenerate           bool                `json:"degenerate"`
	DegenerateModes      []structure.Mode    `json:"degenerate_modes"`
	DegeneratePaper      bool                `json:"degenerate_paper"`
	FullyExpressive      bool                `json:"fully_expressive"`
	SymmetricWitness     []int               `json:"symmetric_witness"`
	SkewSymmetricWitness []int               `json:"skew_symmetric_witness"`
	Canonical            structure.Structure `json:"canonical"`
	CanonicalPaper       structure.Structure `json:"canonical_paper"`
	Orbit                uint64              `json:"orbit"`
	OrbitPaper           uint64              `json:"orbit_paper"`
	SRF                  []int               `json:"srf"` // []uint8 would be written as base64
	// Patterns lists the kinds of relations that it can model; Inverse is as in
	// [structure.Patterns].
	Patterns []string `json:"patterns"`
	Inverse  []int    `json:"inverse"`
	// MayEqual lists the baselines that a change of basis may turn the structure into.
	MayEqual []string `json:"may_equal"`
}

// Of gathers the facts of a structure.
func Of(s structure.Structure) Facts {
	f := Facts{
		K: s.K(), Structure: s, Nonzeros: s.Nonzeros(), Name: s.Name(),
		Degenerate: s.Degenerate(), DegenerateModes: append([]structure.Mode{}, s.DegenerateModes()...),
		DegeneratePaper:  s.DegeneratePaper(),
		FullyExpressive:  s.FullyExpressive(),
		SymmetricWitness: s.SymmetricWitness(), SkewSymmetricWitness: s.SkewSymmetricWitness(),
		Canonical: s.Canonical(structure.Full), CanonicalPaper: s.Canonical(structure.Paper),
		Orbit: s.Orbit(structure.Full), OrbitPaper: s.Orbit(structure.Paper),
		SRF: []int{}, Patterns: []string{}, MayEqual: []string{},
	}
	for _, x := range s.SRF() {
		f.SRF = append(f.SRF, int(x))
	}
	for _, model := range linear.MayEqual(s) {
		f.MayEqual = append(f.MayEqual, model.Name)
	}
	patterns := s.Patterns()
	f.Inverse = patterns.Inverse
	for _, kind := range []struct {
		name    string
		witness []int
	}{{"symmetric", patterns.Symmetric}, {"anti-symmetric", patterns.AntiSymmetric},
		{"general", patterns.General}, {"inverse", patterns.Inverse}} {
		if kind.witness != nil {
			f.Patterns = append(f.Patterns, kind.name)
		}
	}
	return f
}

// Print writes a line for each fact.
func (f Facts) Print(w io.Writer) {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(w, "%-24s%s\n", name, fmt.Sprintf(format, values...))
	}
	line("structure", "%s", f.Structure)
	line("nonzeros", "%d of %d", f.Nonzeros, f.K*f.K)
	if f.Name != "" {
		line("equivalent to", "%s", structure.TitleOf(f.Name))
	} else if len(f.MayEqual) > 0 {
		titles := make([]string, len(f.MayEqual))
		for i, name := range f.MayEqual {
			titles[i] = structure.TitleOf(name)
		}
		line("may be", "%s, up to a change of basis (training is not invariant to it)",
			strings.Join(titles, " or "))
	}
	for _, mode := range f.DegenerateModes {
		line("degenerate", "in the %s: %v scores 0 with everything", mode, f.Structure.Witness(mode))
	}
	if !f.Degenerate {
		line("degenerate", "no")
	}
	line("  by the paper's test", "%s", yesNo(f.DegeneratePaper))
	line("fully expressive", "%s", yesNo(f.FullyExpressive))
	line("symmetric for r =", "%s", witness(f.SymmetricWitness))
	line("skew-symmetric for r =", "%s", witness(f.SkewSymmetricWitness))
	line("relations it can model", "%s", cmp.Or(strings.Join(f.Patterns, ", "), "none"))
	if f.Inverse != nil {
		line("  the inverse of r", "%s", inverseOf(f.Inverse))
	}
	line("canonical form", "%s", f.Canonical)
	line("  paper's group", "%s", f.CanonicalPaper)
	line("equivalent matrices", "%d (paper's group: %d)", f.Orbit, f.OrbitPaper)
	line("SRF", "%s", strings.Trim(fmt.Sprint(f.SRF), "[]"))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func witness(r []int) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprint(r)
}

// inverseOf writes the chunks of an inverse relation, as (r1, r2, -r3, -r4).
func inverseOf(source []int) string {
	chunks := make([]string, len(source))
	for n, from := range source {
		chunks[n] = strings.Replace(fmt.Sprintf("r%d", from), "r-", "-r", 1)
	}
	return "(" + strings.Join(chunks, ", ") + ")"
}
