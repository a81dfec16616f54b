package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/linear"
	"github.com/dustin/go-humanize"
)

type structureCommands struct {
	Check structureCheckCommand `cmd:"" help:"Say what is known of a structure: degenerate, expressive, canonical form, features."`
	Show  structureShowCommand  `cmd:"" help:"Draw a structure and write out its formula."`
	Count structureCountCommand `cmd:"" help:"Count the structures that are not equivalent."`
	List  structureListCommand  `cmd:"" help:"List one structure of each class of equivalent ones."`
}

type structureCheckCommand struct {
	S structureFlag `arg:"" name:"structure" help:"A name (distmult, simple, complex, analogy, quate), rows as \"1,0;0,2\", a JSON array of arrays, or @file."`
}

// structureFacts is the JSON of structure check.
type structureFacts struct {
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
	SRF                  []int               `json:"srf"` // []uint8 would come out as base64
	// Patterns are the kinds of relations that can be modelled; Inverse is as in
	// structure.Patterns.
	Patterns []string `json:"patterns"`
	Inverse  []int    `json:"inverse"`
	// MayEqual are the named models that a change of basis may turn the structure into.
	MayEqual []string `json:"may_equal"`
}

func factsOf(s structure.Structure) structureFacts {
	facts := structureFacts{
		K: s.K(), Structure: s, Nonzeros: s.Nonzeros(), Name: s.Name(),
		Degenerate: s.Degenerate(), DegenerateModes: orEmpty(s.DegenerateModes()), DegeneratePaper: s.DegeneratePaper(),
		FullyExpressive:  s.FullyExpressive(),
		SymmetricWitness: s.SymmetricWitness(), SkewSymmetricWitness: s.SkewSymmetricWitness(),
		Canonical: s.Canonical(structure.Full), CanonicalPaper: s.Canonical(structure.Paper),
		Orbit: s.Orbit(structure.Full), OrbitPaper: s.Orbit(structure.Paper),
		SRF: []int{}, Patterns: []string{}, MayEqual: []string{},
	}
	for _, x := range s.SRF() {
		facts.SRF = append(facts.SRF, int(x))
	}
	for _, model := range linear.MayEqual(s) {
		facts.MayEqual = append(facts.MayEqual, model.Name)
	}
	patterns := s.Patterns()
	facts.Inverse = patterns.Inverse
	for _, kind := range []struct {
		name    string
		witness []int
	}{{"symmetric", patterns.Symmetric}, {"anti-symmetric", patterns.AntiSymmetric}, {"general", patterns.General}, {"inverse", patterns.Inverse}} {
		if kind.witness != nil {
			facts.Patterns = append(facts.Patterns, kind.name)
		}
	}
	return facts
}

// Run prints the facts.
func (c *structureCheckCommand) Run(o *output) error {
	facts := factsOf(c.S.Structure)
	return o.result(facts, func(w io.Writer) { facts.print(w, c.S.Structure) })
}

func (f structureFacts) print(w io.Writer, s structure.Structure) {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(w, "%-24s%s\n", name, fmt.Sprintf(format, values...))
	}
	line("structure", "%s", f.Structure)
	line("nonzeros", "%d of %d", f.Nonzeros, f.K*f.K)
	if f.Name != "" {
		line("equivalent to", "%s", titleOf(f.Name))
	} else if len(f.MayEqual) > 0 {
		titles := make([]string, len(f.MayEqual))
		for i, name := range f.MayEqual {
			titles[i] = titleOf(name)
		}
		line("may be", "%s, up to a change of basis (of which training would not know)", strings.Join(titles, " or "))
	}
	if f.Degenerate {
		for _, mode := range f.DegenerateModes {
			line("degenerate", "in the %s: %v scores 0 with everything", mode, s.Witness(mode))
		}
	} else {
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

// inverseOf writes the chunks of an inverse relation, as (r1, r2, -r3, -r4).
func inverseOf(source []int) string {
	chunks := make([]string, len(source))
	for n, from := range source {
		chunks[n] = strings.Replace(fmt.Sprintf("r%d", from), "r-", "-r", 1)
	}
	return "(" + strings.Join(chunks, ", ") + ")"
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

// titleOf is how papers write the name of a named model.
func titleOf(name string) string {
	for _, named := range structure.HumanDesigned() {
		if named.Name == name {
			return named.Title
		}
	}
	return name
}

type structureShowCommand struct {
	S structureFlag `arg:"" name:"structure" help:"As for structure check."`
}

// Run draws the structure.
func (c *structureShowCommand) Run(o *output) error {
	s := c.S.Structure
	facts := factsOf(s)
	return o.result(facts, func(w io.Writer) {
		fmt.Fprintf(w, "%s\nf(h,r,t) = %s\n\n", s.Draw(o.colour()), s.Formula())
		facts.print(w, s)
	})
}

// classFlags say between which structures, and up to which symmetries.
type classFlags struct {
	K     int    `name:"k" default:"4" help:"Number of chunks, 1 to 8."`
	Group string `default:"full" enum:"full,paper" help:"full, or paper for the symmetries of the paper's Proposition 3."`
}

func (f classFlags) group() structure.Group {
	if f.Group == structure.Paper.String() {
		return structure.Paper
	}
	return structure.Full
}

type structureCountCommand struct{ classFlags }

// structureCounts is the JSON of structure count; the numbers are too large for JSON's.
type structureCounts struct {
	K          int      `json:"k"`
	Group      string   `json:"group"`
	Total      string   `json:"total"`
	ByNonzeros []string `json:"by_nonzeros"`
}

// Run counts.
func (c *structureCountCommand) Run(o *output) error {
	total, byNonzeros, err := structure.Count(c.K, c.group())
	if err != nil {
		return usage(err)
	}
	counts := structureCounts{K: c.K, Group: c.Group, Total: total.String()}
	for _, n := range byNonzeros {
		counts.ByNonzeros = append(counts.ByNonzeros, n.String())
	}
	return o.result(counts, func(w io.Writer) {
		cells := big.NewInt(int64(2*c.K + 1))
		all := cells.Exp(cells, big.NewInt(int64(c.K*c.K)), nil)
		fmt.Fprintf(w, "%s classes of the %s structures with K=%d, by the %s group\n\n", humanize.BigComma(total), humanize.BigComma(all), c.K, c.Group)
		t := table{header: []string{"nonzeros", "classes"}}
		for n, classes := range byNonzeros {
			t.add(text(n), humanize.BigComma(classes))
		}
		t.print(w)
	})
}

type structureListCommand struct {
	classFlags
	Nonzeros int  `required:"" help:"Number of blocks of each structure."`
	All      bool `help:"List degenerate structures too."`
}

// structureList is the JSON of structure list.
type structureList struct {
	K          int                   `json:"k"`
	Group      string                `json:"group"`
	Nonzeros   int                   `json:"nonzeros"`
	Structures []structure.Structure `json:"structures"`
}

// Run prints canonical forms in their order; as text, each when it is found.
func (c *structureListCommand) Run(ctx context.Context, o *output) error {
	switch {
	case c.K < 1 || c.K > structure.MaxK:
		return usage(fmt.Errorf("k is %d: it must be 1 to %d", c.K, structure.MaxK))
	case c.Nonzeros < 0 || c.Nonzeros > c.K*c.K:
		return usage(fmt.Errorf("nonzeros is %d: with k = %d it must be 0 to %d", c.Nonzeros, c.K, c.K*c.K))
	}
	list := structureList{K: c.K, Group: c.Group, Nonzeros: c.Nonzeros, Structures: []structure.Structure{}}
	listed, leftOut := 0, 0
	for s := range structure.Classes(c.K, c.Nonzeros, c.group()) {
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted after %s", plural(listed+leftOut, "structure"))
		case o.stdout.err != nil: // nobody listens any more
			return nil
		case !c.All && s.Degenerate():
			leftOut++
			continue
		case o.json:
			list.Structures = append(list.Structures, s)
		default:
			fmt.Fprintln(o.stdout, s)
		}
		listed++
	}
	if leftOut > 0 {
		o.say("%s; %s degenerate left out, see --all", plural(listed, "structure"), count(leftOut))
	}
	return o.result(list, func(io.Writer) {})
}
