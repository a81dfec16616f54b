package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
	"github.com/schollz/progressbar/v3"
)

type datasetCommands struct {
	List   datasetListCommand   `cmd:"" help:"List named graphs and their places."`
	Info   datasetInfoCommand   `cmd:"" help:"Show the sizes, relation patterns and relations of a graph."`
	Fetch  datasetFetchCommand  `cmd:"" help:"Download a benchmark into the cache."`
	Import datasetImportCommand `cmd:"" help:"Read files of facts, and split them into train, valid and test."`
}

type datasetListCommand struct{}

// Run lists the embedded graph and the registry.
func (datasetListCommand) Run(o *output) error {
	list := datasets.List()
	return o.Result(map[string]any{"datasets": list}, func(w io.Writer) {
		t := table.New("name", "entities", "relations", "train", "valid", "test", "where")
		for _, d := range list {
			where := cmp.Or(d.Folder, "embedded")
			switch {
			case !d.Available:
				where = "not fetched"
			case d.Folder != "" && !o.Verbose:
				where = "fetched"
			}
			t.Add(d.Name, d.Entities, d.Relations, d.Train, d.Valid, d.Test, where)
		}
		t.Print(w)
		var next []string
		missing := func(d datasets.Listing) bool { return !d.Available }
		if i := slices.IndexFunc(list, missing); i >= 0 {
			next = append(next, shellCommand([]string{"dataset", "fetch", list[i].Name}))
		}
		next = append(next, shellCommand([]string{"dataset", "info", "world"}))
		o.Show(cli.Block{Next: next})
	})
}

type datasetInfoCommand struct {
	Dataset string `arg:"" help:"Name from dataset list, a folder, or a file of facts."`
	Top     int    `default:"10" min:"0" max:"1000000000" help:"Number of relations, most frequent first; 0 lists all."`
}

// graphInfo is the JSON of dataset info.
type graphInfo struct {
	datasets.Statistics
	EachRelation []datasets.RelationStatistics `json:"each_relation"`
}

func (c *datasetInfoCommand) Run(ctx context.Context, o *output) error {
	g, err := read(ctx, o, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	o.Verbose = true // this command explains the warnings
	warn(o, g.Warnings("valid", "test"))
	s, err := ctxutil.Call(ctx, func() (graphInfo, error) {
		return graphInfo{datasets.Describe(g), datasets.DescribeRelations(g, c.Top)}, nil
	})
	if err != nil {
		return err
	}
	return o.Result(s, func(w io.Writer) {
		o.Show(cli.Block{Title: []string{s.Name, format.Count(s.Entities, "entity"),
			format.Count(s.Relations, "relation")}})
		fmt.Fprintln(w)
		t := table.New("split", "triples", "duplicates", "not seen in train", "in train", "implied by it")
		train, valid, test := s.Train, s.Valid, s.Test
		t.Add("train", train.Triples, train.Duplicates, train.Unseen, "", "")
		t.Add("valid", valid.Triples, valid.Duplicates, valid.Unseen, valid.InTrain, valid.Implied)
		t.Add("test", test.Triples, test.Duplicates, test.Unseen, test.InTrain, test.Implied)
		t.Print(w)
		for _, missing := range []struct {
			what string
			n    int
		}{
			{"entities not in train", s.EntitiesNotInTrain},
			{"relations not in train", s.RelationsNotInTrain},
			{"triples in more than one split", s.InSeveralSplits},
		} {
			if missing.n > 0 {
				fmt.Fprintf(w, "%s: %s\n", missing.what, format.Int(missing.n))
			}
		}
		if valid.False+test.False > 0 {
			fmt.Fprintf(w, "given false triples: %s valid, %s test\n", format.Int(valid.False),
				format.Int(test.False))
		}
		fmt.Fprintln(w)
		t = table.New("pattern", "relations", "test triples", "share")
		for _, p := range s.Patterns {
			t.Add(p.Pattern, p.Relations, p.TestTriples, fmt.Sprintf("%.1f %%", p.TestPercent))
		}
		t.Print(w)
		fmt.Fprintln(w, "(inverse relations have another pattern too)")
		fmt.Fprintln(w)
		s.printRelated(w, c.Top)
		t = table.New("relation", "train", "valid", "test", "pattern", "for example")
		for _, r := range s.EachRelation {
			example := ""
			if e := r.Example; e != nil {
				example = fmt.Sprintf("%s → %s", format.Clip(e.Head, exampleWidth),
					format.Clip(e.Tail, exampleWidth))
			}
			t.Add(r.Relation, r.Train, r.Valid, r.Test, r.Pattern, example)
		}
		t.Print(w)
		if rest := s.Relations - len(s.EachRelation); rest > 0 {
			fmt.Fprintf(w, "(the most frequent of %s; --top 0 lists all)\n", format.Int(s.Relations))
		}
		fmt.Fprintln(w)
		next := []string{shellCommand([]string{"train", "--dataset", c.Dataset})}
		if valid.Triples > 0 {
			next = append(next, shellCommand([]string{"search", "--dataset", c.Dataset, "--minutes", "10"}))
		}
		o.Show(cli.Block{Next: next})
	})
}

// exampleWidth is the largest width of a label in an example.
const exampleWidth = 26

// printRelated prints the relations whose facts imply each other, and how much of test leaks.
func (s graphInfo) printRelated(w io.Writer, top int) {
	if len(s.Related) == 0 {
		return
	}
	t := table.New("relation", "implied by", "kind", "facts", "share")
	shown := s.Related
	if top > 0 {
		shown = shown[:min(top, len(shown))]
	}
	for _, r := range shown {
		t.Add(r.Relation, r.Partner, r.Kind, r.Facts, fmt.Sprintf("%.1f %%", r.Percent))
	}
	t.Print(w)
	if len(shown) < len(s.Related) {
		fmt.Fprintf(w, "(the largest of %s; --top 0 lists all)\n", format.Int(len(s.Related)))
	}
	if s.Test.Triples > 0 {
		fmt.Fprintf(w, "leaked: train implies %s of the %s test triples by these relations (%.1f %%)\n",
			format.Int(s.Test.Implied), format.Int(s.Test.Triples), s.LeakedPercent)
	}
	fmt.Fprintln(w)
}

type datasetFetchCommand struct {
	Dataset string `arg:"" help:"Name from dataset list."`
}

func (c *datasetFetchCommand) Run(ctx context.Context, o *output) error {
	bar := cli.NewBar(o.Stderr, "fetching "+format.Escape(c.Dataset), -1, 0,
		progressbar.OptionShowBytes(true))
	folder, err := datasets.Fetch(ctx, c.Dataset, bar.Set)
	bar.Finish()
	if err != nil {
		return err
	}
	o.Saved("%s is in %s", c.Dataset, folder)
	return o.Result(map[string]string{"dataset": c.Dataset, "folder": folder}, func(w io.Writer) {
		fmt.Fprintf(w, "%s is in %s\n", c.Dataset, folder)
	})
}
