package main

import (
	"context"
	"errors"
	"io"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

// commands defines the command line.
type commands struct {
	Install installCommand `cmd:"" help:"Install or update the kernels."`
	Doctor  doctorCommand  `cmd:"" help:"Find problems of the kernels and suggest fixes."`

	Home    string `help:"Folder of the programs and modules (default ${home})." env:"AUTOBLM_KERNELS" type:"path" placeholder:"DIR"`
	UserDir string `help:"Jupyter's user data folder (default ${userdir})." type:"path" placeholder:"DIR"`
}

// folders returns the folders that the flags or the defaults name.
func (c commands) folders() (install.Folders, error) {
	folders := install.Folders{Home: install.Home(c.Home), Jupyter: c.UserDir}
	if c.Home == "" {
		folders.Home = install.DefaultHome()
	}
	var err error
	if c.UserDir == "" {
		folders.Jupyter, err = install.JupyterFolder()
	}
	return folders, err
}

// errFailed sets the exit status after a command has printed its results.
var errFailed = errors.New("failed")

func main() { cli.Main(run) }

// run runs the program and returns its exit status.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	var c commands
	exited := -1
	jupyter, _ := install.JupyterFolder() // commands that need the folder report the error
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
	if exited >= 0 { // --help has printed
		return exited
	}
	if err != nil {
		return cli.Status(stderr, "kernels", "kernels", cli.Usage(err))
	}
	folders, err := c.folders()
	if err == nil {
		parsed.BindTo(ctx, (*context.Context)(nil))
		parsed.BindTo(stdout, (*io.Writer)(nil))
		err = parsed.Run(folders)
	}
	if errors.Is(err, errFailed) {
		return cli.Failed
	}
	return cli.Status(stderr, "kernels", "kernels", err)
}
