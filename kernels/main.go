package main

import (
	"context"
	"errors"
	"io"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
)

// commands is the command line.
type commands struct {
	Install   installCommand   `cmd:"" help:"Install the kernels, or bring them up to date."`
	Uninstall uninstallCommand `cmd:"" help:"Remove what install wrote, and nothing else."`
	Doctor    doctorCommand    `cmd:"" help:"Find what keeps notebooks from working, and say how to mend it."`
	Run       runCommand       `cmd:"" help:"Execute notebooks, and fail when a cell does."`
	Check     checkCommand     `cmd:"" help:"Fail when a notebook has outputs of other code than its own."`
	Strip     stripCommand     `cmd:"" help:"Take outputs out of notebooks."`

	Home    string `help:"Folder of the programs and of the module that cells import from (default: ${home})." env:"AUTOBLM_KERNELS" type:"path" placeholder:"DIR"`
	UserDir string `help:"Jupyter's folder of your data (default: ${userdir})." type:"path" placeholder:"DIR"`
}

// places are where things are installed.
type places struct {
	home    install.Home
	jupyter string
}

func (c commands) places() (places, error) {
	p := places{install.Home(c.Home), c.UserDir}
	if c.Home == "" {
		p.home = install.DefaultHome()
	}
	var err error
	if c.UserDir == "" {
		p.jupyter, err = kernelspec.UserFolder()
	}
	return p, err
}

// errFailed ends the program with a status after all has been said.
var errFailed = errors.New("failed")

func main() { cli.Main(run) }

// run is the whole program, for tests to call.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	var c commands
	exited := -1
	jupyter, _ := kernelspec.UserFolder() // without one it is an error later, where it matters
	parser := kong.Must(&c,
		kong.Name("kernels"),
		kong.Description("The Jupyter kernels of AutoBLM."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(status int) { exited = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"home": string(install.DefaultHome()), "userdir": jupyter},
	)
	if len(arguments) == 0 {
		arguments = []string{"--help"}
	}
	parsed, err := parser.Parse(arguments)
	if exited >= 0 { // --help has been printed
		return exited
	}
	if err != nil {
		return cli.Status(stderr, "kernels", cli.Usage(err))
	}
	where, err := c.places()
	if err == nil {
		parsed.BindTo(ctx, (*context.Context)(nil))
		parsed.BindTo(stdout, (*io.Writer)(nil))
		err = parsed.Run(where)
	}
	if errors.Is(err, errFailed) {
		return cli.Failed
	}
	return cli.Status(stderr, "kernels", err)
}
