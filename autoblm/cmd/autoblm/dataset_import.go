package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

type datasetImportCommand struct {
	Files []string `arg:"" name:"file" help:"Files of facts: TSV, CSV, JSON lines, N-Triples, N-Quads, Turtle or Parquet, also packed; - reads the standard input. A folder with splits, such as one of OGB, keeps them."`
	Out   string   `required:"" placeholder:"DIR" help:"Folder for train.txt, valid.txt and test.txt."`

	Settings datasets.ImportSettings `embed:""`
}

// graphImport is the JSON of dataset import.
type graphImport struct {
	*datasets.ImportReport
	Folder string `json:"folder"`
	Train  int    `json:"train"`
	Valid  int    `json:"valid"`
	Test   int    `json:"test"`

	entities, relations int
	by                  string
	hasNegatives        bool
}

func (c *datasetImportCommand) Run(ctx context.Context, o *output) error {
	there, err := datasets.FilesOf(c.Out)
	if err != nil {
		return err
	}
	if len(there) > 0 && (hasData(c.Out) || contentOf(c.Out) == "") {
		return fmt.Errorf("%s already holds a data set (%s): use another --out, or remove it", c.Out,
			strings.Join(there, ", "))
	}
	if err := checkFree(c.Out, "the data set"); err != nil {
		return err
	}
	if err := outfile.CheckFolder(c.Out); err != nil {
		return err
	}
	if err := c.Settings.Check(); err != nil {
		return cli.Usage(err)
	}
	var report *datasets.ImportReport
	g, err := read(ctx, o, func(string) (g *datasets.Graph, err error) {
		g, report, err = datasets.Import(c.Files, c.Settings)
		return g, err
	}, format.List(c.Files, "and"))
	if err != nil {
		return err
	}
	if c.Settings.By != datasets.ByEntity { // which wants entities that train lacks
		warn(o, g.Warnings("valid", "test"))
	}
	if err := datasets.WriteFolder(g, c.Out); err != nil {
		return err
	}
	o.Saved("the splits are in %s", c.Out)
	s := graphImport{report, c.Out, len(g.Train), len(g.Valid), len(g.Test), len(g.Entities),
		len(g.Relations), c.Settings.By, g.HasNegatives()}
	return o.Result(s, func(w io.Writer) { o.Show(s.block(o.Verbose)) })
}

// block returns the sizes of the splits, and what was kept and dropped.
func (s graphImport) block(verbose bool) cli.Block {
	b := cli.Block{Title: []string{"graph written", s.Folder, format.Count(s.entities, "entity"),
		format.Count(s.relations, "relation")}}
	b.Add("triples", format.Int(s.Train)+" train", format.Int(s.Valid)+" valid",
		format.Int(s.Test)+" test")
	for i, file := range s.Files {
		if i == 1 && !verbose {
			b.Add("", fmt.Sprintf("and %s", format.Count(len(s.Files)-1, "file")))
			break
		}
		b.Add("read", format.Count(file.Facts, "fact")+" of "+file.File+" ("+describeFile(file)+")")
	}
	addDrops(&b, "dropped", s.Dropped, verbose)
	addDrops(&b, "changed", s.Changed, verbose)
	if s.Weighted {
		b.Note("weights.txt has the weights of the training facts.")
	}
	if s.hasNegatives {
		b.Note("The given negatives are not copied: evaluate with --dataset " + s.Files[0].File + ".")
	}
	if s.Normalized > 0 {
		b.Note(format.Count(s.Normalized, "label") + " normalized.")
	}
	if s.Together > 0 && s.Valid+s.Test > 0 {
		b.Note(fmt.Sprintf("%s of related relations (see dataset info) stay in the split of the "+
			"triples that they imply; --allow-leakage divides them.", format.Count(s.Together, "triple")))
	}
	if s.Valid < s.WantedValid || s.Test < s.WantedTest {
		b.Note(fmt.Sprintf("Other numbers than wanted (%s valid, %s test): %s.", format.Int(s.WantedValid),
			format.Int(s.WantedTest), whyFewer[s.by]))
	}
	if s.by == datasets.ByEntity {
		b.Note("Train has no facts of the entities in valid and test, so models can only guess there.")
	}
	next := []string{"search", "--dataset", s.Folder, "--minutes", "10"}
	if s.Valid == 0 { // so that no structure can be selected
		next = []string{"train", "--dataset", s.Folder}
	}
	b.Next = []string{shellCommand([]string{"dataset", "info", s.Folder}), shellCommand(next)}
	return b
}

// addDrops adds a line for each reason, with a whole example if verbose.
func addDrops(b *cli.Block, label string, drops facts.Drops, verbose bool) {
	for _, d := range drops {
		if !verbose {
			d.Example = format.Clip(d.Example, exampleClip)
		}
		b.Add(label, fmt.Sprintf("%s: %s, such as %s", d.Reason, format.Int(d.Count), d.Example))
		label = ""
	}
}

// whyFewer says why a split is smaller than wanted.
var whyFewer = map[string]string{
	datasets.ByRandom: "train keeps all entities and relations",
	datasets.ByTime:   "facts of one time stay together",
	datasets.ByEntity: "all facts of an entity stay together",
}

// exampleClip is the largest width of a dropped fact.
const exampleClip = 30

// describeFile returns the format of a file, and the columns of head, relation and tail.
func describeFile(file facts.Report) string {
	text := file.Format
	for _, role := range []string{"head", "relation", "tail", "weight", "time"} {
		if column := file.Columns[role]; column != "" {
			text += ", " + role + " " + column
		}
	}
	if len(file.Other) > 0 {
		text += "; not used: " + strings.Join(file.Other, ", ")
	}
	return text
}
