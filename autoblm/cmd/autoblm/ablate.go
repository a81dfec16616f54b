package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

type ablateCommand struct {
	Name         string   `arg:"" enum:"algorithm,filter,predictor,b0,k,sharing,dimension,transfer" brief:"What differs: algorithm, filter, predictor or another." help:"algorithm, filter, predictor, b0 or k compare searches that differ in that; sharing and dimension ask whether shared embeddings, or another dimension, judge structures as their own training does; transfer takes structures to other graphs."`
	Dataset      string   `default:"world" brief:"A name of dataset list, or a folder." help:"A name of dataset list, or a folder."`
	To           []string `brief:"For transfer: the other graphs." help:"For transfer: the other graphs, separated by commas."`
	Seeds        int      `default:"3" min:"1" max:"1000" brief:"How often all is done." help:"How often all is done, each time with other random numbers."`
	OtherDim     int      `default:"128" min:"1" max:"1048576" brief:"For dimension: the other dimension." help:"For dimension: the other dimension."`
	SharedEpochs int      `default:"200" min:"1" max:"1000000000" help:"For sharing: passes with shared embeddings."`
	Out          string   `brief:"The folder for table, pictures and studies." help:"The folder for table, pictures and studies; the same command goes on with it. Below autoblm-out when left out."`

	MaxSteps, Model, Rungs, Known, Again, AgainDims, AgainEpochs, Ensemble struct{}    `kong:"-"` // no flags here
	Settings                                                               searchFlags `embed:""`
	mixFlag
	computeFlags
}

// usualAblate has the defaults: those of the plain search, so that what differs is what is asked
// about.
func usualAblate() ablateCommand {
	c := ablateCommand{Settings: searchFlags(search.BasicSettings())}
	c.Settings.Training.Precision = kge.AutoPrecision
	return c
}

// Help says how long it takes.
func (ablateCommand) Help() string {
	return `For k, the dimension is 60. With the defaults, on umls and two cores, each takes at most ten minutes.
An interrupted comparison goes on with the same command.`
}

// Run compares.
func (c *ablateCommand) Run(ctx context.Context, o *output) error {
	settings := search.Settings(c.Settings)
	if err := settings.Validate(); err != nil {
		return cli.Usage(err)
	}
	if (c.Name == "transfer") != (len(c.To) > 0) {
		return cli.Usage(errors.New("transfer, and nothing else, needs --to with other graphs, as --to kinship,nations"))
	}
	var graphs []*datasets.Graph
	for _, name := range append([]string{c.Dataset}, c.To...) {
		g, err := read(ctx, o, datasets.Open, name)
		if err != nil {
			return err
		}
		warn(o, g.Warnings("valid", "test"))
		graphs = append(graphs, g)
	}
	engine, err := c.open(form.Bilinear)
	if err != nil {
		return err
	}
	defer engine.Close()
	c.Out = cmp.Or(c.Out, filepath.Join(outFolder, fmt.Sprintf("ablate-%s-%s", c.Name, graphs[0].Name)))
	if err := outfile.MakeFolder(c.Out); err != nil {
		return err
	}
	if err := o.CheckFile(filepath.Join(c.Out, c.Name+".json"), outfile.Comparison); err != nil {
		return err
	}
	bar := newSearchBar(o, time.Time{})
	plan := ablation.Plan{
		Graph: graphs[0], Engine: engine, Settings: settings, Seeds: c.Seeds, Folder: filepath.Join(c.Out, "studies"),
		OnProgress: bar.about, MixEngines: c.MixEngines,
	}
	result, err := ablation.RunByName(ctx, plan, c.Name, ablation.Options{
		SharedEpochs: c.SharedEpochs, OtherDim: c.OtherDim, OtherGraphs: graphs[1:],
	})
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: the same command goes on with %s", c.Out)
	}
	if err != nil {
		return err
	}
	result.Out = c.Out
	saved := result.Save()
	o.Saved("the table, the pictures and the studies are in %s", c.Out)
	return errors.Join(saved, o.Result(result, func(w io.Writer) {
		fmt.Fprintf(w, "%s on %s: %s, budget %d, d %d%s, %s\n\n", c.Name, result.Dataset, format.Count(c.Seeds, "seed"), result.Budget, result.Dim, result.Precision.Suffix(), format.Count(result.Epochs, "epoch"))
		result.Table.Print(w)
		fmt.Fprintf(w, "\n%s\nIn %s are the table (%s.csv, %[3]s.json), the pictures (*.png, *.svg) and the studies\n", result.Note, c.Out, c.Name)
	}))
}
