package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type ablateCommand struct {
	Name         string   `arg:"" enum:"algorithm,filter,predictor,k,sharing,dimension,transfer" brief:"What differs, such as algorithm, filter or k." help:"algorithm, filter, predictor and k compare searches. sharing and dimension test whether shared embeddings or another dimension rank structures alike; transfer tests structures on other graphs."`
	Dataset      string   `default:"world" brief:"Name from dataset list, folder or file." help:"Name from dataset list, a folder, or a file of facts."`
	To           []string `placeholder:"NAMES" brief:"Other graphs, for transfer." help:"Other graphs, for transfer, separated by commas."`
	Seeds        int      `default:"3" min:"1" max:"1000" brief:"Number of repetitions with other seeds." help:"Number of repetitions with other seeds."`
	OtherDim     int      `default:"128" min:"1" max:"1048576" brief:"Other dimension, for dimension." help:"Other dimension, for dimension."`
	SharedEpochs int      `default:"200" min:"1" max:"1000000000" brief:"Epochs with shared embeddings, for sharing." help:"Epochs with shared embeddings, for sharing."`
	Out          string   `output:"" placeholder:"DIR" brief:"Folder for the table, pictures and studies." help:"Folder for the table, pictures and studies; the same command resumes. The default is below autoblm-out."`

	// These settings have no flags here:
	MaxSteps, Model, Halving, WarmStart, Ensemble struct{} `kong:"-"`
	RetrainSeeds, RetrainDims, RetrainEpochs      struct{} `kong:"-"`
	RetrainSplits                                 struct{} `kong:"-"`

	Settings searchSettings `embed:"" group:"Search"`
	configFlag
	distributeFlags
	mixFlag
	computeFlags
}

// newAblateCommand returns the command with the settings of the basic search, so that searches
// differ in one thing only.
func newAblateCommand() ablateCommand {
	s := search.BasicSettings()
	s.Recipe = withAutoPrecision(s.Recipe)
	return ablateCommand{Settings: searchSettings(s)}
}

// Help says how long it takes.
func (ablateCommand) Help() string {
	return `The comparison k uses dimension 60 and refuses --dim. With the defaults, each comparison takes at most ten
minutes on umls and two cores. The same command resumes an interrupted comparison.`
}

// validate returns an error if the settings do not fit a search of the comparison.
func (c *ablateCommand) validate(s search.Settings) error {
	if a, err := ablation.ByName(c.Name); err == nil {
		return a.Check(s)
	}
	return s.Validate()
}

func (c *ablateCommand) Run(ctx context.Context, line *kong.Context, o *output) error {
	if c.Name == "k" && flags.IsGiven(line, "dim") {
		return cli.Usage(errors.New("the comparison k uses dimension 60, which 3, 4 and 5 chunks divide: " +
			"leave out --dim"))
	}
	settings := search.Settings(c.Settings)
	if err := c.validate(settings); err != nil {
		return cli.Usage(err)
	}
	if (c.Name == "transfer") != (len(c.To) > 0) {
		return cli.Usage(errors.New("--to does not fit: transfer needs other graphs, such as " +
			"--to kinship,nations; other comparisons have none"))
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
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	folder := fmt.Sprintf("ablate-%s-%s", c.Name, graphs[0].Name)
	c.Out = cmp.Or(c.Out, filepath.Join(outFolder, folder))
	if err := checkFree(c.Out, "the comparison"); err != nil {
		return err
	}
	if err := outfile.MakeFolder(c.Out); err != nil {
		return err
	}
	release, err := atomicfile.Hold(c.Out)
	if err != nil {
		return err
	}
	defer release()
	if err := o.CheckFile(filepath.Join(c.Out, c.Name+".json"), outfile.Comparison); err != nil {
		return err
	}
	compute, err := c.compute()
	if err != nil {
		return err
	}
	on, err := c.coordinate(ctx, o, compute, c.MixEngines, settings.RoundSize)
	if err != nil {
		return err
	}
	defer on.close()
	bar := newSearchBar(o, "structure", false)
	plan := ablation.Plan{
		Graph: graphs[0], Engine: engine, Settings: settings, Seeds: c.Seeds,
		Folder: filepath.Join(c.Out, "studies"), OnProgress: bar.updatePart, MixEngines: c.MixEngines,
		Distribute: on.onTask(),
	}
	result, err := ablation.RunByName(ctx, plan, c.Name, ablation.Options{
		SharedEpochs: c.SharedEpochs, OtherDim: c.OtherDim, OtherGraphs: graphs[1:],
	})
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: the same command resumes %s", c.Out)
	}
	if errors.Is(err, study.ErrOtherSearch) {
		return fmt.Errorf("%w, which another --out has", err)
	}
	if err != nil {
		return err
	}
	result.Out = c.Out
	saved := result.Save()
	o.Saved("the table, the pictures and the studies are in %s", c.Out)
	return errors.Join(saved, o.Result(result, func(w io.Writer) {
		fmt.Fprintf(w, "%s on %s: %s, budget %d, d %d%s, %s\n\n", c.Name, result.Dataset,
			format.Count(c.Seeds, "seed"), result.Budget, result.Dim, result.Precision.Suffix(),
			format.Count(result.Epochs, "epoch"))
		result.Table.Print(w)
		fmt.Fprintf(w, "\n%s\n%s has the table (%s.csv, %[3]s.json), the pictures (*.png, *.svg) "+
			"and the studies\n", result.Note, c.Out, c.Name)
	}))
}
