// Command autoblm searches, trains and uses bilinear scoring functions for knowledge graphs. Run
// without arguments, it prints its commands.
package main

import (
	"context"
	"io"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// commands is the command line.
type commands struct {
	Structure structureCommands `cmd:"" help:"Analyze a structure, or count structures."`
	Dataset   datasetCommands   `cmd:"" help:"List, describe, fetch and import knowledge graphs."`
	Train     trainCommand      `cmd:"" help:"Train a structure, or another model, on a knowledge graph."`
	Eval      evalCommand       `cmd:"" help:"Rank a split with a trained model."`
	Predict   predictCommand    `cmd:"" help:"Answer a query with a trained model."`
	Serve     serveCommand      `cmd:"" help:"Answer queries over HTTP: a JSON API and a page."`
	Ensemble  ensembleCommand   `cmd:"" help:"Combine trained models into an ensemble."`
	Search    searchCommand     `cmd:"" help:"Search for the best structure for a knowledge graph."`
	Worker    workerCommand     `cmd:"" help:"Train trials of searches that run elsewhere."`
	Cluster   clusterCommands   `cmd:"" help:"Run and watch the queue between searches and workers."`
	Recipe    recipeCommands    `cmd:"" help:"Show training settings by name, published ones and defaults."`
	Reproduce reproduceCommand  `cmd:"" help:"Reproduce published results on a benchmark."`
	ModelOf   modelCommands     `cmd:"" name:"model" help:"Export and import models, and show neighbours and a map."`
	Query     queryCommands     `cmd:"" help:"Answer multi-hop queries: the entities at the end of a path."`
	Classify  classifyCommands  `cmd:"" help:"Learn and predict classes of the nodes of a graph."`
	Ablate    ablateCommand     `cmd:"" help:"Compare searches that differ in one setting."`
	Study     studyCommands     `cmd:"" help:"List, show, export and resume saved searches."`
	Report    reportCommand     `cmd:"" help:"Write a report of a study as a web page."`
	Dashboard dashboardCommand  `cmd:"" help:"Show all studies below a folder in a browser, live."`
	Backend   backendCommands   `cmd:"" help:"List compute backends, and install XLA plugins."`

	Completion completionCommand `cmd:"" help:"Print a completion script for bash, zsh or fish."`
	Complete   completeCommand   `cmd:"" hidden:"" help:"Complete a command line, for the completion scripts."`
	VersionOf  versionCommand    `cmd:"" name:"version" help:"Show the version, the commit and the Go version."`

	HelpAll flags.HelpAll    `group:"General" help:"Show all flags with their full help."`
	JSON    bool             `group:"General" brief:"Print one JSON object instead of text." help:"Print one JSON object instead of text."`
	Verbose bool             `group:"General" help:"Print all tables and details."`
	Record  string           `group:"General" placeholder:"FILE" help:"Also write the JSON to this file, with the command, date, machine and versions."`
	Version kong.VersionFlag `group:"General" help:"Print the version."`
}

// newCommands returns the commands with the defaults of their flags.
func newCommands() *commands {
	return &commands{
		Dataset:   datasetCommands{Import: datasetImportCommand{Settings: datasets.DefaultImport()}},
		Train:     trainCommand{trainingFlags: newTrainingFlags()},
		Ensemble:  newEnsembleCommand(),
		Search:    newSearchCommand(),
		Reproduce: reproduceCommand{trainingFlags: newTrainingFlags()},
		Query:     queryCommands{Train: queryTrainCommand{queryTrainingFlags: newQueryTrainingFlags()}},
		Classify:  classifyCommands{Train: newClassifyTrain()},
		Ablate:    newAblateCommand(),
	}
}

func main() { cli.Main(run) }

// run runs the program; tests call it too.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	c, stderr := newCommands(), cli.SyncWriter(stderr)
	o := &output{Stdout: &cli.SafeWriter{W: stdout}, Stderr: stderr, Arguments: arguments}
	exited := -1
	parser, err := newParser(c,
		kong.Writers(o.Stdout, stderr),
		kong.Exit(func(status int) { exited = status }),
		kong.Vars{"version": cli.Version()},
	)
	if err != nil {
		panic(err) // the declarations above are wrong, whatever the arguments
	}
	parsed, err := parser.Parse(readable(arguments))
	switch {
	case o.Stdout.Err != nil: // --help or --version cannot be printed
		return cli.Status(stderr, name, name, o.End(nil))
	case exited >= 0:
		return exited
	case err != nil:
		return cli.Status(stderr, name, failedCommand(err), cli.Usage(plainError(err)))
	}
	o.JSON, o.Verbose = c.JSON, c.Verbose
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err = recordIn(o, c.Record, threadsOf(parsed)); err == nil {
		err = o.End(parsed.Run(o))
	}
	return cli.Status(stderr, name, selectedCommand(parsed), withHint(err))
}

type versionCommand struct{}

func (versionCommand) Run(o *output) error {
	b := cli.ReadBuild()
	return o.Result(b, func(w io.Writer) { b.Print(w, name) })
}

// threadsOf returns the value of --threads, 0 without the flag.
func threadsOf(parsed *kong.Context) int {
	for _, flag := range parsed.Flags() {
		if flag.Name == "threads" {
			return int(flag.Target.Int())
		}
	}
	return 0
}
