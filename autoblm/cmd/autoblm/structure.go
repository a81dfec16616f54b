package main

import (
	"context"
	"fmt"
	"io"
	"math/big"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/facts"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
	"github.com/dustin/go-humanize"
)

type structureCommands struct {
	Check structureCheckCommand `cmd:"" help:"Analyze a structure: degeneracy, canonical form and features."`
	Show  structureShowCommand  `cmd:"" help:"Draw a structure and print its formula."`
	Count structureCountCommand `cmd:"" help:"Count structures up to equivalence."`
	List  structureListCommand  `cmd:"" help:"List one structure per equivalence class."`
}

type structureCheckCommand struct {
	S structureFlag `arg:"" name:"structure" help:"Name (distmult, simple, complex, analogy, quate, bique, cp, hole), rows as \"1,0;0,2\", a JSON array of arrays, or @file."`
}

func (c *structureCheckCommand) Run(o *output) error {
	f := facts.Of(c.S.Structure)
	return o.Result(f, f.Print)
}

type structureShowCommand struct {
	S structureFlag `arg:"" name:"structure" help:"As for structure check."`
}

func (c *structureShowCommand) Run(o *output) error {
	s := c.S.Structure
	f := facts.Of(s)
	return o.Result(f, func(w io.Writer) {
		fmt.Fprintf(w, "%s\nf(h,r,t) = %s\n\n", o.Drawing(s.Draw), s.Formula())
		f.Print(w)
	})
}

// classFlags select structures and the group that defines their equivalence.
type classFlags struct {
	K     int             `json:"k" default:"4" min:"1" max:"8" help:"Number of chunks, 1 to 8."`
	Group structure.Group `json:"group" help:"Symmetry group: full, or paper (the paper's Proposition 3)."`
}

type structureCountCommand struct{ classFlags }

// structureCounts is the JSON of structure count. The counts are strings, because they are too
// large for numbers in JSON.
type structureCounts struct {
	classFlags
	Total      string   `json:"total"`
	ByNonzeros []string `json:"by_nonzeros"`
}

func (c *structureCountCommand) Run(ctx context.Context, o *output) error {
	var byNonzeros []*big.Int
	total, err := ctxutil.Call(ctx, func() (total *big.Int, err error) {
		total, byNonzeros, err = structure.Count(c.K, c.Group)
		return total, err
	})
	if err != nil {
		return err
	}
	counts := structureCounts{classFlags: c.classFlags, Total: total.String()}
	for _, n := range byNonzeros {
		counts.ByNonzeros = append(counts.ByNonzeros, n.String())
	}
	return o.Result(counts, func(w io.Writer) {
		cells := big.NewInt(int64(2*c.K + 1))
		all := cells.Exp(cells, big.NewInt(int64(c.K*c.K)), nil)
		fmt.Fprintf(w, "%s classes of the %s structures with K=%d, group %v\n\n",
			humanize.BigComma(total), humanize.BigComma(all), c.K, c.Group)
		t := table.New("nonzeros", "classes")
		for n, classes := range byNonzeros {
			t.Add(n, humanize.BigComma(classes))
		}
		t.Print(w)
	})
}

type structureListCommand struct {
	classFlags
	Nonzeros int  `required:"" placeholder:"NUMBER" min:"0" max:"64" help:"Number of nonzeros of each structure."`
	All      bool `help:"List degenerate structures too."`
}

// structureList is the JSON of structure list.
type structureList struct {
	classFlags
	Nonzeros   int                   `json:"nonzeros"`
	Structures []structure.Structure `json:"structures"`
}

// Run prints canonical forms in order. Text output prints each one as soon as it is found.
func (c *structureListCommand) Run(ctx context.Context, o *output) error {
	switch {
	case c.K < 1 || c.K > structure.MaxK:
		return cli.Usage(fmt.Errorf("k is %d: it must be 1 to %d", c.K, structure.MaxK))
	case c.Nonzeros < 0 || c.Nonzeros > c.K*c.K:
		return cli.Usage(fmt.Errorf("nonzeros is %d: with k = %d it must be 0 to %d",
			c.Nonzeros, c.K, c.K*c.K))
	}
	list := structureList{
		classFlags: c.classFlags, Nonzeros: c.Nonzeros, Structures: []structure.Structure{},
	}
	listed, leftOut := 0, 0
	for s := range structure.Classes(c.K, c.Nonzeros, c.Group) {
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted after %s", format.Count(listed+leftOut, "structure"))
		case o.Stdout.Err != nil: // the reader has closed its end
			return nil
		case !c.All && s.Degenerate():
			leftOut++
			continue
		case o.JSON:
			list.Structures = append(list.Structures, s)
		default:
			fmt.Fprintln(o.Stdout, s)
		}
		listed++
	}
	if leftOut > 0 {
		o.Message("%s, without %s degenerate ones; --all lists all",
			format.Count(listed, "structure"), format.Int(leftOut))
	}
	return o.Result(list, func(io.Writer) {})
}
