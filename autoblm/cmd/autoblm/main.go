// Command autoblm searches, trains and uses bilinear scoring functions for
// knowledge graphs. Run it without arguments to see what it can do.
package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/completions"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// commands is the command line.
type commands struct {
	Structure structureCommands `cmd:"" help:"Look at a structure, or count structures."`
	Dataset   datasetCommands   `cmd:"" help:"List, describe, fetch and split knowledge graphs."`
	Train     trainCommand      `cmd:"" help:"Train a structure, or another model, on a knowledge graph."`
	Eval      evalCommand       `cmd:"" help:"Rank a split with a trained model."`
	Predict   predictCommand    `cmd:"" help:"Answer a query with a trained model."`
	Ensemble  ensembleCommand   `cmd:"" help:"Make an ensemble of trained models that answer together."`
	Search    searchCommand     `cmd:"" help:"Search the best structure for a knowledge graph."`
	Recipe    recipeCommands    `cmd:"" help:"Settings of training that others published for the benchmarks."`
	Reproduce reproduceCommand  `cmd:"" help:"Search and train on a benchmark as others did, in pieces."`
	Query     queryCommands     `cmd:"" help:"Answer multi-hop queries: what is at the end of a path."`
	Classify  classifyCommands  `cmd:"" help:"Tell the classes of entities of an RDF graph."`
	Ablate    ablateCommand     `cmd:"" help:"Compare searches that differ in one thing."`
	Study     studyCommands     `cmd:"" help:"List, show, export and go on with the files that keep searches."`
	Report    reportCommand     `cmd:"" help:"Write what came of a study as a page for a browser."`
	Backend   backendCommands   `cmd:"" help:"List what can do the arithmetic here, and install XLA's plugins."`

	Completion completionCommand `cmd:"" help:"Print a script by which bash, zsh or fish completes commands."`
	Complete   completeCommand   `cmd:"" hidden:"" help:"Print how a command line may go on, for the scripts of completion."`
	Help       helpCommand       `cmd:"" help:"Show what a command does and takes, as --help does."`
	VersionOf  versionCommand    `cmd:"" name:"version" help:"Tell the version, the commit and the Go of the program."`

	HelpAll flags.HelpAll    `brief:"Show all flags." help:"Show all flags, and all there is to say of them."`
	JSON    bool             `brief:"Print one JSON object instead of text." help:"Print one JSON object instead of text."`
	Record  string           `placeholder:"FILE" help:"Also write the JSON object to this file, with the command, the date, the machine and the versions."`
	Version kong.VersionFlag `help:"Print the version."`
}

// name is that of the program.
const name = "autoblm"

// output is where commands write.
type output = cli.Output

// newCommands are the commands, with the defaults of their flags.
func newCommands() *commands {
	return &commands{
		Dataset: datasetCommands{Split: datasetSplitCommand{Settings: datasets.DefaultSplit()}},
		Train:   trainCommand{trainingFlags: usualTraining()}, Search: usualSearch(), Reproduce: reproduceCommand{trainingFlags: usualTraining()},
		Ensemble: usualEnsemble(),
		Query:    queryCommands{Train: usualQueryTrain()}, Classify: classifyCommands{Train: usualClassifyTrain()}, Ablate: usualAblate(),
	}
}

// newParser reads command lines into c, whose values are the defaults of its flags.
func newParser(c any, options ...kong.Option) (*kong.Kong, error) {
	var algorithms, tasks, purposes, others []string
	for _, algorithm := range strategy.All() {
		algorithms = append(algorithms, algorithm.Name())
	}
	for _, f := range form.All()[1:] {
		others = append(others, f.String())
	}
	for _, kind := range autoblm.Tasks {
		tasks, purposes = append(tasks, kind.Name), append(purposes, fmt.Sprintf("%s (%s)", kind.Name, kind.Purpose))
	}
	return flags.Parser(c, append(options,
		kong.Vars{
			"algorithm": autoblm.DefaultSearch().Algorithm, "algorithms": strings.Join(algorithms, ","),
			"shells": strings.Join(completions.Shells, ","),
			"forms":  format.List(others, "or"), "task": usualTask(), "tasks": strings.Join(tasks, ","), "purposes": format.List(purposes, "or"),
		},
	)...)
}

// usualTask is the name of the first task.
func usualTask() string { return autoblm.Tasks[0].Name }

func main() { cli.Main(run) }

// run is the whole program, for tests to call.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	c, stderr := newCommands(), cli.SyncWriter(stderr)
	o := &output{Stdout: &cli.SafeWriter{W: stdout}, Stderr: stderr, Arguments: arguments}
	exited := -1
	parser, err := newParser(c,
		kong.Name(name),
		kong.Description("Finds the bilinear scoring function that completes a knowledge graph best."),
		kong.Writers(o.Stdout, stderr),
		kong.Exit(func(status int) { exited = status }),
		kong.Help(flags.PrintHelp),
		kong.Vars{"version": cli.Version()},
	)
	if err != nil {
		panic(err) // the declarations above are wrong, whatever the arguments
	}
	parsed, err := parser.Parse(shieldMinus(helped(arguments)))
	switch {
	case o.Stdout.Err != nil: // --help or --version cannot be printed
		return cli.Status(stderr, name, o.End(nil))
	case exited >= 0:
		return exited
	case err != nil:
		return cli.Status(stderr, name, cli.Usage(err))
	}
	o.JSON = c.JSON
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err = recordIn(o, parsed, c.Record); err == nil {
		err = o.End(parsed.Run(o))
	}
	return cli.Status(stderr, name, advised(err))
}

// minusFirst are two or more cells or rows of a structure that begins with a minus.
var minusFirst = regexp.MustCompile(`^-[0-9 ]+[,;][-0-9,; ]*$`)

// shieldMinus lets structures begin with a minus, as in -1,0;2,-1, where the
// parser would see a flag.
func shieldMinus(arguments []string) []string {
	shielded := make([]string, len(arguments))
	for i, a := range arguments {
		if minusFirst.MatchString(a) {
			a = " " + a
		}
		shielded[i] = a
	}
	return shielded
}
